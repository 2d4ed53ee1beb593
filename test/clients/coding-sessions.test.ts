import { readFile, rm, writeFile } from 'node:fs/promises';
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
    () => commandCall(request, 'cat no-such-folder/missing.txt'),
  ];
  const tool = body.includes(SECOND) ? undefined : steps[done]?.();
  return tool === undefined ? { text: DONE } : { tool };
}

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

      it('reads, writes, fails and goes on, and nothing is refused', async () => {
        rig.provider.behave((request) => work(request, rig.project, written));
        const commands = [row.command(FIRST), ...(row.again === undefined ? [] : [row.again(SECOND)])];
        const sent = await runAll(row, { rig, client: client(), commands });
        expect(read.split('\n').filter((line) => !sent.some((body) => holds(body, line)))).toEqual([]);
        expect(sent.some((body) => body.includes('No such file'))).toBe(true);
        expect(await readFile(join(rig.project, OUT), 'utf8')).toBe(written);
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
