import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRESET_NAMES } from '../../../src/policy/presets.ts';
import { send, type Reply } from '../../support/http.ts';
import { connectClient, connectStateless, startMcpRig, type McpRig } from '../../support/mcp-rig.ts';

/** docs/mcp-methods.md: allowed methods, and what policies judge, in both eras and both forms of answers. */
type Name = 'events' | 'documents' | 'newEvents' | 'newDocuments';
const OLD = ['events', 'documents'] as const;
const NEW = ['newEvents', 'newDocuments'] as const;
const STATELESS = '2026-07-28';

let rig: McpRig<Name>;
beforeAll(async () => {
  rig = await startMcpRig(
    {
      events: { era: 'sessions' },
      documents: { era: 'sessions', json: true },
      newEvents: { era: 'stateless' },
      newDocuments: { era: 'stateless', json: true },
    },
    { policy: { enabled: true, presets: [...PRESET_NAMES] } },
  );
});
afterAll(() => rig.close());

/** The methods that a server has received since. */
function methodsOf(name: Name, from: number): (string | undefined)[] {
  const messages = rig.servers[name].requests.slice(from).map(({ body }) => body);
  return messages.flatMap((body) => (body === undefined ? [] : [(body as { method?: string }).method]));
}

/** A server may lack the method: only the gateway is tested here. */
const ignored = (): undefined => undefined;

describe.each(OLD)('the official client up to 2025-11-25, at /mcp/%s', (name) => {
  it('can use every method that it can send', async () => {
    const { client } = await connectClient(await rig.access(name), {
      capabilities: { roots: { listChanged: true } },
    });
    const before = rig.servers[name].requests.length;
    await client.ping();
    await client.setLoggingLevel('info');
    await client.listTools();
    await client.callTool({ name: 'echo', arguments: { text: 'a' } });
    await client.listResources();
    await client.listResourceTemplates();
    await client.readResource({ uri: 'memo://greeting' });
    await client.subscribeResource({ uri: 'memo://greeting' }).catch(ignored);
    await client.unsubscribeResource({ uri: 'memo://greeting' }).catch(ignored);
    await client.listPrompts();
    await client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } });
    const ref = { type: 'ref/prompt' as const, name: 'greet' };
    await client.complete({ ref, argument: { name: 'who', value: 'A' } }).catch(ignored);
    await client.sendRootsListChanged();
    await client.experimental.tasks.listTasks().catch(ignored);
    // Tasks that the key has not started are refused (test/e2e/mcp/tasks.test.ts).
    await expect(client.experimental.tasks.getTask('t')).rejects.toThrow('unknown task');
    await expect(client.experimental.tasks.cancelTask('t')).rejects.toThrow('unknown task');
    await client.close();
    expect(methodsOf(name, before)).toEqual([
      'ping',
      'logging/setLevel',
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'resources/subscribe',
      'resources/unsubscribe',
      'prompts/list',
      'prompts/get',
      'completion/complete',
      'notifications/roots/list_changed',
      'tasks/list',
    ]);
  });
});

describe.each(NEW)('the official client of 2026-07-28, at /mcp/%s', (name) => {
  it('can use every method that it can send', async () => {
    const before = rig.servers[name].requests.length;
    const client = await connectStateless(await rig.access(name));
    await client.listTools();
    await client.callTool({ name: 'echo', arguments: { text: 'a' } });
    await client.listResources();
    await client.listResourceTemplates();
    await client.readResource({ uri: 'memo://greeting' });
    await client.listPrompts();
    await client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } });
    const ref = { type: 'ref/prompt' as const, name: 'greet' };
    await client.complete({ ref, argument: { name: 'who', value: 'A' } }).catch(ignored);
    const listening = await client.listen({
      toolsListChanged: true,
      resourceSubscriptions: ['memo://greeting'],
    });
    await listening.close();
    await client.close();
    expect(methodsOf(name, before)).toEqual([
      'server/discover',
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/templates/list',
      'resources/read',
      'prompts/list',
      'prompts/get',
      'completion/complete',
      'subscriptions/listen',
      'notifications/cancelled',
    ]);
  });
});

const SSH_KEY = 'file:///home/bob/.ssh/id_rsa';
const PASSWD = 'file:///workspace/../../../../etc/passwd';
const COMPLETE = {
  ref: { type: 'ref/prompt', name: 'greet' },
  argument: { name: 'who', value: '../../../../etc/passwd' },
};

/** A message as a client of the server's era writes it, without an SDK. */
async function post(
  name: Name,
  method: string,
  params: Readonly<Record<string, unknown>>,
  key: { readonly allowedTools?: string[] } = {},
): Promise<Reply> {
  const { url, headers } = await rig.access(name, { key });
  const isNew = name === 'newEvents' || name === 'newDocuments';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': STATELESS,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const target = params['name'] ?? params['uri'] ?? params['taskId'];
  const mirrored = {
    'mcp-protocol-version': STATELESS,
    'mcp-method': method,
    ...(typeof target === 'string' && { 'mcp-name': target }),
  };
  return send(rig.gateway.baseUrl, {
    path: url.pathname,
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { ...params, ...(isNew && { _meta }) } }),
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(isNew && mirrored),
    },
  });
}

