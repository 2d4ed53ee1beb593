import { describe, expect, it } from 'vitest';
import { policyCallOf } from '../../../../src/checks/policy/policy-call.ts';
import { createCardSet } from '../../../../src/policy/cards/card-set.ts';
import { PRESET_NAMES } from '../../../../src/policy/presets.ts';
import { mcpExchange } from '../../../support/mcp-exchange.ts';
import { presetCards } from '../../../support/policy-cards.ts';

const send = (method: string, params: object, more: object = { id: 1 }) =>
  mcpExchange({ body: { jsonrpc: '2.0', method, params, ...more } });

const requestOf = (method: string, params: object, more?: object) =>
  policyCallOf(send(method, params, more))?.input.request;

const PRESETS = createCardSet(presetCards(...PRESET_NAMES));

describe('a call of an MCP server as policies see it', () => {
  const uri = 'memo://a';
  const meta = { _meta: { progressToken: 1 } };

  it.each<[string, object, object]>([
    [
      'resources/read',
      { uri, ...meta },
      { method: 'mcp_resource_read', resource_uri: uri, arguments: { uri } },
    ],
    ['resources/directory/read', { uri }, { method: 'mcp_resource_read', resource_uri: uri }],
    ['skills/get', { uri }, { method: 'mcp_resource_read', resource_uri: uri }],
    ['resources/subscribe', { uri }, { method: 'mcp_resource_subscribe', resource_uri: uri }],
    ['resources/unsubscribe', { uri }, { method: 'mcp_resource_subscribe', resource_uri: uri }],
    [
      'subscriptions/listen',
      { notifications: { toolsListChanged: true, resourceSubscriptions: [uri, 'memo://b'] } },
      { method: 'mcp_resource_subscribe', resource_uri: 'memo://a\nmemo://b' },
    ],
    [
      'prompts/get',
      { name: 'greet', arguments: { who: 'Ada' } },
      { method: 'mcp_prompt_get', prompt_name: 'greet', arguments: { who: 'Ada' } },
    ],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'A' } },
      { method: 'mcp_completion', prompt_name: 'greet', resource_uri: '' },
    ],
    [
      'completion/complete',
      { ref: { type: 'ref/resource', uri: 'memo://{who}' }, argument: { name: 'who', value: 'A' } },
      { method: 'mcp_completion', resource_uri: 'memo://{who}', prompt_name: '' },
    ],
    ['tasks/get', { taskId: 't' }, { method: 'mcp_task', arguments: { taskId: 't' } }],
    ['tasks/update', { taskId: 't', inputResponses: {} }, { method: 'mcp_task' }],
    ['tools/run', { name: 'rm' }, { method: 'mcp_other', arguments: { name: 'rm' } }],
    ['tools/list', { name: 'rm' }, { method: 'mcp_other', arguments: { name: 'rm' } }],
    ['ping', { path: '/etc' }, { method: 'mcp_other' }],
  ])('%s', (method, params, expected) => {
    expect(requestOf(method, params)).toMatchObject({
      mcp_method: method,
      mcp_server: 'files',
      path: '/mcp/files',
      tool_name: '',
      ...expected,
    });
  });

  it('is a notification with additional members, and a client’s answer', () => {
    const reason = { requestId: 1, reason: 'slow', command: 'rm' };
    expect(requestOf('notifications/cancelled', reason, {})).toMatchObject({ method: 'mcp_other' });
    const body = { jsonrpc: '2.0', id: 1, result: { action: 'accept', content: { a: 'b' } } };
    expect(policyCallOf(mcpExchange({ body }))?.input.request).toMatchObject({
      method: 'mcp_client_response',
      mcp_method: '',
      arguments: body.result,
    });
  });

  it.each<[string, object, object?]>([
    ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x' } }],
    ['ping', {}],
    ['tools/list', { cursor: 'c', ...meta }],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['tasks/list', {}],
    ['logging/setLevel', { level: 'info' }],
    ['server/discover', meta],
    ['subscriptions/listen', { notifications: { toolsListChanged: true } }],
    ['notifications/initialized', {}, {}],
    ['notifications/cancelled', { requestId: 1, reason: 'slow' }, {}],
    ['notifications/progress', { progressToken: 1, progress: 1, total: 2, message: 'm' }, {}],
    ['notifications/roots/list_changed', {}, {}],
  ])('does not exist if it names nothing: %s', (method, params, more) => {
    expect(requestOf(method, params, more)).toBeUndefined();
  });

  it('does not exist if a client answers with nothing', () => {
    const body = { jsonrpc: '2.0', id: 1, result: {} };
    expect(policyCallOf(mcpExchange({ body }))).toBeUndefined();
  });
});

