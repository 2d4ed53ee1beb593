import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { ConfigInput } from '../../../../src/config/schema.ts';
import { defaultConfig } from '../../../support/default-config.ts';
import { startTestRedis, type TestRedis } from '../../../support/redis.ts';
import { startTestSidecar, type Seen, type TestSidecar } from '../../../support/settings/sidecar.ts';

/** docs/mcp-methods.md: an allowlist for each protocol era, and policies for every name. */
let redis: TestRedis;
let sidecar: TestSidecar;
let permissive: TestSidecar;

function settings(unknown_methods: 'deny' | 'allow'): ConfigInput {
  return {
    server: { log_level: 'error' },
    audit: { enabled: true, stdout: false },
    policy: { enabled: true, policy_dir: '/nowhere', presets: ['safety', 'mcp_sandbox', 'zero_trust'] },
    mcp: { enabled: true, unknown_methods, servers: [{ name: 'files', url: 'https://files.test/mcp' }] },
    redis: { addr: redis.addr },
  };
}

beforeAll(async () => {
  redis = await startTestRedis();
  const env = { SERVER_INSECURE_DEV: 'true' };
  sidecar = await startTestSidecar(defaultConfig(settings('deny'), env), redis);
  permissive = await startTestSidecar(defaultConfig(settings('allow'), env), redis);
});
afterAll(async () => {
  await sidecar.close();
  await permissive.close();
  await redis.close();
});

const STATELESS = '2026-07-28';
type Era = 'session' | 'stateless';

function messageOf(method: string, params: object, era: Era) {
  const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': STATELESS } };
  const sent = era === 'session' ? params : { ...params, ...meta };
  const named = params as { name?: string; uri?: string; taskId?: string };
  const name = named.name ?? named.uri ?? named.taskId;
  const repeats = ['tools/call', 'prompts/get', 'resources/read'].includes(method) && name !== undefined;
  return {
    body: { jsonrpc: '2.0', id: 1, method, params: sent },
    headers: {
      accept: 'application/json, text/event-stream',
      ...(era === 'stateless' && {
        'mcp-protocol-version': STATELESS,
        'mcp-method': method,
        ...(repeats && { 'mcp-name': name }),
      }),
    },
  };
}

async function ask(
  method: string,
  params: object,
  {
    era = 'session',
    on = sidecar,
    allowedTools,
  }: { era?: Era; on?: TestSidecar; allowedTools?: string[] } = {},
): Promise<Seen> {
  const { rawKey } = await on.newKey(allowedTools === undefined ? {} : { allowedTools });
  return on.ask({
    rawKey,
    path: '/mcp/files',
    ...messageOf(method, params, era),
    answer: { body: { jsonrpc: '2.0', id: 1, result: {} } },
  });
}

const UNKNOWN = [
  'tools/run',
  'call_tool',
  'tools/callTool',
  'tasks/create',
  'roots/list',
  'sampling/createMessage',
  'x',
  'constructor',
  '__proto__',
];
const MISSPELT = [
  'tools//call',
  'Tools/Call',
  'tools/call ',
  'tools.call',
  'ｔools/call',
  'RESOURCES/READ',
  'tools/ca\u200bll',
];

