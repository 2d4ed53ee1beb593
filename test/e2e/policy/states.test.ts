import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestGateway, TestKey } from '../../support/gateway.ts';
import type { Reply } from '../../support/http.ts';
import { connectClient } from '../../support/mcp-rig.ts';
import { startPolicyRig, type PolicyRig } from '../../support/policy-rig.ts';
import { cli, expectRefusal } from '../budgets/rig.ts';
import { askWith } from '../../support/ask-provider.ts';

/** Cards with states on the wire: what moves a session, and what does not. */
const CARD = `metadata: { name: transactions }
fsm:
  initial_state: INIT
  transitions:
    - { from: INIT, to: TRANSACTION_ACTIVE, trigger: begin_transaction }
    - { from: TRANSACTION_ACTIVE, to: INIT, trigger: commit }
    - { from: INIT, to: APPROVED, trigger: { type: llm_call, matches: I approve } }
    - { from: APPROVED, to: INIT, trigger: deploy }
rules:
  - name: only-in-a-transaction
    match: { type: mcp_tool_call, tool: "db_*" }
    conditions: [{ field: session.state, op: not_equals, value: TRANSACTION_ACTIVE }]
    action: deny
    reason: begin a transaction first
  - name: only-approved
    match: { type: mcp_tool_call, tool: deploy }
    conditions: [{ field: session.state, op: not_equals, value: APPROVED }]
    action: deny
    reason: it has not been approved
`;
const TOOLS = ['begin_transaction', 'db_write', 'commit', 'deploy'];

let rig: PolicyRig;
let gateway: TestGateway;
let key: TestKey;
let client: Client;

beforeAll(async () => {
  rig = await startPolicyRig({
    files: { 'transactions.yaml': CARD },
    register(to) {
      for (const tool of TOOLS) {
        to.registerTool(tool, { description: tool }, () => ({ content: [{ type: 'text', text: 'done' }] }));
      }
    },
  });
  gateway = await rig.start();
});
afterAll(() => rig.close());
beforeEach(async () => {
  key = await gateway.createKey();
  ({ client } = await connectClient({
    url: new URL(`${gateway.baseUrl}/mcp/tools`),
    headers: { authorization: `Bearer ${key.rawKey}`, 'x-gateway-session-id': 'run' },
  }));
});

/** Returns the refusal that the agent sees; undefined if the tool ran. */
async function call(name: string): Promise<string | undefined> {
  try {
    expect(await client.callTool({ name })).toMatchObject({ content: [{ text: 'done' }] });
    return undefined;
  } catch (failure) {
    return (failure as { data?: { reason?: string } }).data?.reason ?? String(failure);
  }
}

function say(prompt: string, model = 'gpt-4o'): Promise<Reply> {
  const body = { model, messages: [{ role: 'user', content: prompt }] };
  const headers = { 'x-gateway-session-id': 'run' };
  return askWith(gateway, key.rawKey, '/openai/v1/chat/completions', body, headers);
}

async function state(): Promise<string | undefined> {
  const { stdout } = await cli(gateway, 'sessions', 'show', key.keyHash, 'run', '--output', 'json');
  return (JSON.parse(stdout) as { state?: string }).state;
}

describe('a card with states', () => {
  it('lets a tool run only inside a transaction', async () => {
    expect(await call('db_write')).toBe('begin a transaction first');
    expect(await call('begin_transaction')).toBeUndefined();
    expect(await state()).toBe('TRANSACTION_ACTIVE');
    expect(await call('db_write')).toBeUndefined();
    expect(await call('commit')).toBeUndefined();
    expect(await state()).toBe('INIT');
    expect(await call('db_write')).toBe('begin a transaction first');
  });

  it('lets one of ten simultaneous calls use an approval that a model call gave', async () => {
    expect((await say('I approve')).status).toBe(200);
    expect(await state()).toBe('APPROVED');
    const before = rig.server.requests.length;
    const said = await Promise.all(Array.from({ length: 10 }, () => call('deploy')));
    expect(said.filter((reason) => reason === undefined)).toHaveLength(1);
    expect(said.filter((reason) => reason === 'it has not been approved')).toHaveLength(9);
    expect(rig.server.requests.slice(before).filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(await state()).toBe('INIT');
  });

  it('moves nothing by a call that the budget denies', async () => {
    expect((await say('hello')).status).toBe(200);
    await gateway.setBudget(key.keyHash, { daily: 0 });
    expectRefusal(await say('I approve'), 429, 'budget_exceeded');
    expect(await state()).toBe('INIT');
    expect(await call('deploy')).toBe('it has not been approved');
    await gateway.setBudget(key.keyHash, { daily: 100 });
    expect((await say('I approve')).status).toBe(200);
    expect(await call('deploy')).toBeUndefined();
  });

  it('starts again when the session is ended', async () => {
    expect(await call('begin_transaction')).toBeUndefined();
    expect(await call('db_write')).toBeUndefined();
    await cli(gateway, 'sessions', 'end', key.keyHash, 'run');
    expect(await call('db_write')).toBe('begin a transaction first');
  });
});
