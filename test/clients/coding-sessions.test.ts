import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import type { ConfigInput } from '../../src/config/schema.ts';
import { configText, defaultAnswers, PURPOSES, type Purpose } from '../../src/init/files.ts';
import type { FakeRequest, Script } from '../support/fake-provider/index.ts';
import type { Agent } from '../support/clients/agents/agent.ts';
import { NOTES, NOTES_TEXT, startAgentsRig, type AgentsRig } from '../support/clients/agents/agents-rig.ts';
import { runExec } from '../support/clients/agents/run-exec.ts';
import { commandCall, readingCall, writingCall } from '../support/clients/agents/tool-calls.ts';
import { NOT_RUN } from '../support/clients/not-run.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import type { InstalledClient } from '../support/clients/install.ts';
import { inTemporaryFolder } from '../support/clients/run-program.ts';
import { WORKING_FILES } from '../support/working-files.ts';
import { AGENTS } from './agents/agents.ts';

/**
 * Coding agents at work under the files that `gateway init` writes: nothing is refused, and no byte that they read or write
 * changes. Under the file for agents, the bytes are those of all kinds of files.
 */
interface Row {
  readonly agent: Agent;
  readonly keyVariable: string;
  readonly model: string;
  readonly command: (question: string) => readonly string[];
  /** Has no tools: its model writes whole files between fences, and a test that fails is its command. */
  readonly editsByText?: true;
  /** Goes on with the conversation; undefined where the agent cannot without a terminal. */
  readonly again?: (question: string) => readonly string[];
}

/** Two words: a single one is a command to some. */
const HELLO = 'Hello there';
const FIRST = 'Read the notes, write them down, and run a command that fails.';
const SECOND = 'And what did you do first?';
const DONE = 'All of it is done.';
const PLAIN = 'import { one } from "../lib/one.js"; // ../../shared';
const FILES = Object.values(WORKING_FILES).join('\n');
/** What lies before the agent, and what it is told to write. */
const TEXTS: Readonly<Record<Purpose, readonly [read: string, written: string]>> = {
  chat: [NOTES_TEXT, PLAIN],
  agent: [`${NOTES_TEXT}\n${FILES}`, FILES],
};
const OUT = 'out.txt';
const FAILING = 'cat no-such-folder/missing.txt';
const RULES = '# Rules\n\nYou must run the tests before you commit. Never ignore an error of the linter.\n';
const RULE_FILES = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'QWEN.md'];

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
/** Tools of a person's own, which `llm` offers to the model. */
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

