import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { connect as connectHttp2 } from 'node:http2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createFakeProvider,
  type FakeProvider,
  type RecordedRequest,
} from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import { readAccount } from '../support/account.ts';
import { send, sendRaw, type Reply, type SendOptions } from '../support/http.ts';
import { createWireProvider, type WireProvider } from '../support/wire-provider.ts';
import { expectRefusal } from './budgets/rig.ts';

/** docs/refusals.md and the issue's paragraph "The edge": what is refused, and what never travels on. */
const CHAT = '/openai/v1/chat/completions';
const PROVIDER_KEY = 'sk-provider-0123456789';
const BODY = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });

let gateway: TestGateway;
let provider: FakeProvider;
/** Behind `mistral`. */
let wire: WireProvider;
let key: TestKey;
let auth: Record<string, string>;

beforeAll(async () => {
  provider = await createFakeProvider();
  wire = await createWireProvider();
  gateway = await startGateway({
    config: {
      server: { max_payload_bytes: 100_000, read_timeout: '2s' },
      providers: { openai: { base_url: provider.url }, mistral: { base_url: wire.url } },
      pricing: { overrides: { 'gpt-4o': { input: 1, output: 10, max_output_tokens: 1_000 } } },
    },
  });
  key = await gateway.createKey({ allowedProviders: ['mistral'] });
  auth = {
    authorization: `Bearer ${key.rawKey}`,
    'x-gateway-provider-key': PROVIDER_KEY,
    'content-type': 'application/json',
  };
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
  await wire.close();
});
beforeEach(() => {
  provider.behave({});
});

function chat(options: SendOptions = {}): Promise<Reply> {
  return send(gateway.baseUrl, {
    path: CHAT,
    body: BODY,
    method: 'POST',
    ...options,
    headers: options.headers ?? auth,
  });
}

/** The answer to one POST over HTTP/2 without TLS. */
async function answerOverHttp2(request: {
  readonly body: string;
  readonly unended?: boolean;
  readonly host?: string;
}): Promise<Pick<Reply, 'status' | 'headers' | 'body'>> {
  const session = connectHttp2(gateway.baseUrl);
  const stream = session.request({
    ':method': 'POST',
    ':path': CHAT,
    ...auth,
    ...(request.host !== undefined && { host: request.host }),
  });
  if (request.unended === true) stream.write(request.body);
  else stream.end(request.body);
  const [head] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status'?: number }];
  let body = '';
  for await (const chunk of stream.setEncoding('utf8')) body += String(chunk);
  session.close();
  return { status: head[':status'] ?? 0, headers: head, body };
}

async function forwarded(options: SendOptions): Promise<RecordedRequest> {
  const before = provider.requests.length;
  const reply = await chat(options);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  const request = provider.requests[before];
  if (request === undefined) throw new Error('nothing was forwarded');
  return request;
}

