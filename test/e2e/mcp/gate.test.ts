import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NewKey } from '../../../src/auth/key-fields.ts';
import { riskProfileKey } from '../../../src/redis/keys.ts';
import { createFakeProvider, type FakeProvider } from '../../support/fake-provider/index.ts';
import { startGateway, type TestGateway, type TestKey } from '../../support/gateway.ts';
import { send, type Reply } from '../../support/http.ts';
import { connectClient, connectStateless, startMcpRig, type McpRig } from '../../support/mcp-rig.ts';
import type { McpRecorded } from '../../support/mcp-server.ts';
import { cli, expectRefusal } from '../budgets/rig.ts';

/** docs/mcp.md, docs/refusals.md (-32001), docs/sessions.md and docs/risk.md. */
type Name = 'files' | 'live' | 'stateless';

let rig: McpRig<Name>;
let provider: FakeProvider;
/** On the same Redis and servers, with other rules. */
let strict: TestGateway;
let shadow: TestGateway;
/** Answers of the scripted server. */
let status: number;

beforeAll(async () => {
  provider = await createFakeProvider();
  const providers = { openai: { base_url: provider.url } };
  rig = await startMcpRig(
    {
      files: {
        era: 'sessions',
        intercept({ body }, response) {
          const id = (body as { id?: unknown } | undefined)?.id;
          const result = { content: [{ type: 'text', text: 'done' }] };
          response.writeHead(status, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
          return true;
        },
      },
      live: { era: 'sessions' },
      stateless: { era: 'stateless' },
    },
    { providers, mcp: { circuit_breaker: { enabled: false } } },
  );
  const mcp = { enabled: true, servers: [{ name: 'files', url: rig.servers.files.url }] };
  const { redis } = rig.gateway;
  strict = await startGateway({
    redis,
    config: {
      mcp,
      session: { required: true, max_per_key: 2 },
      loop_detection: { action: 'block' },
      server: { strip_budget_headers: true },
    },
  });
  shadow = await startGateway({ redis, config: { mcp, server: { shadow_mode: true } } });
});
afterAll(async () => {
  await Promise.all([strict.stop(), shadow.stop()]);
  await rig.close();
  await provider.close();
});
beforeEach(() => {
  status = 200;
  rig.servers.files.requests.length = 0;
});

interface Asked {
  readonly tool?: string;
  readonly body?: object;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly gateway?: TestGateway;
  readonly id?: unknown;
  readonly args?: object;
}

async function newKey(key: Partial<NewKey> = {}) {
  const { rawKey, keyHash } = await rig.gateway.createKey(key);
  const call = ({
    tool = 'read_file',
    path = '/mcp/files',
    headers,
    gateway,
    id = 1,
    args = {},
    body,
  }: Asked = {}) =>
    send((gateway ?? rig.gateway).baseUrl, {
      path: path.replace('<key>', rawKey),
      method: 'POST',
      body: JSON.stringify(
        body ?? { jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: args } },
      ),
      headers: {
        'content-type': 'application/json',
        ...(path.includes('<key>') ? {} : { authorization: `Bearer ${rawKey}` }),
        ...headers,
      },
    });
  return { rawKey, keyHash, call };
}

/** The tools that reached the server. */
const called = (): unknown[] =>
  rig.servers.files.requests.map(
    ({ body }: McpRecorded) => (body as { params: { name: string } }).params.name,
  );

function expectDone(reply: Reply): void {
  expect([reply.status, reply.body]).toEqual([200, expect.stringContaining('done')]);
}

async function risk(keyHash: string): Promise<unknown[]> {
  return rig.gateway.redis.client.hmget(riskProfileKey(keyHash), 'risk_score', 'total_policy_blocks');
}

const inSession = (id = 'run-1') => ({ 'x-gateway-session-id': id });

async function session({ keyHash }: TestKey, id = 'run-1'): Promise<Record<string, unknown> | undefined> {
  const shown = await cli(rig.gateway, 'sessions', 'show', keyHash, id, '--output', 'json');
  return shown.code === 0 ? (JSON.parse(shown.stdout) as Record<string, unknown>) : undefined;
}

