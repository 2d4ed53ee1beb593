import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewKey } from '../../src/auth/key-fields.ts';
import type { ProviderName } from '../../src/providers/provider.ts';
import { createEnvoyAdmin } from '../../src/runtime/envoy-admin.ts';
import { createFakeProvider, type FakeProvider, type Script } from '../support/fake-provider/index.ts';
import { FAKE_AWS_CREDENTIAL } from '../support/fake-provider/bedrock.ts';
import { startGateway, type TestBudget, type TestGateway } from '../support/gateway.ts';
import { send, sendRaw, type SendOptions } from '../support/http.ts';
import { gatewayProgram } from '../support/parts.ts';
import { freePort } from '../support/ports.ts';
import { descendants } from '../support/processes.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { found, mark, type Marked } from '../support/secret-search.ts';

/**
 * The issue's "How it will be judged", 5: recognisable keys go along every path of success and failure, and then
 * everything that the gateway leaves behind is searched for them.
 */
const PROVIDERS = ['openai', 'anthropic', 'gemini', 'azure', 'cohere', 'bedrock', 'groq', 'vllm'] as const;
const REDIS_PASSWORD = 'redis-password-Zk3vN8qL2xW7';
const ALERT_SECRET = 'whsec_Q2h1Y2tOb3JyaXNXYXNIZXJl';

let redis: TestRedis;
let provider: FakeProvider;
let gateway: TestGateway;
let monitor: Socket;
let monitored = '';
/** All that clients got to see, headers and bodies, but for answers that the provider made to hold a key. */
let answered = '';
const proxyKeys: Marked[] = [];
const providerKeys: Marked[] = [];

beforeAll(async () => {
  redis = await startTestRedis({
    password: REDIS_PASSWORD,
    args: ['--slowlog-log-slower-than', '0', '--slowlog-max-len', '100000'],
  });
  provider = await createFakeProvider();
  const nobody = await freePort();
  gateway = await startGateway({
    redis,
    workers: 2,
    config: {
      server: { log_level: 'debug', max_payload_bytes: 50_000, read_timeout: '1s' },
      redis: { read_timeout: '300ms', write_timeout: '300ms' },
      proxy: { upstream_timeout: '1s' },
      alerting: { secret: ALERT_SECRET },
      providers: {
        ...Object.fromEntries(PROVIDERS.map((name) => [name, { base_url: provider.url }])),
        groq: { base_url: `http://127.0.0.1:${String(nobody)}` },
      },
    },
  });
  monitor = connect(redis.port, '127.0.0.1', () => monitor.write(`AUTH ${REDIS_PASSWORD}\r\nMONITOR\r\n`));
  monitor.on('data', (chunk) => (monitored += chunk.toString('latin1')));
  monitor.on('error', () => undefined);
});
afterAll(async () => {
  monitor.destroy();
  await gateway.stop();
  await provider.close();
  await redis.close();
});

/** What one case sends: a proxy key and a provider key that nobody else has. */
interface Pair {
  readonly proxyKey: string;
  readonly keyHash: string;
  readonly providerKey: string;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const MESSAGES = [{ role: 'user', content: 'hi' }];
const CHAT = JSON.stringify({ model: 'gpt-4o', max_tokens: 20, messages: MESSAGES });
const STREAM = JSON.stringify({ model: 'gpt-4o', max_tokens: 20, messages: MESSAGES, stream: true });
const CLAUDE = JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 20, messages: MESSAGES });
const GEMINI = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] });
const CONVERSE = JSON.stringify({ messages: [{ role: 'user', content: [{ text: 'hi' }] }] });
const CHAT_PATH = '/openai/v1/chat/completions';
const MODEL = 'anthropic.claude-3-5-sonnet-20240620-v1:0';

function newProviderKey(name: string, value = `sk-${randomBytes(24).toString('base64url')}`): string {
  providerKeys.push(mark(`${name}: provider key`, value));
  return value;
}