const PATHS = [
  'file:///workspace/../../../../etc/passwd',
  'file:///workspace/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
  'file:///workspace/%252e%252e%252f%252e%252e%252fetc%252fpasswd',
  'file:///workspace/..%2f..%2f..%2fetc%2fshadow',
  'file:///workspace/..\\..\\..\\etc\\passwd',
  'file:///home/bob/.ssh/id_rsa',
  'file:///home/bob/%2essh/id_rsa',
  'file://localhost/home/bob/.aws/credentials',
  'file:/etc/passwd',
  'file:etc/passwd',
  'file:///%65tc/passwd',
  'fs://home/bob/.ssh/id_rsa',
  'FILE:///Users/bob/.ssh/config',
  'file:///C:/Users/bob/.ssh/id_rsa',
  'C:\\Users\\bob\\.ssh\\id_rsa',
  'file:///C:/Windows/System32/config/SAM',
  'file:///c%3A/windows/win.ini',
  '/proc/self/environ',
  '/proc/self/root/etc/shadow',
  '/private/etc/passwd',
  '/run/secrets/kubernetes.io/serviceaccount/token',
  'file:////etc/passwd',
  'file:///e\ntc/passwd',
  'file:///C|/Windows/win.ini',
  'file://localhost/c$/windows/win.ini',
  '\\\\localhost\\c$\\windows\\win.ini',
  '\\\\?\\C:\\Windows\\win.ini',
  '\\\\.\\C:\\Windows',
  '//?/UNC/localhost/C$/Windows/win.ini',
  '/mnt/c/Windows/win.ini',
  '%SystemRoot%\\System32\\config\\SAM',
  '~/.ssh/id_ed25519',
];

describe('the presets find a path out of its folder in', () => {
  const places: readonly [string, (path: string) => ReturnType<typeof send>][] = [
    ['resources/read', (uri) => send('resources/read', { uri })],
    ['resources/subscribe', (uri) => send('resources/subscribe', { uri })],
    ['resources/unsubscribe', (uri) => send('resources/unsubscribe', { uri })],
    ['resources/directory/read', (uri) => send('resources/directory/read', { uri })],
    [
      'subscriptions/listen',
      (uri) => send('subscriptions/listen', { notifications: { resourceSubscriptions: ['memo://a', uri] } }),
    ],
    ['prompts/get', (path) => send('prompts/get', { name: 'p', arguments: { file: path } })],
    [
      'an argument of completion/complete',
      (path) =>
        send('completion/complete', {
          ref: { type: 'ref/prompt', name: 'p' },
          argument: { name: 'file', value: path },
        }),
    ],
    [
      'the context of completion/complete',
      (path) =>
        send('completion/complete', {
          ref: { type: 'ref/prompt', name: 'p' },
          argument: { name: 'a', value: 'b' },
          context: { arguments: { dir: path } },
        }),
    ],
    [
      'the reference of completion/complete',
      (uri) =>
        send('completion/complete', {
          ref: { type: 'ref/resource', uri },
          argument: { name: 'a', value: 'b' },
        }),
    ],
    ['tasks/get', (path) => send('tasks/get', { taskId: path })],
    [
      'the task of tools/call',
      (path) => send('tools/call', { name: 'read', arguments: {}, task: { of: path } }),
    ],
    ['a tool of tools/call', (path) => send('tools/call', { name: 'read', arguments: { deep: [{ path }] } })],
    [
      'a tools/call within another method',
      (path) => send('tasks/create', { method: 'tools/call', params: { arguments: { path } } }),
    ],
    ['a member name', (path) => send('tasks/update', { taskId: 't', [path]: true })],
    [
      'the answer of a client',
      (path) => mcpExchange({ body: { jsonrpc: '2.0', id: 1, result: { content: { path } } } }),
    ],
  ];

  it.each(places)('%s', async (_where, at) => {
    for (const path of PATHS) {
      const call = policyCallOf(at(path));
      const rules = call === undefined ? [] : (await PRESETS.decide(call)).deny.map(({ rule }) => rule);
      expect([path, rules.some((rule) => /^block-(path-traversal|system-paths)$/.test(rule))]).toEqual([
        path,
        true,
      ]);
    }
  });

  it.each([
    'file:///workspace/notes.md',
    'file:///workspace/a%20b/etc/notes.md',
    'memo://root/greeting',
    'https://example.com/etc/passwd.html',
    'docs://proc/a',
    'src/etc/config.ts',
    'C:\\work\\notes.txt',
    'file://fileserver/share/notes.txt',
    '//fileserver/share/etc/notes.txt',
    '/mnt/c/work/notes.txt',
    'ui://widget/..hidden/a',
  ])('no URL that stays in its folder: %s', async (uri) => {
    const call = policyCallOf(send('resources/read', { uri }));
    expect(call === undefined ? undefined : (await PRESETS.decide(call)).deny).toEqual([]);
  });

  it('and a credential, in a URL as in arguments', async () => {
    const secret = `ghp_${'Zk4t9Qm2vX7pLrB1'.repeat(3).slice(0, 36)}`;
    for (const exchange of [
      send('resources/read', { uri: `memo://notes?token=${secret}` }),
      send('prompts/get', { name: 'p', arguments: { a: secret } }),
    ]) {
      const call = policyCallOf(exchange);
      const denied = call === undefined ? [] : (await PRESETS.decide(call)).deny;
      expect(denied.map(({ rule }) => rule)).toContain('block-credentials');
    }
  });
});