describe('credentials', () => {
  it.each<[string, Record<string, string>, string]>([
    ['no key at all', {}, CHAT],
    ['an unknown key', { authorization: `Bearer gw-${'x'.repeat(43)}` }, CHAT],
    ['a key that is not a proxy key', { authorization: 'Bearer sk-1' }, CHAT],
    ['no key, on a path that does not exist', {}, '/nowhere'],
    ['no key, with the wrong method and type', { 'content-type': 'text/plain' }, '/openai/v1/models'],
    ['an unknown key in the path', {}, `/gw-${'y'.repeat(43)}/openai/v1/chat/completions`],
  ])('401 invalid_key before every other complaint: %s', async (_name, headers, path) => {
    const reply = await chat({ headers, path });
    expectRefusal(reply, 401, 'invalid_key');
    expect(reply.body).toBe((await chat({ headers: {} })).body);
  });

  it('400 for two different proxy keys and for two different provider keys, 401 where one is not known', async () => {
    const other = await gateway.createKey();
    expectRefusal(await chat({ headers: { ...auth, 'x-api-key': other.rawKey } }), 400, 'invalid_request');
    expectRefusal(await chat({ headers: { ...auth, 'api-key': 'sk-other' } }), 400, 'invalid_request');
    const unknown = `gw-${'z'.repeat(43)}`;
    expectRefusal(await chat({ headers: { ...auth, 'x-api-key': unknown } }), 401, 'invalid_key');
  });

  it('the same credential in two places is one', async () => {
    await forwarded({ headers: { ...auth, 'x-api-key': key.rawKey, 'api-key': PROVIDER_KEY } });
  });

  it('400 naming the header where the provider key is missing', async () => {
    const { 'x-gateway-provider-key': _gone, ...without } = auth;
    const reply = await chat({ headers: without });
    expectRefusal(reply, 400, 'invalid_request');
    expect(reply.body).toContain('X-Gateway-Provider-Key');
  });

  it('path auth: the key stands in the path, and never reaches the provider', async () => {
    const request = await forwarded({
      path: `/${key.rawKey}${CHAT}`,
      headers: { authorization: `Bearer ${PROVIDER_KEY}`, 'content-type': 'application/json' },
    });
    expect(request.path).toBe('/v1/chat/completions');
    expect(JSON.stringify(request)).not.toContain(key.rawKey);
    expect(request.headers['authorization']).toBe(`Bearer ${PROVIDER_KEY}`);
  });

  it('a proxy key in another header or in the query is refused, in the prompt it is overwritten', async () => {
    expectRefusal(
      await chat({ headers: { ...auth, 'x-title': `my ${key.rawKey}` } }),
      400,
      'invalid_request',
    );
    expectRefusal(await chat({ path: `${CHAT}?note=${key.rawKey}` }), 400, 'invalid_request');
    const encoded = key.rawKey.replace('-', '%2d');
    expectRefusal(await chat({ path: `${CHAT}?note=${encoded}` }), 400, 'invalid_request');
    const escaped = JSON.stringify({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: key.rawKey }],
    }).replace('gw-', 'gw\\u002d');
    expectRefusal(await chat({ body: escaped }), 400, 'invalid_request');
    const referer = `http://h/${key.rawKey.replace('-', '%2D')}/x`;
    expectRefusal(await chat({ headers: { ...auth, referer } }), 400, 'invalid_request');
    const leaking = JSON.stringify({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: `k=${key.rawKey}!` }],
    });
    const request = await forwarded({ body: leaking });
    expect(request.body.toString()).not.toContain(key.rawKey);
    expect(request.body.toString()).toContain(`k=${'*'.repeat(46)}!`);
  });

  it('a proxy key that is wrapped in anything is refused in every place, and never sent', async () => {
    const path = `/${key.rawKey}${CHAT}`;
    const json = { 'content-type': 'application/json', 'x-gateway-provider-key': PROVIDER_KEY };
    const other = await gateway.createKey();
    const before = provider.requests.length;
    const wrapped = [key.rawKey, other.rawKey].flatMap((raw) => [
      `"${raw}"`,
      `sk-${raw}`,
      `AKIAIOSFODNN7EXAMPLE:${raw}`,
      raw.replace('gw-', '%67w%2D'),
      raw.replace('gw-', '%2567w-'),
      btoa(`user:${raw}`),
    ]);
    for (const value of wrapped) {
      for (const headers of [
        { authorization: `Bearer ${value}` },
        { authorization: `Basic ${value}` },
        { 'x-api-key': value },
        { 'x-goog-api-key': value },
        { 'api-key': value },
        { 'x-gateway-provider-key': value },
        { 'x-title': value },
        { referer: `https://host/${value}` },
        { cookie: `a=${value}` },
      ]) {
        expectRefusal(await chat({ path, headers: { ...json, ...headers } }), 400, 'invalid_request');
      }
      const encoded = encodeURIComponent(value);
      for (const query of [`key=${encoded}`, `access_token=${encoded}`, `note=${encoded}`, `${encoded}=1`]) {
        expectRefusal(await chat({ path: `${path}?${query}`, headers: json }), 400, 'invalid_request');
      }
    }
    for (const raw of [key.rawKey, other.rawKey.replace('g', '%67')]) {
      const path = `/openai/v1/models/${raw}`;
      expectRefusal(await send(gateway.baseUrl, { path, headers: auth }), 400, 'invalid_request');
    }
    expect(provider.requests.slice(before)).toEqual([]);
  });

  it('a proxy key in quotes is no proxy key: 401 where there is no other', async () => {
    const before = provider.requests.length;
    const quoted = `"${key.rawKey}"`;
    for (const headers of [{ authorization: `Bearer ${quoted}` }, { 'x-api-key': quoted }]) {
      const reply = await chat({ headers: { 'content-type': 'application/json', ...headers } });
      expectRefusal(reply, 401, 'invalid_key');
    }
    expect(provider.requests.slice(before)).toEqual([]);
  });

  it('a key for one provider is useless for another', async () => {
    const foreign = await gateway.createKey({ provider: 'anthropic' });
    const headers = { ...auth, authorization: `Bearer ${foreign.rawKey}` };
    const reply = await chat({ headers });
    expectRefusal(reply, 403, 'policy_denied');
    expect(reply.headers['x-gateway-policy-block']).toBe('true');
  });

  it('a model outside allowed_models is 403, one inside passes', async () => {
    const limited = await gateway.createKey({ allowedModels: ['gpt-4o-*'] });
    const headers = { ...auth, authorization: `Bearer ${limited.rawKey}` };
    expectRefusal(await chat({ headers }), 403, 'policy_denied');
    await forwarded({ headers, body: BODY.replace('gpt-4o', 'gpt-4o-mini') });
  });

  it('a key whose list of models is empty may use none, and only its own provider', async () => {
    const idle = await gateway.createKey({ allowedModels: [], allowedProviders: [] });
    const headers = { ...auth, authorization: `Bearer ${idle.rawKey}` };
    expectRefusal(await chat({ headers }), 403, 'policy_denied');
    const foreign = await chat({ headers, path: '/groq/openai/v1/chat/completions' });
    expectRefusal(foreign, 403, 'policy_denied');
  });
});

