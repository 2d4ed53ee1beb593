import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { cli } from '../../../e2e/budgets/rig.ts';
import type { FakeRequest, Script } from '../../fake-provider/index.ts';
import { describeClient } from '../describe-client.ts';
import type { InstalledClient } from '../install.ts';
import type { Agent } from './agent.ts';
import {
  followPage,
  NOTES,
  NOTES_TEXT,
  PROVIDER_KEY,
  startAgentsRig,
  type AgentsRig,
  type Run,
} from './agents-rig.ts';
import type { PagePart, Reader } from './page.ts';
import { searches } from './web-search.ts';
import { callOf, readingCall, searchedCall } from './tool-calls.ts';

export interface AgentTests {
  readonly rig: () => AgentsRig;
  readonly client: () => InstalledClient;
  /** Follows the page without the gateway, or through it. */
  run(reader: Reader, part?: PagePart): Promise<Run>;
}

const ANSWER = 'It is the ninth of May.';
const MCP_ANSWER = 'the demo server says seven';
/** Maximum requests per refusal: two retries of a question, and of an agent's extra request for a title. */
const MOST_REFUSED = 6;

/**
 * All tests of an agent, set up as its page says, with a real gateway: it answers, its loop continues
 * after a tool, it shows refusals and cuts to its user in bounded time, and it uses MCP servers.
 */
export function describeAgent(agent: Agent): void {
  describeClient(agent.recipe, (client) => {
    let started: AgentsRig | undefined;
    const rig = (): AgentsRig => started ?? fail();
    const run = (reader: Reader, part: PagePart = 'tryIt'): Promise<Run> =>
      followPage(agent, client(), reader, { project: rig().project, part });
    beforeAll(async () => {
      started = await startAgentsRig({ server: { error_format: agent.errorFormat ?? 'gateway' } });
    });
    afterAll(() => started?.close());
    beforeEach(() => {
      rig().provider.behave({ text: ANSWER });
      rig().tap.seen.length = 0;
    });

    it('shows the model’s answer, as without a gateway', async () => {
      const direct = await run(rig().direct());
      expect(direct.said).toContain(ANSWER);
      const reader = await rig().through(agent);
      const through = await run(reader);
      expect(through.said).toContain(ANSWER);
      expect([direct.code, through.code]).toEqual([0, 0]);
      expectNothingOfOurs(rig(), reader);
      expect(rig().tap.seen.filter(({ status }) => status >= 400 && status !== 426)).toEqual([]);
    });

    it('continues after a tool', () => tryLoop(agent, { rig, client, run }));
    refusesToldIn(agent, { rig, client, run });
    if (agent.speaksMcp) it('uses an MCP server', () => tryMcp(agent, { rig, client, run }));
    if (agent.search !== undefined) searches(agent, agent.search, client);
  });
}

function fail(): never {
  throw new Error('the rig is started before the first test, not before');
}

/** Neither the proxy key nor a header of the gateway's reaches the provider; its own key does, once. */
function expectNothingOfOurs({ provider }: AgentsRig, reader: Reader): void {
  const last = provider.requests.at(-1);
  const written = JSON.stringify([last?.headers, last?.path, last?.query, last?.body.toString()]);
  expect(written).not.toContain(reader.proxyKey);
  expect(written).not.toContain('x-gateway');
  const credentials = ['authorization', 'x-api-key', 'x-goog-api-key'].map((name) => last?.headers[name]);
  expect(credentials.filter((value) => value?.includes(PROVIDER_KEY) === true)).toHaveLength(1);
}

async function tryLoop(agent: Agent, { rig, run }: AgentTests): Promise<void> {
  const { provider } = rig();
  const from = provider.requests.length;
  const loop = LOOPS[agent.loop];
  provider.behave((request) => loop.model(request, join(rig().project, NOTES)));
  const result = await run(await rig().through(agent));
  expect(result.said, result.said).toContain(loop.shows);
  const sent = provider.requests.slice(from).map(({ body }) => body.toString());
  if (loop.sends !== undefined) expect(sent.some((body) => body.includes(loop.sends ?? ''))).toBe(true);
  expect(result.code).toBe(0);
}