const ROWS: readonly Row[] = [
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

/** Agents that this suite does not install yet. */
const NOT_INSTALLED = {
  goose: 'its program comes from a release page, which the suite does not download from',
  crush: 'the suite builds no agents written in Go',
};

/** What the file says of requests and answers; addresses, Redis and certificates are the test's. */
function initSettings(purpose: Purpose): ConfigInput {
  const { server, policy, loop_detection } = parse(configText(defaultAnswers(purpose))) as ConfigInput;
  return {
    ...(server?.dlp !== undefined && { server: { dlp: server.dlp } }),
    ...(policy !== undefined && { policy }),
    ...(loop_detection !== undefined && { loop_detection }),
  };
}

const RESULT = /"tool_call_id"|"function_call_output"|"type":"tool_result"|"functionResponse"/g;

/** A model that reads, writes, fails and answers; what is asked beside, a title for one, gets a text. */
function work(request: FakeRequest, project: string, written: string): Script {
  const body = request.body.toString();
  const done = body.match(RESULT)?.length ?? 0;
  const steps = [
    () => readingCall(request, join(project, NOTES)),
    () => writingCall(request, join(project, OUT), written),
    () => commandCall(request, FAILING),
  ];
  const tool = body.includes(SECOND) ? undefined : steps[done]?.();
  return tool === undefined ? { text: DONE } : { tool };
}

/** The same of a model that writes files into its text. */
function workByText(request: FakeRequest, written: string): Script {
  const isOver = request.body.includes('No such file') || request.body.includes(SECOND);
  const isWork = request.body.includes(FIRST) && !isOver;
  return { text: isWork ? `${OUT}\n\`\`\`\n${written}\n\`\`\`\n` : DONE };
}

for (const [name, why] of Object.entries(NOT_INSTALLED)) {
  describe.skip(`${NOT_RUN}${name}: ${why}`, () => {
    it('is not installed', () => undefined);
  });
}

const COPY = 'Copy each file of the folder, one after the other.';
const FILES_OF_A_SESSION = 8;
/** Agents show no more of a longer file at once. */
const MOST_BYTES = 6_000;
const MODULES = new URL('../../node_modules/', import.meta.url);
const CODE_NAMES = [
  'package.json',
  'README.md',
  'index.d.ts',
  'index.js',
  'tsconfig.json',
  '.eslintrc',
  'LICENSE',
];

interface CodeFile {
  readonly name: string;
  readonly text: string;
}

/** Files of packages that this project depends on; each agent gets others. */
async function codeFiles(agent: number): Promise<readonly CodeFile[]> {
  const packages = (await readdir(MODULES)).filter((name) => /^[a-z]/.test(name)).sort();
  const files: CodeFile[] = [];
  for (let at = agent; at < packages.length && files.length < FILES_OF_A_SESSION; at += ROWS.length) {
    const name = packages[at] ?? '';
    for (const file of CODE_NAMES) {
      const text = await readFile(new URL(`${name}/${file}`, MODULES), 'utf8').catch(() => '');
      const isTaken = text !== '' && text.length <= MOST_BYTES && !text.includes('\r');
      if (isTaken && files.length < FILES_OF_A_SESSION) files.push({ name: `${name}-${file}`, text });
    }
  }
  return files;
}

/** A model that reads a file and writes its copy, for each file. */
function copying(request: FakeRequest, project: string, files: readonly CodeFile[]): Script {
  const body = request.body.toString();
  const done = body.match(RESULT)?.length ?? 0;
  const file = body.includes(COPY) ? files[Math.floor(done / 2)] : undefined;
  if (file === undefined) return { text: DONE };
  const tool =
    done % 2 === 0
      ? readingCall(request, join(project, file.name))
      : writingCall(request, join(project, `copy-${file.name}`), file.text);
  return tool === undefined ? { text: DONE } : { tool: { ...tool, id: String(done) } };
}

/** What the sessions over real code came to. */
const tally = { sessions: 0, requests: 0, files: 0 };
afterAll(() => {
  const { sessions, requests, files } = tally;
  process.stdout.write(
    `${String(sessions)} sessions over real code: ${String(requests)} requests, ${String(files)} files read and written\n`,
  );
});

describe.each(PURPOSES)('under the file that init writes for: %s', (purpose) => {
  const [read, written] = TEXTS[purpose];
  let rig: AgentsRig;
  beforeAll(async () => {
    rig = await startAgentsRig(initSettings(purpose));
    for (const name of RULE_FILES) await writeFile(join(rig.project, name), RULES);
  });
  afterAll(() => rig.close());
  beforeEach(async () => {
    rig.tap.seen.length = 0;
    await writeFile(join(rig.project, NOTES), `${read}\n`);
    await rm(join(rig.project, OUT), { force: true });
  });

  for (const row of ROWS) {
    describeClient(row.agent.recipe, (client) => {
      it('says hello, and nothing is refused', async () => {
        rig.provider.behave({ text: DONE });
        await runAll(row, { rig, client: client(), commands: [row.command(HELLO)] });
      });

      if (purpose === 'agent' && row.editsByText !== true) {
        it('reads and writes real code, and no byte of it changes', async () => {
          const files = await codeFiles(ROWS.indexOf(row));
          for (const { name, text } of files) await writeFile(join(rig.project, name), text);
          rig.provider.behave((request) => copying(request, rig.project, files));
          const from = rig.tap.seen.length;
          const sent = await runAll(row, { rig, client: client(), commands: [row.command(COPY)] });
          tally.requests += rig.tap.seen.length - from;
          tally.sessions += 1;
          for (const { name, text } of files) {
            tally.files += 1;
            expect(await readFile(join(rig.project, `copy-${name}`), 'utf8'), name).toBe(text);
            const lost = text.split('\n').filter((line) => !sent.some((body) => holds(body, line.trim())));
            expect(lost, name).toEqual([]);
          }
        });
      }

      it('reads, writes, fails and goes on, and nothing is refused', async () => {
        rig.provider.behave((request) =>
          row.editsByText === true ? workByText(request, written) : work(request, rig.project, written),
        );
        const commands = [row.command(FIRST), ...(row.again === undefined ? [] : [row.again(SECOND)])];
        const sent = await runAll(row, { rig, client: client(), commands });
        expect(read.split('\n').filter((line) => !sent.some((body) => holds(body, line)))).toEqual([]);
        expect(sent.some((body) => body.includes('No such file'))).toBe(true);
        // A fence ends with a line.
        const ending = row.editsByText === true ? '\n' : '';
        expect(await readFile(join(rig.project, OUT), 'utf8')).toBe(written + ending);
        if (row.again !== undefined) {
          expect(sent.some((body) => body.includes(FIRST) && body.includes(SECOND))).toBe(true);
        }
      });
    });
  }
});

/** Agents put lines in JSON, and some in JSON in JSON. */
function holds(body: string, line: string): boolean {
  const once = JSON.stringify(line).slice(1, -1);
  return body.includes(once) || body.includes(JSON.stringify(once).slice(1, -1));
}

interface Session {
  readonly rig: AgentsRig;
  readonly client: InstalledClient;
  readonly commands: readonly (readonly string[])[];
}

/** Runs the commands one after another in one home. Returns the bodies that reached the provider. */
async function runAll(row: Row, { rig, client, commands }: Session): Promise<readonly string[]> {
  const { proxyKey } = await rig.through(row.agent);
  const from = rig.provider.requests.length;
  await inTemporaryFolder(async (home) => {
    for (const command of commands) {
      const { stdout, stderr } = await runExec({ ...row, rig, client, proxyKey, home, command });
      expect(`${stdout}\n${stderr}`).toContain(DONE);
    }
  });
  expect(rig.tap.seen.filter(({ status }) => status >= 400)).toEqual([]);
  return rig.provider.requests.slice(from).map(({ body }) => body.toString());
}