async function newPair(name: string, key: Partial<NewKey> = {}, budget?: TestBudget): Promise<Pair> {
  const { rawKey, keyHash } = await gateway.createKey({ allowedProviders: [...PROVIDERS], ...key }, budget);
  proxyKeys.push(mark(`${name}: proxy key`, rawKey));
  return { proxyKey: rawKey, keyHash, providerKey: newProviderKey(name) };
}

/** A key of the right form that nobody has created. */
function unknownKey(name: string): string {
  const rawKey = `gw-${randomBytes(32).toString('base64url')}`;
  proxyKeys.push(mark(`${name}: unknown proxy key`, rawKey));
  return rawKey;
}

async function sent(options: SendOptions): Promise<number> {
  const reply = await send(gateway.baseUrl, options);
  answered += `${JSON.stringify(reply.headers)}\n${reply.body}\n`;
  return reply.status;
}

const header = ({ proxyKey, providerKey }: Pair): Record<string, string> => ({
  authorization: `Bearer ${proxyKey}`,
  'x-gateway-provider-key': providerKey,
  ...JSON_TYPE,
});
const bearer = ({ providerKey }: Pair): Record<string, string> => ({
  authorization: `Bearer ${providerKey}`,
  ...JSON_TYPE,
});

const byPath = (pair: Pair, body = CHAT): SendOptions => ({
  path: `/${pair.proxyKey}${CHAT_PATH}`,
  headers: bearer(pair),
  body,
});
const byHeader = (pair: Pair, body = CHAT): SendOptions => ({
  path: CHAT_PATH,
  headers: header(pair),
  body,
});

type Case = readonly [name: string, status: number, request: (pair: Pair) => SendOptions];

const SUCCESSES: readonly Case[] = [
  ['header auth', 200, (pair) => byHeader(pair)],
  ['header auth, stream', 200, (pair) => byHeader(pair, STREAM)],
  ['path auth', 200, (pair) => byPath(pair)],
  ['path auth, stream', 200, (pair) => byPath(pair, STREAM)],
  [
    'path auth, chunked',
    200,
    (pair) => ({ path: `/${pair.proxyKey}${CHAT_PATH}`, headers: bearer(pair), body: CHAT, chunked: true }),
  ],
  [
    'a list of models',
    200,
    (pair) => ({ path: `/${pair.proxyKey}/openai/v1/models`, headers: bearer(pair) }),
  ],
  [
    'x-api-key',
    200,
    ({ proxyKey, providerKey }) => ({
      path: '/anthropic/v1/messages',
      headers: {
        'x-api-key': proxyKey,
        'x-gateway-provider-key': providerKey,
        'anthropic-version': '2023-06-01',
        ...JSON_TYPE,
      },
      body: CLAUDE,
    }),
  ],
  [
    'x-api-key under path auth',
    200,
    ({ proxyKey, providerKey }) => ({
      path: `/${proxyKey}/anthropic/v1/messages`,
      headers: { 'x-api-key': providerKey, 'anthropic-version': '2023-06-01', ...JSON_TYPE },
      body: CLAUDE,
    }),
  ],
  [
    'x-goog-api-key',
    200,
    ({ proxyKey, providerKey }) => ({
      path: '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
      headers: { 'x-goog-api-key': proxyKey, 'x-gateway-provider-key': providerKey, ...JSON_TYPE },
      body: GEMINI,
    }),
  ],
  [
    '?key= with the proxy key',
    200,
    ({ proxyKey, providerKey }) => ({
      path: `/gemini/v1beta/models/gemini-2.5-flash:generateContent?alt=json&key=${proxyKey}`,
      headers: { 'x-gateway-provider-key': providerKey, ...JSON_TYPE },
      body: GEMINI,
    }),
  ],
  [
    '?key= with the provider key',
    200,
    ({ proxyKey, providerKey }) => ({
      path: `/${proxyKey}/gemini/v1beta/models/gemini-2.5-flash:generateContent?key=${providerKey}`,
      headers: JSON_TYPE,
      body: GEMINI,
    }),
  ],
  [
    'api-key',
    200,
    ({ proxyKey, providerKey }) => ({
      path: '/azure/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21',
      headers: { 'api-key': proxyKey, 'x-gateway-provider-key': providerKey, ...JSON_TYPE },
      body: CHAT,
    }),
  ],
  [
    'cohere',
    200,
    (pair) => ({
      path: '/cohere/v2/chat',
      headers: header(pair),
      body: JSON.stringify({ model: 'command-r', messages: MESSAGES }),
    }),
  ],
  [
    'bedrock with an API key',
    200,
    (pair) => ({ path: `/bedrock/model/${MODEL}/converse`, headers: header(pair), body: CONVERSE }),
  ],
  [
    'the proxy key in the prompt',
    200,
    (pair) => ({
      path: CHAT_PATH,
      headers: header(pair),
      body: CHAT.replace('"hi"', JSON.stringify(`my key is ${pair.proxyKey}.`)),
    }),
  ],
  [
    'trailers',
    200,
    (pair) => ({
      path: CHAT_PATH,
      headers: { ...header(pair), trailer: 'x-late' },
      body: CHAT,
      chunked: true,
      trailers: { 'x-late': pair.proxyKey, 'x-api-key': pair.providerKey },
    }),
  ],
];