interface Loop {
  /** The model's output for a request of this loop. */
  readonly model: (request: FakeRequest, notes: string) => Script;
  /** The final text for the user. */
  readonly shows: string;
  /** The agent's message to the model after its tool ran. */
  readonly sends?: string;
}

const WHOLE_FILE = `${NOTES}\n\`\`\`\nthe launch is on the tenth of May\n\`\`\`\n`;

const LOOPS: Readonly<Record<Agent['loop'], Loop>> = {
  reads_file: {
    model: (request, notes) => {
      if (request.body.includes(NOTES_TEXT)) return { text: ANSWER };
      const tool = readingCall(request, notes);
      return tool === undefined ? { text: 'notes' } : { tool };
    },
    shows: ANSWER,
    sends: NOTES_TEXT,
  },
  calls_tool: {
    model: (request) => {
      const tool = callOf(request, 'llm_version', {});
      return tool === undefined || request.body.includes('"tool_call_id"') ? { text: ANSWER } : { tool };
    },
    shows: ANSWER,
    sends: '"tool_call_id"',
  },
  edits_file: { model: () => ({ text: WHOLE_FILE }), shows: `Applied edit to ${NOTES}` },
};

async function tryMcp(agent: Agent, { rig, run }: AgentTests): Promise<void> {
  const { provider, mcp, tap } = rig();
  mcp.answer = { content: [{ type: 'text', text: MCP_ANSWER }] };
  provider.behave((request) => {
    if (request.body.includes(MCP_ANSWER)) return { text: ANSWER };
    if (request.body.includes('_say"') && /(call|toolu)_\w*say/.test(request.body.toString()))
      return { text: 'failed' };
    const tool = callOf(request, 'say', {}) ?? searchedCall(request, 'mcp__demo__say');
    return tool === undefined ? { text: 'there is no such tool' } : { tool };
  });
  const result = await run(await rig().through(agent), 'mcp');
  expect(
    result.said,
    JSON.stringify(tap.seen.map(({ method, path, status }) => [method, path, status])),
  ).toContain(ANSWER);
  expect(mcp.requests.some(({ body }) => JSON.stringify(body ?? '').includes('"tools/call"'))).toBe(true);
}

/** Over budget, under a lock, with a wrong key, and cut in the middle. */
function refusesToldIn(agent: Agent, { rig, run }: AgentTests): void {
  async function refused(reader: Reader, words: RegExp, status: number, most = MOST_REFUSED): Promise<void> {
    const from = rig().provider.requests.length;
    const result = await run(reader);
    expect(result.said).toMatch(words);
    expect(result.timedOut).toBe(false);
    expect(rig().provider.requests.length).toBe(from);
    const refusals = rig().tap.seen.filter((each) => each.status === status);
    expect(refusals.length).toBeGreaterThan(0);
    expect(refusals.length).toBeLessThanOrEqual(most);
  }

  it('reports that the budget is spent', async () => {
    const reader = await rig().through(agent, 0.000_001);
    await refused(reader, agent.instead?.budget ?? /daily budget/, 429, agent.mostRefused?.budget);
  });

  it('reports that the key is locked', async () => {
    const reader = await rig().through(agent);
    expect((await cli(rig().gateway, 'quarantine', 'set', reader.keyHash)).code).toBe(0);
    await refused(reader, /locked/, 403);
  });

  it('reports that the key is wrong', async () => {
    const reader = { ...(await rig().through(agent)), proxyKey: `gw-${'x'.repeat(43)}` };
    await refused(reader, /invalid proxy key/, 401);
  });

  it('shows a cut answer as an error', async () => {
    const secret = `AKIA${'Q3EGRIVGJ5HQZ7NP'}`;
    rig().provider.behave({
      text: `The key is ${secret}, and here is what you can do with it: use it well.`,
    });
    const reader = await rig().through(agent);
    const result = await run(reader);
    expect(result.timedOut).toBe(false);
    expect(result.said).not.toContain(secret);
    expect(result.said).toMatch(/secret|DLP|quarantin|locked/i);
  });
}
