import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import {
  NOTES,
  NOTES_TEXT,
  PROVIDER_KEY,
  startAgentsRig,
  type AgentsRig,
} from '../support/clients/agents/agents-rig.ts';
import type { Agent } from '../support/clients/agents/agent.ts';
import { runExec } from '../support/clients/agents/run-exec.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import type { InstalledClient } from '../support/clients/install.ts';
import { inTemporaryFolder, type ProgramResult } from '../support/clients/run-program.ts';
import { AGENTS } from './agents/agents.ts';

const ANSWER = 'It is the ninth of May.';

interface Row {
  readonly agent: Agent;
  /** The provider's usual variable, which the agent itself never sees. */
  readonly keyVariable: string;
  /** Everything that its user writes: no settings, no address, no key. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly model: string;
}

const QUESTION = `What does ${NOTES} say?`;
const OPENAI = 'OPENAI_API_KEY';

const ROWS: readonly Row[] = [
  {
    agent: AGENTS.claudeCode,
    keyVariable: 'ANTHROPIC_API_KEY',
    command: ['claude', '-p', QUESTION],
    model: 'claude-haiku-4-5',
  },
  {
    agent: AGENTS.codex,
    keyVariable: OPENAI,
    command: ['codex', 'exec', '--skip-git-repo-check', QUESTION],
    model: 'gpt-5',
  },
  {
    agent: AGENTS.geminiCli,
    keyVariable: 'GEMINI_API_KEY',
    // Without a named model it asks for a rating first, as JSON, which no fake model returns.
    command: ['gemini', '--skip-trust', '--model', 'gemini-2.5-flash', '-p', QUESTION],
    model: 'gemini-2.5-flash-lite',
  },
  { agent: AGENTS.qwenCode, keyVariable: OPENAI, command: ['qwen', '-p', QUESTION], model: 'gpt-4o' },
  { agent: AGENTS.opencode, keyVariable: OPENAI, command: ['opencode', 'run', QUESTION], model: 'gpt-4o' },
  { agent: AGENTS.continueCli, keyVariable: OPENAI, command: ['cn', '-p', QUESTION], model: 'gpt-4o-mini' },
  {
    agent: AGENTS.cline,
    keyVariable: OPENAI,
    command: ['cline', '--auto-approve', 'true', QUESTION],
    model: 'gpt-4o-mini',
  },
  {
    agent: AGENTS.aider,
    keyVariable: OPENAI,
    command: ['aider', '--model', 'openai/gpt-4o', '--yes-always', '--no-git', '--message', QUESTION],
    model: 'gpt-4o-mini',
  },
  {
    agent: AGENTS.llm,
    keyVariable: OPENAI,
    command: ['llm', '-m', 'gpt-4o', '--no-stream', QUESTION],
    model: 'gpt-4o-mini',
  },
];

let rig: AgentsRig;
beforeAll(async () => {
  rig = await startAgentsRig();
});
afterAll(() => rig.close());
beforeEach(() => {
  rig.provider.behave({ text: ANSWER });
  rig.tap.seen.length = 0;
});

for (const row of ROWS) {
  describeClient(row.agent.recipe, (client) => {
    it('works through gateway exec, without any set-up or key', () => asks(row, client()));
  });
}

async function asks(row: Row, client: InstalledClient): Promise<void> {
  const reader = await rig.through(row.agent);
  const from = rig.provider.requests.length;
  const { code, stdout, stderr } = await runRow(row, client, reader.proxyKey);
  const said = `${stdout}\n${stderr}`;
  expect(said).toContain(ANSWER);
  expect(code).toBe(0);

  const came = rig.provider.requests.slice(from).filter(({ method }) => method === 'POST');
  expect(came.length).toBeGreaterThan(0);
  for (const { path, headers, body } of came) {
    expect(`${path} ${body.toString()}`).toContain(row.model);
    const credentials = [headers['authorization'], headers['x-api-key'], headers['x-goog-api-key']];
    expect(credentials.filter((value) => value !== undefined)).toEqual([
      expect.stringContaining(PROVIDER_KEY),
    ]);
  }
  const sessions = new Set(rig.tap.seen.map(({ headers }) => headers['x-gateway-session-id']));
  expect([...sessions]).toEqual([expect.stringMatching(/^exec-[0-9a-f-]{36}$/)]);
  expect(rig.tap.seen.filter(({ status }) => status >= 400)).toEqual([]);
}

/** In an empty home. */
function runRow(row: Row, client: InstalledClient, proxyKey: string): Promise<ProgramResult> {
  return inTemporaryFolder(async (home) => {
    await writeFile(join(rig.project, NOTES), `${NOTES_TEXT}\n`);
    return runExec({ ...row, rig, client, proxyKey, home });
  });
}