/** Sends a message that must be refused as JSON-RPC, and expects that nothing reached the server. */
async function expectRefused(name: Name, sending: () => Promise<Reply>, rule: unknown): Promise<void> {
  const before = rig.servers[name].requests.length;
  const { status, body, headers } = await sending();
  expect(rig.servers[name].requests).toHaveLength(before);
  expect([status, JSON.parse(body)]).toEqual([
    200,
    {
      jsonrpc: '2.0',
      id: 7,
      error: {
        code: -32001,
        message: expect.stringMatching(/^Error: (?:method|tool) \[.+\] blocked\. Reason: /) as string,
        data: expect.objectContaining({ type: 'policy_denied', rule }) as object,
      },
    },
  ]);
  expect(headers['x-gateway-policy-block']).toBe('true');
}

describe.each([...OLD, ...NEW])('at /mcp/%s', (name) => {
  const isNew = name === 'newEvents' || name === 'newDocuments';

  it.each<[string, Record<string, unknown>]>([
    ['resources/read', { uri: PASSWD }],
    ['resources/read', { uri: SSH_KEY }],
    ['resources/read', { uri: 'file:///workspace/%2e%2e/%2e%2e/etc/shadow' }],
    ['resources/read', { uri: 'file:///C:/Users/bob/.ssh/id_rsa' }],
    ...(isNew
      ? [
          ['subscriptions/listen', { notifications: { resourceSubscriptions: [SSH_KEY] } }] as [
            string,
            Record<string, unknown>,
          ],
        ]
      : [['resources/subscribe', { uri: SSH_KEY }] as [string, Record<string, unknown>]]),
    ['prompts/get', { name: 'greet', arguments: { who: '../../../../etc/passwd' } }],
    ['completion/complete', COMPLETE],
    [
      'completion/complete',
      { ...COMPLETE, argument: { name: 'who', value: 'A' }, context: { arguments: { of: SSH_KEY } } },
    ],
    ['tools/call', { name: 'echo', arguments: { text: 'a' }, task: { of: SSH_KEY } }],
    ['tools/list', { cursor: 'a', path: SSH_KEY }],
  ])('a climbing path is denied: %s %j', async (method, params) => {
    await expectRefused(
      name,
      () => post(name, method, params),
      expect.stringMatching(/^block-(path-traversal|system-paths)$/),
    );
  });

  it.each<[string, Record<string, unknown>]>([
    ['tools/run', { name: 'echo', arguments: {} }],
    ['call_tool', { name: 'echo' }],
    ['tasks/create', { method: 'tools/call', params: { name: 'echo' } }],
    ['constructor', {}],
    [isNew ? 'resources/subscribe' : 'subscriptions/listen', { uri: 'memo://a' }],
  ])('a method of another era is refused: %s', async (method, params) => {
    await expectRefused(name, () => post(name, method, params), 'unknown_methods');
  });

  it.each(['tools//call', 'Tools/Call', 'tools/call/', 'TOOLS_CALL', 'resources//read'])(
    'another spelling of a method is refused: %s',
    async (method) => {
      const before = rig.servers[name].requests.length;
      const { status, body } = await post(name, method, { name: 'echo', arguments: {} });
      expect([status, body]).toEqual([400, expect.stringContaining('"code":-32600')]);
      expect(rig.servers[name].requests).toHaveLength(before);
    },
  );

  it.each<[string, Record<string, unknown>]>([
    ['resources/read', { uri: 'memo://greeting' }],
    ['prompts/get', { name: 'greet', arguments: { who: 'Ada' } }],
    ['completion/complete', { ...COMPLETE, argument: { name: 'who', value: 'A' } }],
    ['tools/call', { name: 'echo', arguments: { text: 'a' } }],
    ['tools/list', { name: 'echo', arguments: { text: 'a' } }],
  ])('a key that may call no tool is refused %s', async (method, params) => {
    await expectRefused(name, () => post(name, method, params, { allowedTools: [] }), 'allowed_tools');
  });
});

describe('if an operator allows unknown methods', () => {
  let open: McpRig<'events'>;
  beforeAll(async () => {
    open = await startMcpRig(
      { events: { era: 'sessions' } },
      { mcp: { unknown_methods: 'allow' }, policy: { enabled: true, presets: [...PRESET_NAMES] } },
    );
  });
  afterAll(() => open.close());

  it.each<[string, object, boolean]>([
    ['tools/run', { path: 'notes.txt' }, true],
    ['tools/run', { path: PASSWD }, false],
    ['tools//call', { name: 'echo' }, false],
  ])('%s %j: policies judge it, and other spellings are still refused', async (method, params, passes) => {
    const { url, headers } = await open.access('events');
    const before = open.servers.events.requests.length;
    await send(open.gateway.baseUrl, {
      path: url.pathname,
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    });
    expect(open.servers.events.requests.length - before).toBe(passes ? 1 : 0);
  });
});
