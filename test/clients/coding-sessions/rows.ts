import type { Agent } from '../../support/clients/agents/agent.ts';
import { NOTES } from '../../support/clients/agents/agents-rig.ts';
import { AGENTS } from '../agents/agents.ts';

/** An agent, and the command with a person's task. */
export interface Row {
  readonly agent: Agent;
  readonly keyVariable: string;
  readonly model: string;
  readonly command: (question: string) => readonly string[];
  /** Has no tools: its model writes whole files between fences, and a failing test is its command. */
  readonly editsByText?: true;
  /** Continues the conversation; undefined if the agent cannot do so without a terminal. */
  readonly again?: (question: string) => readonly string[];
}

/** The first question of `first-steps.test.ts`, after which aider runs a test by itself. */
export const FIRST = 'Read the notes, write them down, and run a command that fails.';
export const FAILING = 'cat no-such-folder/missing.txt';

const OPENAI = 'OPENAI_API_KEY';
const CODEX = [
  'codex',
  'exec',
  '-m',
  'gpt-5.1-codex',
  '--skip-git-repo-check',
  '--dangerously-bypass-approvals-and-sandbox',
];
const CLAUDE = ['claude', '--permission-mode', 'acceptEdits', '--allowedTools', 'Bash,Read,Write'];
const GEMINI = ['gemini', '--yolo', '--skip-trust', '--model', 'gemini-2.5-flash'];

const AIDER = [
  ...[
    'aider',
    '--model',
    'openai/gpt-4o',
    '--yes-always',
    '--no-git',
    '--no-pretty',
    '--edit-format',
    'whole',
  ],
  ...['--no-show-model-warnings', '--no-suggest-shell-commands', '--no-detect-urls'],
];
/** A person's own tools, which `llm` offers to the model. */
const LLM_TOOLS = `
def read_file(path: str) -> str:
    "Reads a file"
    return open(path, encoding="utf-8", newline="").read()

def write_file(path: str, content: str) -> str:
    "Writes a file"
    open(path, "w", encoding="utf-8", newline="").write(content)
    return "written"

def bash(command: str) -> str:
    "Runs a command"
    import subprocess
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    return done.stdout + done.stderr
`;
const LLM = ['llm', '-m', 'gpt-4o', '--functions', LLM_TOOLS, '--chain-limit', '20'];

export const ROWS: readonly Row[] = [
  {
    agent: AGENTS.claudeCode,
    keyVariable: 'ANTHROPIC_API_KEY',
    model: 'claude-haiku-4-5',
    command: (question) => [...CLAUDE, '-p', question],
    again: (question) => [...CLAUDE, '-c', '-p', question],
  },
  {
    agent: AGENTS.codex,
    keyVariable: OPENAI,
    model: 'gpt-5',
    command: (question) => [...CODEX, question],
    again: (question) => [...CODEX, 'resume', '--last', question],
  },
  {
    agent: AGENTS.geminiCli,
    keyVariable: 'GEMINI_API_KEY',
    model: 'gemini-2.5-flash',
    command: (question) => [...GEMINI, '-p', question],
    again: (question) => [...GEMINI, '--resume', 'latest', '-p', question],
  },
  {
    agent: AGENTS.qwenCode,
    keyVariable: OPENAI,
    model: 'gpt-4o',
    command: (question) => ['qwen', '--yolo', '-p', question],
    again: (question) => ['qwen', '--yolo', '-c', '-p', question],
  },
  {
    agent: AGENTS.opencode,
    keyVariable: OPENAI,
    model: 'gpt-4o',
    command: (question) => ['opencode', 'run', question],
    again: (question) => ['opencode', 'run', '-c', question],
  },
  {
    agent: AGENTS.continueCli,
    keyVariable: OPENAI,
    model: 'gpt-4o-mini',
    command: (question) => ['cn', '--auto', '-p', question],
    again: (question) => ['cn', '--auto', '-p', '--resume', question],
  },
  {
    agent: AGENTS.cline,
    keyVariable: OPENAI,
    model: 'gpt-4o-mini',
    command: (question) => ['cline', '--auto-approve', 'true', question],
  },
  {
    agent: AGENTS.aider,
    keyVariable: OPENAI,
    model: 'gpt-4o',
    editsByText: true,
    command: (question) => [
      ...AIDER,
      ...(question === FIRST ? ['--auto-test', '--test-cmd', FAILING, NOTES] : []),
      '--message',
      question,
    ],
    again: (question) => [...AIDER, '--restore-chat-history', '--message', question],
  },
  {
    agent: AGENTS.llm,
    keyVariable: OPENAI,
    model: 'gpt-4o',
    command: (question) => [...LLM, question],
    again: (question) => [...LLM, '-c', question],
  },
];