describe('lock and risk, as they stand in Redis', () => {
  it('403 quarantined while the lock exists, with the time left and nothing of why; no Retry-After, which agents sleep through', async () => {
    const locked = await gateway.createKey();
    const headers = { ...auth, authorization: `Bearer ${locked.rawKey}` };
    await gateway.redis.client.set(`gateway:quarantine:${locked.keyHash}`, 'because of something', 'EX', 100);
    const reply = await chat({ headers });
    expectRefusal(reply, 403, 'quarantined');
    expect(reply.body).toContain('this proxy key is locked for another 2 min');
    expect(reply.headers).not.toHaveProperty('retry-after');
    expect(reply.body).not.toContain('because');
    await gateway.redis.client.del(`gateway:quarantine:${locked.keyHash}`);
    await forwarded({ headers });
  });

  it('403 agent_risk_blocked over the permanent threshold, and not at it', async () => {
    const risky = await gateway.createKey();
    const headers = { ...auth, authorization: `Bearer ${risky.rawKey}` };
    await gateway.redis.client.hset(`gateway:risk_profile:${risky.keyHash}`, 'risk_score', '91');
    const reply = await chat({ headers });
    expectRefusal(reply, 403, 'agent_risk_blocked');
    await gateway.redis.client.hset(`gateway:risk_profile:${risky.keyHash}`, 'risk_score', '90');
    await forwarded({ headers });
  });
});