function onPath(path: string, more: SendOptions = {}) {
  return (pair: Pair): SendOptions => ({
    headers: bearer(pair),
    body: CHAT,
    ...more,
    path: `/${pair.proxyKey}${path}`,
  });
}

const REFUSALS_AND_ODDITIES: readonly Case[] = [
  ['an unknown provider', 404, onPath('/acme/v1/chat/completions')],
  ['nothing but the key', 404, onPath('')],
  ['an MCP server', 404, onPath('/mcp/files/tools/call')],
  ['an unreadable endpoint', 403, onPath('/openai/v1/files')],
  ['an encoded slash', 400, onPath('/openai/v1/chat%2Fcompletions')],
  ['a body that is no JSON', 400, onPath(CHAT_PATH, { body: '{"model":' })],
  ['no model', 400, onPath(CHAT_PATH, { body: '{"messages":[]}' })],
  ['too large', 413, onPath(CHAT_PATH, { body: JSON.stringify({ x: 'y'.repeat(60_000) }) })],
  ['too large, chunked', 413, onPath(CHAT_PATH, { body: Buffer.alloc(17_000_000, 32), chunked: true })],
  [
    'a wrong type',
    415,
    (pair) => ({ ...onPath(CHAT_PATH)(pair), headers: { ...bearer(pair), 'content-type': 'text/plain' } }),
  ],
  [
    'a body that is no JSON, with keys in it',
    400,
    (pair) => ({
      path: CHAT_PATH,
      headers: header(pair),
      body: `{"key": ${pair.providerKey} ${pair.proxyKey}}`,
    }),
  ],
  [
    'keys as duplicate members',
    400,
    ({ proxyKey, providerKey, ...pair }) => ({
      path: CHAT_PATH,
      headers: header({ proxyKey, providerKey, ...pair }),
      body: `{"${providerKey}":1,"${providerKey}":2,"${proxyKey}":3,"${proxyKey}":4}`,
    }),
  ],
  [
    'no provider key',
    400,
    ({ proxyKey }) => ({ path: `/${proxyKey}${CHAT_PATH}`, headers: JSON_TYPE, body: CHAT }),
  ],
  [
    'two provider keys',
    400,
    (pair) => ({
      path: CHAT_PATH,
      headers: { ...header(pair), 'x-api-key': newProviderKey('two provider keys, second') },
      body: CHAT,
    }),
  ],
  [
    'a second, unknown proxy key',
    401,
    (pair) => ({
      path: `/${pair.proxyKey}${CHAT_PATH}`,
      headers: { ...bearer(pair), 'x-api-key': unknownKey('second') },
      body: CHAT,
    }),
  ],
  [
    'the proxy key in the query',
    400,
    (pair) => ({ path: `${CHAT_PATH}?note=${pair.proxyKey}`, headers: header(pair), body: CHAT }),
  ],
  [
    'the proxy key in another header',
    400,
    (pair) => ({ path: CHAT_PATH, headers: { ...header(pair), 'x-title': pair.proxyKey }, body: CHAT }),
  ],
  [
    'the proxy key in a referer',
    400,
    (pair) => ({
      path: CHAT_PATH,
      headers: { ...header(pair), referer: `http://gateway/${pair.proxyKey}/openai/` },
      body: CHAT,
    }),
  ],
  [
    'Basic authorization',
    401,
    ({ proxyKey, providerKey }) => ({
      path: CHAT_PATH,
      headers: {
        authorization: `Basic ${Buffer.from(`user:${proxyKey}`).toString('base64')}`,
        'x-gateway-provider-key': providerKey,
        ...JSON_TYPE,
      },
      body: CHAT,
    }),
  ],
  [
    "a client's own SigV4",
    401,
    ({ proxyKey, providerKey }) => ({
      path: CHAT_PATH,
      headers: {
        authorization: `AWS4-HMAC-SHA256 Credential=${proxyKey}/x, Signature=${providerKey}`,
        ...JSON_TYPE,
      },
      body: CHAT,
    }),
  ],
  [
    'a malformed AWS credential',
    400,
    (pair) => ({
      path: `/bedrock/model/${MODEL}/converse`,
      headers: { ...header(pair), 'x-gateway-provider-key': `AKIAFAKEFAKEFAKEFAKE:${pair.providerKey}:x:y` },
      body: CONVERSE,
    }),
  ],
  [
    'an unknown key in the path',
    401,
    (pair) => ({ path: `/${unknownKey('path')}${CHAT_PATH}`, headers: bearer(pair), body: CHAT }),
  ],
  [
    'an unknown key in a header',
    401,
    ({ providerKey }) => ({
      path: CHAT_PATH,
      headers: {
        authorization: `Bearer ${unknownKey('header')}`,
        'x-gateway-provider-key': providerKey,
        ...JSON_TYPE,
      },
      body: CHAT,
    }),
  ],
  [
    'a key behind dot segments and double slashes',
    200,
    (pair) => ({
      path: `/x/..//${pair.proxyKey}/./openai//v1/chat/completions`,
      headers: bearer(pair),
      body: CHAT,
    }),
  ],
  [
    'a percent-encoded key in the path',
    200,
    (pair) => ({ path: `/%67w-${pair.proxyKey.slice(3)}${CHAT_PATH}`, headers: bearer(pair), body: CHAT }),
  ],
  [
    'a key in the wrong segment',
    401,
    (pair) => ({ path: `/openai/${pair.proxyKey}/v1/chat/completions`, headers: bearer(pair), body: CHAT }),
  ],
  ...['GET', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH'].map((method): Case => [
    method,
    405,
    ({ proxyKey, providerKey }) => ({
      method,
      path: `/${proxyKey}${CHAT_PATH}`,
      headers: { authorization: `Bearer ${providerKey}` },
    }),
  ]),
  [
    'an upgrade',
    426,
    ({ proxyKey, providerKey }) => ({
      path: `/${proxyKey}/openai/v1/responses`,
      headers: { authorization: `Bearer ${providerKey}`, connection: 'Upgrade', upgrade: 'websocket' },
    }),
  ],
];