describe('allowed_tools', () => {
  it.each(['/mcp/files', '/mcp/files/tools/call', '/<key>/mcp/files', '/<key>/mcp/files/tools/call'])(
    'at %s: a tool that is not in the list is refused as JSON-RPC, with HTTP 200',
    async (path) => {
      const { call } = await newKey({ allowedTools: ['read_file', 'search'] });
      const reply = await call({ path, tool: 'run_command', id: 'call-7' });
      const reason = "this key's allowed_tools do not include it";
      expect(JSON.parse(reply.body)).toEqual({
        jsonrpc: '2.0',
        id: 'call-7',
        error: {
          code: -32001,
          message: `Error: tool [run_command] blocked. Reason: ${reason}`,
          data: {
            type: 'policy_denied',
            reason,
            tool_name: 'run_command',
            rule: 'allowed_tools',
            findings: [{ rule: 'allowed_tools', detector: 'mcp', place: 'params.name' }],
          },
        },
      });
      expect([reply.status, reply.headers]).toEqual([
        200,
        expect.objectContaining({
          'content-type': 'application/json',
          'x-gateway-policy-block': 'true',
          'x-gateway-block-reason': reason,
          'x-gateway-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        }),
      ]);
      expectDone(await call({ path }));
      expect(called()).toEqual(['read_file']);
    },
  );

  it('if absent, permit any tool, for any provider, models and budget of the key', async () => {
    const key = await newKey({ provider: 'anthropic', allowedModels: ['claude-*'] });
    await rig.gateway.setBudget(key.keyHash, { daily: 0 });
    expectDone(await key.call({ tool: 'anything at all' }));
  });

  it('apply in shadow mode', async () => {
    const { call } = await newKey({ allowedTools: ['read_file'] });
    expect((await call({ gateway: shadow, tool: 'run_command' })).body).toContain('-32001');
    expect(called()).toEqual([]);
  });

  it('cannot be bypassed by a call without an id', async () => {
    const { call } = await newKey({ allowedTools: ['read_file'] });
    const body = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'run_command' } };
    expectRefusal(await call({ body }), 400, 'invalid_request');
    expect(called()).toEqual([]);
  });

  it('add 10 to the score for each tool, once, and the score locks a key that continues', async () => {
    const { call, keyHash } = await newKey({ allowedTools: ['read_file'] });
    for (let nth = 0; nth < 3; nth++) expect((await call({ tool: 'tool-0' })).status).toBe(200);
    expect(await risk(keyHash)).toEqual(['10', '3']);
    for (let nth = 1; nth < 8; nth++) await call({ tool: `tool-${String(nth)}` });
    expect(await risk(keyHash)).toEqual(['80', '10']);
    expectRefusal(await call(), 403, 'quarantined');
  });

  it('are reported by the official client of either era as an error of its call', async () => {
    const refused = {
      code: -32001,
      message: expect.stringContaining('Error: tool [say] blocked. Reason: ') as string,
      data: { type: 'policy_denied', tool_name: 'say', rule: 'allowed_tools' },
    };
    const key = { allowedTools: ['echo'] };
    const { client } = await connectClient(await rig.access('live', { key }));
    await expect(client.callTool({ name: 'say' })).rejects.toMatchObject(refused);
    expect(await client.callTool({ name: 'echo', arguments: { text: 'aye' } })).toMatchObject({
      content: [{ text: 'aye' }],
    });
    await client.close();
    const stateless = await connectStateless(await rig.access('stateless', { key }));
    await expect(stateless.callTool({ name: 'say' })).rejects.toMatchObject(refused);
    await stateless.close();
  });
});