describe.each<Era>(['session', 'stateless'])('in the %s era', (era) => {
  it.each(UNKNOWN)('%j is not a method, and nothing is sent', async (method) => {
    for (const allowedTools of [undefined, []]) {
      const params = { name: 'read', arguments: { path: 'a' } };
      const seen = await ask(method, params, { era, ...(allowedTools && { allowedTools }) });
      expect(seen.upstream).toBeUndefined();
      expect(JSON.parse(seen.body)).toMatchObject({
        error: { code: -32001, data: { type: 'policy_denied', rule: 'unknown_methods' } },
      });
    }
  });

  it.each(MISSPELT)('%j is another spelling of a method, under allow too', async (method) => {
    for (const on of [sidecar, permissive]) {
      const seen = await ask(method, { name: 'read', uri: 'file:///a' }, { era, on });
      expect([seen.upstream, seen.status]).toEqual([undefined, expect.toBeOneOf([200, 400])]);
    }
  });

  it('an unknown method passes under allow, judged by policies, and not for a key with a list of tools', async () => {
    expect(await ask('x/run', { a: 'b' }, { era, on: permissive })).toMatchObject({ status: 200 });
    expect((await ask('x/run', { a: 'b' }, { era, on: permissive })).upstream).toBeDefined();
    expect(
      (await ask('x/run', { a: '../../../../etc/passwd' }, { era, on: permissive })).upstream,
    ).toBeUndefined();
    expect(
      (await ask('x/run', { a: 'b' }, { era, on: permissive, allowedTools: [] })).upstream,
    ).toBeUndefined();
  });

  it.each<[string, object]>([
    ['tools/list', {}],
    ['tools/call', { name: 'read', arguments: { path: 'notes.txt' } }],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'file:///workspace/notes.txt' }],
    ['prompts/list', {}],
    ['prompts/get', { name: 'greet', arguments: { who: 'Ada' } }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'A' } },
    ],
    ...(era === 'session' ? [['ping', {}] satisfies [string, object]] : []),
  ])('%s passes', async (method, params) => {
    expect((await ask(method, params, { era })).upstream).toBeDefined();
  });

  // The detectors' tests have every spelling.
  it.each([
    'file:///workspace/../../../../etc/passwd',
    'file:///home/bob/.ssh/id_rsa',
    '..\\..\\x',
    '..%c0%afx',
  ])('%s is denied under any member', async (uri) => {
    const asked: [string, object][] = [
      ['resources/read', { uri }],
      ['prompts/get', { name: 'show', arguments: { file: uri } }],
      [
        'completion/complete',
        { ref: { type: 'ref/resource', uri: 'file:///{path}' }, argument: { name: 'path', value: uri } },
      ],
      [
        'completion/complete',
        {
          ref: { type: 'ref/prompt', name: 'show' },
          argument: { name: 'a', value: 'b' },
          context: { arguments: { file: uri } },
        },
      ],
      ['tools/call', { name: 'read', arguments: { path: uri } }],
      era === 'session'
        ? ['resources/subscribe', { uri }]
        : ['subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }],
    ];
    for (const [method, params] of asked) {
      const { upstream, body } = await ask(method, params, { era });
      expect([method, upstream?.body]).toEqual([method, undefined]);
      expect(body).toContain('policy_denied');
    }
  });
});

it.each([
  { options: { files: [{ path: '../x' }] } },
  { paths: ['a.txt', 'b/../../x'] },
  { deep: [[[{ a: { b: ['/workspace/../x'] } }]]] },
  { '../x': true },
  { path: '\uff0e\uff0e\uff0fx' },
])('a path that leaves its folder is denied anywhere in the arguments: %j', async (args) => {
  const { upstream, body } = await ask('tools/call', { name: 'read', arguments: args });
  expect(upstream).toBeUndefined();
  expect(body).toContain('policy_denied');
});

it.each([
  { path: './a/../b' },
  { path: 'src/../test/x.ts' },
  { note: 'Wait ... and see ../README.md' },
  { pattern: 'src/**/*.ts' },
  { range: 'origin/main..dev' },
  { version: '>=1.0.0 <2.0.0' },
  { path: 'src/x.ts', content: "import x from '../../lib';\nimport y from '../../../lib';\n" },
  { path: 'tsconfig.json', content: '{"extends": "../../../tsconfig.json"}' },
  { old_string: "import x from '../../../lib'", new_string: "import x from '../../../../lib'" },
])('a path that stays in its folder passes, and so does other text: %j', async (args) => {
  expect((await ask('tools/call', { name: 'read', arguments: args })).upstream).toBeDefined();
});

it('a credential in the arguments of a prompt is denied', async () => {
  const params = { name: 'greet', arguments: { token: `ghp_${'Zx81kQpLm2Rt7VbN'.repeat(2)}YcDs` } };
  expect((await ask('prompts/get', params)).upstream).toBeUndefined();
});

it('notifications have an allowlist too', async () => {
  const { rawKey } = await sidecar.newKey();
  const send = (method: string): Promise<Seen> =>
    sidecar.ask({
      rawKey,
      path: '/mcp/files',
      body: { jsonrpc: '2.0', method, params: { uri: 'file:///a' } },
      answer: { status: 202, body: '' },
    });
  expect((await send('notifications/cancelled')).upstream).toBeDefined();
  for (const method of ['notifications/run', 'resources/read', 'tools/call', 'resources/subscribe']) {
    expect((await send(method)).upstream).toBeUndefined();
  }
});