describe('paths and methods', () => {
  it.each([
    ['/', 404, 'unknown_provider'],
    ['/acme/v1/chat/completions', 404, 'unknown_provider'],
    ['/azure/openai/v1/chat/completions', 404, 'unknown_provider'],
    ['/mcp/files/tools/call', 404, 'unknown_mcp_server'],
    ['/openai/v1/files', 403, 'policy_denied'],
    ['/openai/v1/chat%2Fcompletions', 400, 'invalid_request'],
    ['/openai/v1/x%5C..%5Cadmin', 400, 'invalid_request'],
    ['/openai/v1/%252e%252e/chat', 400, 'invalid_request'],
  ])('%s is %i %s', async (path, status, type) => {
    expectRefusal(await chat({ path }), status, type);
  });

  it('a path is judged as it will be sent: dot segments and double slashes are resolved first', async () => {
    const request = await forwarded({ path: '/openai//v1/x/../chat/./completions' });
    expect(request.path).toBe('/v1/chat/completions');
    expectRefusal(await chat({ path: '/openai/v1/../../anthropic/v1/messages' }), 403, 'policy_denied');
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE'])('%s is 405 with Allow', async (method) => {
    const { 'content-type': _none, ...headers } = auth;
    const reply = await send(gateway.baseUrl, { method, path: CHAT, headers });
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toBe('POST');
    if (method !== 'HEAD') expectRefusal(reply, 405, 'method_not_allowed');
  });

  it('GET on a POST path is 405, GET models passes', async () => {
    const { 'content-type': _none, ...headers } = auth;
    expectRefusal(await send(gateway.baseUrl, { path: CHAT, headers }), 405, 'method_not_allowed');
    const models = await send(gateway.baseUrl, { path: '/openai/v1/models', headers });
    expect(models.status).toBe(200);
    expect(provider.requests.at(-1)).toMatchObject({ method: 'GET', path: '/v1/models' });
  });

  it('CONNECT is refused and does not hang', async () => {
    const bearer = `Authorization: Bearer ${key.rawKey}\r\n`;
    const reply = await sendRaw(
      gateway.port,
      `CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com:443\r\n${bearer}\r\n`,
    );
    expect(reply).toMatch(/^HTTP\/1.1 4\d\d /);
    expect(reply).toContain('"type":"');
  });

  it('a WebSocket upgrade is 426', async () => {
    const reply = await sendRaw(
      gateway.port,
      `GET /openai/v1/responses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.rawKey}\r\n` +
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    expect(reply).toMatch(/^HTTP\/1.1 426 /);
    expect(reply).toContain('"type":"upgrade_not_supported"');
    expect(reply).toMatch(/\r\nx-should-retry: false\r\n/);
  });
});

describe('bodies', () => {
  it.each<[string, string | Buffer, number, string]>([
    ['not JSON', '{"model":', 400, 'invalid_request'],
    ['an array', '[]', 400, 'invalid_request'],
    ['a duplicate key', '{"model":"gpt-4o","model":"gpt-4o-mini","messages":[]}', 400, 'invalid_request'],
    [
      'a duplicate key under an escape',
      '{"model":"gpt-4o","mod\\u0065l":"x","messages":[]}',
      400,
      'invalid_request',
    ],
    [
      'nesting over 64',
      `{"model":"m","messages":[],"x":${'['.repeat(70)}${']'.repeat(70)}}`,
      400,
      'invalid_request',
    ],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, 'invalid_request'],
    ['a missing model', '{"messages":[]}', 400, 'invalid_request'],
    ['an empty body', '', 400, 'invalid_request'],
    [
      'one over max_payload_bytes',
      JSON.stringify({ model: 'm', x: 'y'.repeat(100_001) }),
      413,
      'payload_too_large',
    ],
  ])('%s is refused', async (_name, body, status, type) => {
    const before = provider.requests.length;
    expectRefusal(await chat({ body }), status, type);
    expectRefusal(await chat({ body, chunked: true }), status, type);
    expect(provider.requests.length).toBe(before);
  });

  it.each<[string, Record<string, string>]>([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['a charset of two', { 'content-type': 'application/json; charset=utf-8; charset=utf-16' }],
    ['a charset in a quoted string', { 'content-type': 'application/json; x="; charset=utf-16"' }],
    ['a charset of RFC 2231', { 'content-type': "application/json; charset*=utf-8''utf-16" }],
    ['a charset that is not UTF-8', { 'content-type': 'application/json; charset=iso-8859-1' }],
    ['another parameter', { 'content-type': 'application/json; profile=x' }],
    ['two types', { 'content-type': 'application/json, text/plain' }],
    ['another type that ends so', { 'content-type': 'text/plain; application/json' }],
    ['a compressed body', { 'content-encoding': 'gzip' }],
  ])('%s is 415', async (_name, headers) => {
    expectRefusal(await chat({ headers: { ...auth, ...headers } }), 415, 'unsupported_media_type');
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['no content type', { 'content-type': undefined }],
    ['an empty content type', { 'content-type': '' }],
    ['any bytes', { 'content-type': 'application/octet-stream' }],
  ])('%s is taken for JSON, and sent as such', async (_name, type) => {
    const headers = Object.fromEntries(
      Object.entries({ ...auth, ...type }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    );
    const request = await forwarded({ headers });
    expect(request.headers['content-type']).toBe('application/json');
    expectRefusal(await chat({ headers, body: 'model=gpt-4o' }), 400, 'invalid_request');
    expectRefusal(await chat({ headers, body: '{"model":"a","model":"b"}' }), 400, 'invalid_request');
  });

  it.each(['Application/JSON', 'application/json;charset=UTF-8', 'application/json ; charset = "utf8" '])(
    'the type %j passes',
    async (type) => {
      await forwarded({ headers: { ...auth, 'content-type': type } });
    },
  );

  it('a GET with a body is refused', async () => {
    const reply = await send(gateway.baseUrl, {
      method: 'GET',
      path: '/openai/v1/models',
      headers: auth,
      body: BODY,
    });
    expectRefusal(reply, 400, 'invalid_request');
  });

  it('goes out byte for byte where nothing changed, with its own length', async () => {
    const odd =
      '{ "model" : "gpt-4o",\n "seed": 12345678901234567890, "messages":[{"role":"user","content":"\\u00e9 \u00e9"}] }';
    const request = await forwarded({ body: odd });
    expect(request.body.toString()).toBe(odd);
    expect(request.headers['content-length']).toBe(String(Buffer.byteLength(odd)));
    expect((await forwarded({ body: odd, chunked: true })).body.toString()).toBe(odd);
  });

  it('over Envoy’s own buffer is 413 in our shape', async () => {
    const reply = await chat({ body: Buffer.alloc(17_000_000, 0x20), chunked: true });
    expectRefusal(reply, 413, 'payload_too_large');
  });

  function filled(bytes: number): string {
    const body = JSON.stringify({ ...(JSON.parse(BODY) as object), user: '' });
    return body.replace('"user":""', `"user":"${'x'.repeat(bytes - body.length)}"`);
  }

  it('of exactly max_payload_bytes passes, whole, in chunks and over HTTP/2', async () => {
    const body = filled(100_000);
    expect((await forwarded({ body })).body).toHaveLength(100_000);
    expect((await forwarded({ body, chunked: true })).body).toHaveLength(100_000);
    expect(await answerOverHttp2({ body })).toMatchObject({ status: 200 });
  });

  it('over max_payload_bytes is 413 before it ends', async () => {
    const tooLong = filled(170_000);
    const head = Object.entries({ ...auth, host: 'x', 'transfer-encoding': 'chunked' });
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const unended = `POST ${CHAT} HTTP/1.1\r\n${lines}\r\n${tooLong.length.toString(16)}\r\n${tooLong}`;
    const reply = await sendRaw(gateway.port, unended);
    expect(reply).toMatch(
      /^HTTP\/1.1 413 .*x-gateway-request-id: [0-9a-f-]{36}.*"type":"payload_too_large"}/s,
    );
    const overHttp2 = await answerOverHttp2({ body: tooLong, unended: true });
    expect(overHttp2).toMatchObject({
      status: 413,
      body: expect.stringContaining('"type":"payload_too_large"'),
    });
    expect(overHttp2.headers['x-gateway-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is bounded by less than its answer', async () => {
    const answer = JSON.stringify({ choices: [], padding: 'x'.repeat(3_000_000) });
    wire.answer(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`,
    );
    const path = '/mistral/v1/chat/completions';
    expect((await chat({ path })).body).toHaveLength(answer.length);
    const { 'content-type': _none, ...headers } = auth;
    const models = await send(gateway.baseUrl, { path: '/mistral/v1/models', headers });
    expect([models.status, models.body.length]).toEqual([200, answer.length]);
  });

  it('that does not arrive within server.read_timeout is 408', async () => {
    const head = Object.entries(auth).map(([name, value]) => `${name}: ${value}\r\n`);
    const raw = `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n${head.join('')}\r\n{"mo`;
    const reply = await sendRaw(gateway.port, raw, 5_000);
    expect(reply).toMatch(/^HTTP\/1.1 408 /);
    expect(reply).toContain('"type":"request_timeout"');
  });
});

describe('names of models', () => {
  it('of more than 256 characters are 400 with the remedy, in the path and in the body', async () => {
    const names = ['openai', 'gemini', 'bedrock', 'anthropic', 'openrouter'] as const;
    const any = await gateway.createKey({ allowedProviders: [...names] });
    const headers = { ...auth, authorization: `Bearer ${any.rawKey}` };
    const before = provider.requests.length;
    for (const chars of [257, 8_000]) {
      const long = 'gpt-5'.repeat(chars).slice(0, chars);
      const asked = JSON.stringify({
        model: long,
        max_tokens: 1,
        messages: [{ role: 'user', content: 'hi' }],
      });
      const fallbacks = BODY.replace('{', `{"models":["${long}"],`);
      for (const [path, body] of [
        [CHAT, asked],
        ['/anthropic/v1/messages', asked],
        ['/openrouter/v1/chat/completions', fallbacks],
        [`/gemini/v1beta/models/${long}:generateContent`, '{"contents":[]}'],
        [`/bedrock/model/${long}/converse`, '{"messages":[]}'],
        [`/bedrock/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Acustom-model%2F${long}/invoke`, '{}'],
      ] as const) {
        const reply = await chat({ path, body, headers });
        expectRefusal(reply, 400, 'invalid_request');
        expect(reply.body).toContain('at most 256 characters');
      }
    }
    expect(provider.requests.slice(before)).toEqual([]);
    await forwarded({ body: BODY.replace('gpt-4o', 'm'.repeat(256)) });
  });
});

describe('headers', () => {
  it('of ours and of proxies never reach the provider or a decision', async () => {
    const request = await forwarded({
      headers: {
        ...auth,
        cookie: 'a=b',
        dpop: 'x',
        baggage: 'x=y',
        forwarded: 'for=1.2.3.4',
        'proxy-authorization': 'Basic eDp5',
        'x-api-key': PROVIDER_KEY,
        'x-forwarded-for': '1.2.3.4',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'evil',
        'x-envoy-upstream-rq-timeout-ms': '1',
        'x-envoy-original-path': '/x',
        'x-gateway-upstream': 'sidecar',
        'x-gateway-session-id': 's1',
        'x-gateway-request-cost': '0',
        'x-gw-origin': '1',
        'x-request-id': 'mine',
        'x-http-method-override': 'DELETE',
        'x-goog-fieldmask': 'candidates',
        'x-goog-encode-response-if-executable': 'base64',
        x_api_key: 'sk-other',
        'accept-encoding': 'gzip',
        'openai-organization': 'org',
        'user-agent': 'test',
      },
    });
    const names = Object.keys(request.headers).sort();
    expect(names).toEqual(
      [
        'authorization',
        'connection',
        'content-length',
        'content-type',
        'host',
        'openai-organization',
        'user-agent',
        'x-request-id',
      ].filter((name) => names.includes(name) || name !== 'connection'),
    );
    expect(request.headers['authorization']).toBe(`Bearer ${PROVIDER_KEY}`);
    expect(request.headers['host']).toBe(new URL(provider.url).host);
    expect(request.headers['x-request-id']).not.toBe('mine');
  });

  it('in lower case, repeated or merged cannot bring a second credential', async () => {
    const raw =
      `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n` +
      `Authorization: Bearer ${key.rawKey}\r\nauthorization: Bearer sk-a\r\nX-Gateway-Provider-Key: sk-b\r\n\r\n${BODY}`;
    const reply = await sendRaw(gateway.port, raw);
    expect(reply).toMatch(/^HTTP\/1.1 400 /);
  });

  it('of the client cannot choose the upstream', async () => {
    const request = await forwarded({
      headers: { ...auth, host: 'evil.example', 'x-gateway-upstream': 'provider_anthropic' },
    });
    expect(request.headers['host']).toBe(new URL(provider.url).host);
    const raw =
      `POST http://evil.example${CHAT} HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${BODY.length}\r\nAuthorization: Bearer ${key.rawKey}\r\nX-Gateway-Provider-Key: ${PROVIDER_KEY}\r\n\r\n${BODY}`;
    expect(await sendRaw(gateway.port, raw)).toMatch(/^HTTP\/1.1 200 /);
    expect(provider.requests.at(-1)?.headers['host']).toBe(new URL(provider.url).host);
  });

  it('that a provider sends in our name are dropped from its answer', async () => {
    provider.behave({
      headers: { 'x-gateway-policy-block': 'true', 'x-gateway-request-cost': '9', 'x-custom': 'kept' },
    });
    const reply = await chat();
    expect(reply.headers['x-gateway-policy-block']).toBeUndefined();
    expect(reply.headers['x-gateway-request-cost']).not.toBe('9');
    expect(reply.headers['x-custom']).toBe('kept');
  });
});

describe('the host', () => {
  const raw = (lines: readonly string[], target = CHAT, bearer = key.rawKey): string =>
    `POST ${target} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}Content-Type: application/json\r\n` +
    `Content-Length: ${BODY.length}\r\nAuthorization: Bearer ${bearer}\r\nX-Gateway-Provider-Key: ${PROVIDER_KEY}\r\n\r\n${BODY}`;
  const refused = /^HTTP\/1.1 400 .*x-gateway-request-id: [0-9a-f-]{36}\r.*"type":"invalid_request"}\s*$/s;

  it.each([
    ['two', ['Host: a.example', 'Host: b.example']],
    ['the same twice', ['Host: a.example', 'host: a.example']],
    ['three', ['Host: a', 'X-Between: 1', 'HOST: b', 'Host: c']],
    ['two in one', ['Host: a.example,b.example']],
  ])('is one: %s are 400, and nothing is forwarded', async (_name, lines) => {
    const before = provider.requests.length;
    const reply = await sendRaw(gateway.port, raw(lines));
    expect(reply).toMatch(refused);
    expect(reply).toContain('Host');
    expect(provider.requests.length).toBe(before);
  });

  it('is complained of after a key that is not known', async () => {
    const reply = await sendRaw(gateway.port, raw(['Host: a', 'Host: b'], CHAT, `gw-${'x'.repeat(43)}`));
    expect(reply).toMatch(/^HTTP\/1.1 401 /);
  });

  it('that is missing is 400 in our shape, under an id that is not the client’s', async () => {
    for (const lines of [[], ['X-Request-Id: mine']]) {
      const reply = await sendRaw(gateway.port, raw(lines));
      expect(reply).toMatch(refused);
      expect(reply).not.toContain('mine');
    }
  });

  it('of an absolute address or of :authority counts, and a Host header beside it goes nowhere', async () => {
    const before = provider.requests.length;
    const absolute = await sendRaw(gateway.port, raw(['Host: other.example'], `http://a.example${CHAT}`));
    expect(absolute).toMatch(/^HTTP\/1.1 200 /);
    expect(await answerOverHttp2({ body: BODY, host: 'other.example' })).toMatchObject({ status: 200 });
    const forwarded = provider.requests.slice(before);
    expect(forwarded).toHaveLength(2);
    expect(JSON.stringify(forwarded.map(({ headers }) => headers))).not.toContain('example');
  });
});

describe('connections', () => {
  it('trailers of a request do not travel on', async () => {
    const request = await forwarded({
      chunked: true,
      trailers: { 'x-api-key': 'sk-late', 'x-late': '1' },
      headers: { ...auth, trailer: 'x-api-key' },
    });
    expect(JSON.stringify(request.headers)).not.toContain('late');
    expect(JSON.stringify(request)).not.toContain('sk-late');
  });

  it('pipelined requests are each judged on their own', async () => {
    const one = (bearer: string): string =>
      `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n` +
      `Authorization: Bearer ${bearer}\r\nX-Gateway-Provider-Key: ${PROVIDER_KEY}\r\n\r\n${BODY}`;
    const reply = await sendRaw(gateway.port, one(key.rawKey) + one('gw-bad') + one(key.rawKey), 1_500);
    expect([...reply.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '200',
      '401',
      '200',
    ]);
  });

  it('conflicting lengths are refused by the codec, and nothing is forwarded', async () => {
    const before = provider.requests.length;
    const raw =
      `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n` +
      `Authorization: Bearer ${key.rawKey}\r\nX-Gateway-Provider-Key: ${PROVIDER_KEY}\r\n\r\n0\r\n\r\n`;
    const reply = await sendRaw(gateway.port, raw);
    expect(reply).not.toMatch(/^HTTP\/1.1 200/);
    expect(provider.requests.length).toBe(before);
  });

  it('HTTP/2 without TLS is spoken too', async () => {
    expect(await answerOverHttp2({ body: BODY })).toMatchObject({ status: 200 });
  });

  it('one that is closed in the middle of a request harms nobody else', async () => {
    for (let n = 0; n < 50; n++) {
      const socket = connect(gateway.port, '127.0.0.1', () => {
        socket.write(
          `POST ${CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.rawKey}\r\nContent-Length: 9\r\n\r\n{`,
        );
        socket.resetAndDestroy();
      });
      socket.on('error', () => undefined);
    }
    await forwarded({});
  });
});

describe('answers', () => {
  it('a provider’s error passes unchanged in status and meaning', async () => {
    provider.behave({ status: 404 });
    const reply = await chat();
    expect(reply.status).toBe(404);
    expect(JSON.parse(reply.body)).not.toHaveProperty('type', 'not_found');
  });

  describe('of a status that ends nothing', () => {
    const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-type: application/json\r\n\r\n{}';
    const path = '/mistral/v1/chat/completions';

    it.each([
      ['101', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
      [
        '101 with another protocol',
        'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nSECRET',
      ],
      ['101 and an answer', `HTTP/1.1 101 Switching Protocols\r\n\r\n${OK}`],
      ['101 after 100', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n\r\n'],
      ['0', 'HTTP/1.1 000 Zero\r\ncontent-length: 0\r\n\r\n'],
      ['99', 'HTTP/1.1 099 Odd\r\n\r\n'],
      ['600', 'HTTP/1.1 600 Odd\r\n\r\n'],
      ['999', 'HTTP/1.1 999 Odd\r\ncontent-length: 6\r\n\r\nSECRET'],
    ])('%s: 502 at once, charged as one that was lost, and the next is answered', async (_name, bytes) => {
      const { rawKey, keyHash } = await gateway.createKey({ allowedProviders: ['mistral'] }, { monthly: 1 });
      const headers = { ...auth, authorization: `Bearer ${rawKey}` };
      wire.answer(bytes);
      const reply = await chat({ path, headers });
      expectRefusal(reply, 502, 'upstream_unavailable');
      expect(reply.body).not.toContain('SECRET');
      const { spent, reserved } = await readAccount(gateway.redis, keyHash);
      expect([spent > 0, reserved]).toEqual([true, 0]);
      wire.answer(OK);
      expect(await chat({ path })).toMatchObject({ status: 200, body: '{}' });
    });

    it.each([
      ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
      ['100 twice', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
      ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
      ['103 with links', 'HTTP/1.1 103 Early Hints\r\nlink: </evil>; rel=preload\r\nset-cookie: a=b\r\n\r\n'],
      ['many of 103', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500)],
    ])('%s stays behind, and the answer after it is the answer', async (_name, interim) => {
      wire.answer(interim + OK);
      const reply = await chat({ path });
      expect(reply).toMatchObject({ status: 200, body: '{}' });
      expect(reply.headers).not.toHaveProperty('link');
      expect(reply.headers).not.toHaveProperty('set-cookie');
    });
  });

  it('a compressed answer is decoded before it is inspected and passed on', async () => {
    provider.behave({ gzip: true });
    const reply = await chat();
    expect(reply.status).toBe(200);
    expect(reply.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(reply.body)).toHaveProperty('choices');
  });
});
