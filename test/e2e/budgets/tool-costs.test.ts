import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAccount } from '../../support/account.ts';
import { connectClient } from '../../support/mcp-rig.ts';
import { startMcpServer, type McpTestServer } from '../../support/mcp-server.ts';
import { cli, expectRefusal, startBudgets, type Budgets } from './rig.ts';

/** docs/budgets.md, "Tools of MCP servers". */
const ECHO_USD = 0.005;
const NANO = 1_000_000_000;

let server: McpTestServer;
let rig: Budgets;
beforeAll(async () => {
  server = await startMcpServer({ era: 'sessions', json: true });
  rig = await startBudgets({
    spend: { enabled: true },
    budgets: [
      { name: 'maps', match: { mcp_servers: ['maps'] }, daily: 0.02 },
      { name: 'gpt', match: { models: ['gpt*'] }, daily: 0 },
      { name: 'everything', match: {}, monthly: 100 },
    ],
    mcp: {
      enabled: true,
      servers: [
        { name: 'maps', url: server.url, tool_costs: { echo: ECHO_USD, '*': 0 } },
        { name: 'names', url: server.url, tool_costs: { echo: ECHO_USD, echo_free: 0 } },
      ],
    },
  });
});
afterAll(async () => {
  await rig.close();
  await server.close();
});

async function mcpClient(budget = { daily: 1 }, name = 'maps') {
  const { rawKey, keyHash } = await rig.gateway.createKey({ owner: 'jane' }, budget);
  const url = new URL(`${rig.gateway.baseUrl}/mcp/${name}`);
  const { client } = await connectClient({ url, headers: { authorization: `Bearer ${rawKey}` } });
  return { client, keyHash };
}

const account = (name: string) => readAccount(rig.redis, `budget:${name}`);
const echo = { name: 'echo', arguments: { text: 'hello' } };

describe('a call of a tool with a price', () => {
  it('is charged to its key and to the budgets of its server, and refused beyond them', async () => {
    const { client, keyHash } = await mcpClient();
    await client.callTool({ name: 'say', arguments: {} });
    expect(await readAccount(rig.redis, keyHash)).toEqual({ spent: 0, reserved: 0 });
    for (let call = 0; call < 4; call += 1) await client.callTool(echo);
    const spent = { spent: 4 * ECHO_USD * NANO, reserved: 0 };
    await expect.poll(() => readAccount(rig.redis, keyHash)).toEqual(spent);
    await expect.poll(() => account('maps')).toEqual(spent);
    expect([await account('everything'), await account('gpt')]).toEqual([spent, { spent: 0, reserved: 0 }]);

    const before = server.requests.length;
    await expect(client.callTool(echo)).rejects.toThrow(/the daily budget maps/);
    expect(server.requests).toHaveLength(before);
    await client.callTool({ name: 'say', arguments: {} });
    await client.close();

    const { stdout } = await cli(rig.gateway, 'spend', '--by', 'tool', '--output', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ rows: [{ tool: 'maps/echo', usd: 4 * ECHO_USD }] });
  });

  it('does not affect calls of models, which only their own budgets refuse', async () => {
    const client = await rig.newClient();
    expectRefusal(await client.ask({ model: 'gpt-5' }), 429, 'budget_exceeded');
    expect((await client.ask()).status).toBe(200);
  });
});

describe('a call of a tool under another spelling, which a server may accept', () => {
  it.each(['Echo', 'ECHO', 'echo ', 'e-cho', 'names.echo', 'mcp__names__echo'])(
    'costs its price: %j',
    async (name) => {
      const { client, keyHash } = await mcpClient({ daily: 1 }, 'names');
      await client.callTool({ name, arguments: {} }).catch(() => undefined);
      await expect
        .poll(() => readAccount(rig.redis, keyHash))
        .toEqual({ spent: ECHO_USD * NANO, reserved: 0 });
      await client.close();
    },
  );

  it('does not apply to a name with its own price, or to an unlike one', async () => {
    const { client, keyHash } = await mcpClient({ daily: 1 }, 'names');
    for (const name of ['echo_free', 'echoes'])
      await client.callTool({ name, arguments: {} }).catch(() => undefined);
    expect(await readAccount(rig.redis, keyHash)).toEqual({ spent: 0, reserved: 0 });
    await client.close();
  });
});