const FAILURES: readonly (readonly [string, number, Script, string])[] = [
  ["the provider's 401", 401, { status: 401 }, CHAT],
  ["the provider's 500", 500, { status: 500 }, STREAM],
  ['a provider that resets', 502, { breakOff: { at: 'before_headers', how: 'reset' } }, CHAT],
  ['a provider that breaks off', 502, { breakOff: { at: 1, how: 'reset' } }, CHAT],
  ['a provider that is silent', 504, { hold: new Promise(() => undefined) }, CHAT],
  ['a provider that stalls in a stream', 200, { breakOff: { at: 3, how: 'stall' } }, STREAM],
];

describe('keys that went along', () => {
  it.each(SUCCESSES)('success: %s', async (name, status, request) => {
    expect(await sent(request(await newPair(name)))).toBe(status);
  });

  it.each(REFUSALS_AND_ODDITIES)('odd: %s', async (name, status, request) => {
    expect(await sent(request(await newPair(name)))).toBe(status);
  });

  it.each(FAILURES)('failure: %s', async (name, status, script, body) => {
    provider.behave(script);
    const pair = await newPair(name, {}, { daily: 1 });
    expect(await sent(byPath(pair, body))).toBe(status);
    provider.behave({});
  });

  it('a provider that cannot be reached', async () => {
    const pair = await newPair('unreachable');
    const path = `/${pair.proxyKey}/groq/v1/chat/completions`;
    expect(await sent({ path, headers: bearer(pair), body: CHAT })).toBe(502);
  });

  it('a provider that repeats the key in its answer', async () => {
    const pair = await newPair('repeated');
    provider.behave({ status: 401, headers: { 'x-repeated': pair.providerKey }, text: pair.providerKey });
    const reply = await send(gateway.baseUrl, byHeader(pair));
    provider.behave({});
    expect(reply.headers['x-repeated']).toBe(pair.providerKey);
  });

  it('SigV4, with a good and with a bad credential', async () => {
    const { accessKeyId, secretAccessKey, sessionToken } = FAKE_AWS_CREDENTIAL;
    newProviderKey('AWS secret', secretAccessKey);
    const good = `${accessKeyId}:${secretAccessKey}:${sessionToken}`;
    const bad = `${accessKeyId}:${newProviderKey('bad AWS secret')}`;
    for (const [name, credential, status] of [
      ['good', good, 200],
      ['bad', bad, 403],
    ] as const) {
      const pair = await newPair(`SigV4 ${name}`);
      const headers = { ...header(pair), 'x-gateway-provider-key': credential };
      const path = `/bedrock/model/${MODEL}/converse-stream`;
      expect(await sent({ path, headers, body: CONVERSE })).toBe(status);
    }
  });

  it('a key that is revoked, locked, blocked, out of budget, or for another provider', async () => {
    const revoked = await newPair('revoked');
    await redis.client.hset(`gateway:key:${revoked.keyHash}`, 'revoked_at', String(Date.now()));
    const locked = await newPair('locked');
    await redis.client.set(`gateway:quarantine:${locked.keyHash}`, '1', 'EX', 60);
    const blocked = await newPair('blocked');
    await redis.client.hset(`gateway:risk_profile:${blocked.keyHash}`, 'risk_score', '95');
    const spent = await newPair('spent', {}, { daily: 0 });
    const foreign = await newPair('foreign', { provider: 'mistral', allowedProviders: [] as ProviderName[] });
    for (const [pair, status] of [
      [revoked, 401],
      [locked, 403],
      [blocked, 403],
      [spent, 429],
      [foreign, 403],
    ] as const) {
      expect(await sent(byPath(pair))).toBe(status);
      expect(await sent(byHeader(pair))).toBe(status);
    }
  });

  it('bytes that are hardly a request', async () => {
    const attempts: [string, (pair: Pair) => string][] = [
      [
        'CONNECT',
        ({ proxyKey }) =>
          `CONNECT ${proxyKey}:443 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${proxyKey}\r\n\r\n`,
      ],
      ['HTTP/1.0', ({ proxyKey }) => `GET /${proxyKey}/openai/v1/models HTTP/1.0\r\n\r\n`],
      [
        'a bad header',
        ({ proxyKey }) => `GET /${proxyKey}/openai/v1/models HTTP/1.1\r\nHost: x\r\nA B: ${proxyKey}\r\n\r\n`,
      ],
      ['no host', ({ proxyKey }) => `GET /${proxyKey}/openai/v1/models HTTP/1.1\r\n\r\n`],
      [
        'an unknown method',
        ({ proxyKey }) => `${proxyKey.toUpperCase()} /${proxyKey} HTTP/1.1\r\nHost: x\r\n\r\n`,
      ],
      [
        'an absolute address',
        ({ proxyKey }) => `GET http://evil.example/${proxyKey}/openai/v1/x HTTP/1.1\r\nHost: x\r\n\r\n`,
      ],
      [
        'a fragment',
        ({ proxyKey }) => `GET /${proxyKey}/openai/v1/models#${proxyKey} HTTP/1.1\r\nHost: x\r\n\r\n`,
      ],
      [
        'bytes over 127',
        ({ proxyKey }) => `GET /${proxyKey}/\u00ff\u00fe HTTP/1.1\r\nHost: ${proxyKey}\r\n\r\n`,
      ],
      [
        'two lengths',
        ({ proxyKey }) =>
          `POST /${proxyKey}${CHAT_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ],
      [
        'large headers',
        ({ proxyKey }) =>
          `GET /${proxyKey}/openai/v1/models HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(70_000)}\r\n\r\n`,
      ],
      [
        'half a request',
        ({ proxyKey, providerKey }) =>
          `POST /${proxyKey}${CHAT_PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${providerKey}\r\nContent-Length: 99\r\n\r\n{`,
      ],
      ['half a head', ({ proxyKey }) => `POST /${proxyKey}${CHAT_PATH} HTTP/1.1\r\nHos`],
    ];
    const replies = attempts.map(async ([name, bytes]) => {
      answered += await sendRaw(gateway.port, Buffer.from(bytes(await newPair(name)), 'latin1'), 3_000);
    });
    await Promise.all(replies);
  });

  it('HTTP/2, given up half-way too', async () => {
    const session = connectHttp2(gateway.baseUrl);
    for (const giveUp of [false, true]) {
      const pair = await newPair('HTTP/2');
      const path = `/${pair.proxyKey}${CHAT_PATH}`;
      const stream = session.request({ ':method': 'POST', ':path': path, ...bearer(pair) });
      stream.on('error', () => undefined);
      stream.resume();
      if (giveUp) {
        stream.write('{');
        await delay(100);
        stream.close(8);
      } else stream.end(CHAT);
      await new Promise((resolve) => stream.on('close', resolve));
    }
    session.close();
  });

  it('an outage of Redis', async () => {
    const pair = await newPair('outage');
    await redis.pause();
    expect(await sent(byPath(pair))).toBe(503);
    expect(await sent(byHeader(pair))).toBe(503);
    await redis.resume();
  });

  it('an outage of the sidecar', async () => {
    const pair = await newPair('sidecar');
    for (const { pid } of gateway.workers()) process.kill(pid, 'SIGKILL');
    expect(await sent(byPath(pair))).toBe(503);
    await gateway.waitUntil((now) => now.ready);
  });
});

describe('are not found', () => {
  const all = (): Marked[] => [
    ...proxyKeys,
    ...providerKeys,
    mark('redis.password', REDIS_PASSWORD),
    mark('alerting.secret', ALERT_SECRET),
  ];
  /** Its hash is what may stand everywhere. */
  const anyHash = /sha256:[0-9a-f]{64}/;

  it('by a search that finds nothing', () => {
    const secret = unknownKey('planted');
    const planted = [mark('planted', secret)];
    const bytes = Buffer.from(`xy${secret}z`);
    const hidden = [
      `…${secret}…`,
      secret.slice(12, 38),
      ...[0, 1, 2].map((from) => bytes.subarray(from).toString('base64')),
      bytes.toString('base64url'),
      bytes.toString('hex').toUpperCase(),
      [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join(''),
    ];
    for (const text of hidden) expect(found(planted, text), text).toEqual(['planted']);
    expect(found(planted, `${secret.slice(0, 12)} ${secret.slice(-8)}`)).toEqual([]);
    expect(proxyKeys.length).toBeGreaterThan(70);
  });

  it('in Redis: names, values, SLOWLOG, MONITOR', async () => {
    const stored = await dump(redis.client);
    const slowlog = JSON.stringify(await redis.client.slowlog('GET', -1));
    for (const text of [stored, slowlog, monitored]) {
      expect(text).toMatch(anyHash);
      expect(found([...proxyKeys, ...providerKeys], text)).toEqual([]);
    }
    expect(slowlog.length).toBeGreaterThan(50_000);
  });

  it("in the logs at debug: ours, Envoy's and its access log", () => {
    const logs = gateway.logs();
    expect(logs).toMatch(anyHash);
    expect(logs).toContain('"details":"via_upstream"');
    expect(found(all(), logs)).toEqual([]);
  });

  it('in the metrics', async () => {
    const metrics = await gateway.metrics();
    expect(metrics).toContain('gateway_requests_total');
    expect(found(all(), metrics)).toEqual([]);
  });

  it('in what clients were answered', () => {
    expect(answered).toContain('invalid_key');
    expect(answered.length).toBeGreaterThan(10_000);
    expect(found(all(), answered)).toEqual([]);
  });

  it('in `config print`', async () => {
    const args = [await gatewayProgram(), '--config', gateway.configFile, 'config', 'print'];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, SERVER_INSECURE_DEV: 'true' },
    });
    expect(stdout).toContain('***');
    expect(found(all(), stdout)).toEqual([]);
  });

  it("in Envoy's configuration, its admin interface, and the processes' command lines", async () => {
    const configFile = /-c (\S+)/.exec(gateway.envoy()?.command ?? '')?.[1] ?? '';
    const admin = createEnvoyAdmin(configFile.replace(/[^/]+$/, 'admin.sock'));
    const texts = [readFileSync(configFile, 'utf8')];
    for (const path of [
      '/config_dump',
      '/stats',
      '/stats/prometheus',
      '/clusters',
      '/listeners',
      '/server_info',
    ]) {
      const { status, body } = await admin.get(path);
      expect(status, path).toBe(200);
      texts.push(body);
    }
    texts.push(...descendants(gateway.pid).map(({ command }) => command));
    expect(found(all(), texts.join('\n'))).toEqual([]);
  });

  it('at the provider, as far as the proxy keys are concerned', () => {
    const received = provider.requests.map(({ method, path, query, headers, body }) =>
      [method, path, query, JSON.stringify(headers), body.toString('latin1')].join('\n'),
    );
    const text = received.join('\n');
    expect(received.length).toBeGreaterThan(SUCCESSES.length);
    expect(found(providerKeys, text).length).toBeGreaterThan(SUCCESSES.length);
    expect(found(proxyKeys, text)).toEqual([]);
  });
});

/** Every key of Redis with all that it holds. */
async function dump(client: Redis): Promise<string> {
  const lines: string[] = [];
  for await (const page of client.scanStream({ count: 500 })) {
    for (const key of page as string[]) {
      lines.push(`${key} ${JSON.stringify(await contents(client, key, await client.type(key)))}`);
    }
  }
  return lines.join('\n');
}

function contents(client: Redis, key: string, type: string): Promise<unknown> {
  switch (type) {
    case 'string':
      return client.get(key);
    case 'hash':
      return client.hgetall(key);
    case 'set':
      return client.smembers(key);
    case 'zset':
      return client.zrange(key, '0', '-1');
    case 'list':
      return client.lrange(key, 0, -1);
    case 'stream':
      return client.xrange(key, '-', '+');
    default:
      return client.dumpBuffer(key);
  }
}