describe('docs/sessions.md: tools_called', () => {
  it('holds forwarded calls, in order, beside the steps of models', async () => {
    const key = await newKey({ allowedTools: ['list_files', 'read_file'] });
    const { call, rawKey } = key;
    const first = await call({ tool: 'list_files', headers: inSession() });
    expect(first.headers).toMatchObject({ 'x-gateway-session-steps': '0', 'x-gateway-session-spend': '0' });
    await call({ tool: 'run_command', headers: inSession() });
    status = 404;
    await call({ headers: inSession() });
    expect(await session(key)).toMatchObject({ steps: 0, tools_called: ['list_files'] });
    status = 500;
    await call({ headers: inSession() });
    const chat = await send(rig.gateway.baseUrl, {
      path: '/openai/v1/chat/completions',
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
      headers: {
        ...inSession(),
        authorization: `Bearer ${rawKey}`,
        'x-gateway-provider-key': 'sk-1',
        'content-type': 'application/json',
      },
    });
    expect([chat.status, chat.headers['x-gateway-session-steps']]).toEqual([200, '1']);
    expect(await session(key)).toMatchObject({ steps: 1, tools_called: ['list_files', 'read_file'] });
    status = 200;
    const last = await call({ headers: inSession() });
    expect(last.headers['x-gateway-session-steps']).toBe('1');
    expect(Number(last.headers['x-gateway-session-spend'])).toBeGreaterThan(0);
  });

  it('is available to the next call once the answer has begun', async () => {
    const key = await newKey();
    for (let nth = 0; nth < 5; nth++) {
      expectDone(await key.call({ tool: `tool-${String(nth)}`, headers: inSession() }));
      const shown = await session(key);
      expect(shown?.['tools_called']).toHaveLength(nth + 1);
    }
  });

  it('belongs to the MCP session if the client names no session, until that ends', async () => {
    const access = await rig.access('live');
    const { client, transport } = await connectClient(access);
    await client.callTool({ name: 'echo', arguments: { text: 'a' } });
    await client.callTool({ name: 'say' });
    const id = transport.sessionId ?? '';
    const own = { rawKey: access.rawKey, keyHash: access.keyHash };
    expect(await session(own, id)).toMatchObject({ steps: 0, tools_called: ['echo', 'say'] });
    await transport.terminateSession();
    await vi.waitFor(async () => expect(await session(own, id)).toBeUndefined());
    await client.close();
  });

  it('gets no session from a denied call', async () => {
    const key = await newKey({ allowedTools: [] });
    await key.call({ headers: inSession() });
    expect(await session(key)).toBeUndefined();
  });

  it('is separate for two keys with sessions of one name', async () => {
    const [one, other] = [await newKey(), await newKey()];
    await one.call({ tool: 'a', headers: inSession() });
    await other.call({ tool: 'b', headers: inSession() });
    expect((await session(one))?.['tools_called']).toEqual(['a']);
  });
});

describe('sessions and loops of calls, with limits', () => {
  const strictly = (more: Asked = {}): Asked => ({ gateway: strict, headers: inSession(), ...more });

  it('session.required refuses a call without a session, and no other message', async () => {
    const { call } = await newKey();
    expectRefusal(await call(strictly({ headers: {} })), 400, 'invalid_request');
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await call(strictly({ headers: {}, body: list }))).status).toBe(200);
    expectDone(await call(strictly()));
  });

  it('session.max_per_key counts sessions with tool calls', async () => {
    const { call } = await newKey();
    for (const id of ['a', 'b']) expectDone(await call(strictly({ headers: inSession(id) })));
    expectRefusal(await call(strictly({ headers: inSession('c') })), 429, 'session_limit_exceeded');
    expectDone(await call(strictly({ headers: inSession('a'), tool: 'other' })));
  });

  it('a loop keeps its HTTP status', async () => {
    const { call } = await newKey();
    const again = strictly({ tool: 'search', args: { query: 'annual report' } });
    for (let nth = 0; nth < 3; nth++) expectDone(await call(again));
    expectRefusal(await call(again), 429, 'loop_detected');
    expectDone(await call(strictly({ tool: 'search', args: { query: 'weekly report' } })));
    expect(called()).toHaveLength(4);
  });

  it('strip_budget_headers removes steps and spend', async () => {
    const { call } = await newKey();
    const { headers } = await call(strictly());
    expect(Object.keys(headers).filter((name) => name.includes('session'))).toEqual([]);
  });

  it('a bad session header is a 400', async () => {
    const { call } = await newKey();
    expectRefusal(await call({ headers: inSession('a/b') }), 400, 'invalid_request');
    const limits = { 'x-gateway-session-max-steps': '3' };
    expectRefusal(await call({ headers: limits }), 400, 'invalid_request');
    expect(called()).toEqual([]);
  });
});
