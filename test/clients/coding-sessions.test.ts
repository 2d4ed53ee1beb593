import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import type { ConfigInput } from '../../src/config/schema.ts';
import { configText, DEFAULT_ANSWERS } from '../../src/init/files.ts';
import type { FakeRequest, Script } from '../support/fake-provider/index.ts';
import type { Agent } from '../support/clients/agents/agent.ts';
import { NOTES, NOTES_TEXT, startAgentsRig, type AgentsRig } from '../support/clients/agents/agents-rig.ts';
import { runExec } from '../support/clients/agents/run-exec.ts';
import { commandCall, readingCall, writingCall } from '../support/clients/agents/tool-calls.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import type { InstalledClient } from '../support/clients/install.ts';
import { inTemporaryFolder } from '../support/clients/run-program.ts';
import { AGENTS } from './agents/agents.ts';

/** Coding agents at work under the file that `gateway init` writes: nothing is refused, and no byte that they write changes. */
interface Row {
  readonly agent: Agent;
  readonly keyVariable: string;
  readonly model: string;
  readonly command: (question: string) => readonly string[];
  /** Goes on with the conversation; undefined where the agent cannot without a terminal. */
  readonly again?: (question: string) => readonly string[];
}

const FIRST = 'Read the notes, write them down, and run a command that fails.';
const SECOND = 'And what did you do first?';
const DONE = 'All of it is done.';
const WRITTEN = 'import { one } from "../lib/one.js"; // ../../shared';
const OUT = 'out.txt';
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
];

let rig: AgentsRig;
beforeAll(async () => {
  rig = await startAgentsRig(initSettings());
  for (const name of RULE_FILES) await writeFile(join(rig.project, name), RULES);
});
afterAll(() => rig.close());
beforeEach(async () => {
  rig.tap.seen.length = 0;
  await writeFile(join(rig.project, NOTES), `${NOTES_TEXT}\n`);
  await rm(join(rig.project, OUT), { force: true });
});

/** What the file says of requests and answers; addresses, Redis and certificates are the test's. */
function initSettings(): ConfigInput {
  const { server, policy, loop_detection } = parse(configText(DEFAULT_ANSWERS)) as ConfigInput;
  return {
    ...(server?.dlp !== undefined && { server: { dlp: server.dlp } }),
    ...(policy !== undefined && { policy }),
    ...(loop_detection !== undefined && { loop_detection }),
  };
}

const RESULT = /"tool_call_id"|"function_call_output"|"type":"tool_result"|"functionResponse"/g;

/** A model that reads, writes, fails and answers; what is asked beside, a title for one, gets a text. */
function work(request: FakeRequest): Script {
  const body = request.body.toString();
  const done = body.match(RESULT)?.length ?? 0;
  const steps = [
    () => readingCall(request, join(rig.project, NOTES)),
    () => writingCall(request, join(rig.project, OUT), WRITTEN),
    () => commandCall(request, 'cat no-such-folder/missing.txt'),
  ];
  const tool = body.includes(SECOND) ? undefined : steps[done]?.();
  return tool === undefined ? { text: DONE } : { tool };
}

for (const row of ROWS) {
  describeClient(row.agent.recipe, (client) => {
    describe('under the file that init writes', () => {
      it('reads, writes, fails and goes on, and nothing is refused', () => session(row, client()));
    });
  });
}

async function session(row: Row, client: InstalledClient): Promise<void> {
  const { proxyKey } = await rig.through(row.agent);
  const from = rig.provider.requests.length;
  rig.provider.behave(work);
  await inTemporaryFolder(async (home) => {
    for (const command of [row.command(FIRST), row.again?.(SECOND)]) {
      if (command === undefined) continue;
      const { stdout, stderr } = await runExec({ ...row, rig, client, proxyKey, home, command });
      expect(`${stdout}\n${stderr}`).toContain(DONE);
    }
  });
  expect(rig.tap.seen.filter(({ status }) => status >= 400)).toEqual([]);
  const sent = rig.provider.requests.slice(from).map(({ body }) => body.toString());
  expect(sent.some((body) => body.includes(NOTES_TEXT))).toBe(true);
  expect(sent.some((body) => body.includes('No such file'))).toBe(true);
  expect(await readFile(join(rig.project, OUT), 'utf8')).toBe(WRITTEN);
  if (row.again !== undefined) {
    expect(sent.some((body) => body.includes(FIRST) && body.includes(SECOND))).toBe(true);
  }
}
