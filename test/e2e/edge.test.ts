import { connect } from 'node:net';
import { connect as connectHttp2 } from 'node:http2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createFakeProvider,
  type FakeProvider,
  type RecordedRequest,
} from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import { send, sendRaw, type Reply, type SendOptions } from '../support/http.ts';

/** DECISIONS "Error bodies" and the paragraph "The edge": what is refused, and what never travels on. */
const CHAT = '/openai/v1/chat/completions';
const PROVIDER_KEY = 'sk-provider-0123456789';
const BODY = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });

let gateway: TestGateway;
let provider: FakeProvider;
let key: TestKey;
let auth: Record<string, string>;

beforeAll(async () => {
  provider = await createFakeProvider();
  gateway = await startGateway({
    config: {
      server: { max_payload_bytes: 100_000, read_timeout: '2s' },
      providers: { openai: { base_url: provider.url } },
    },
  });
  key = await gateway.createKey();
  auth = {
    authorization: `Bearer ${key.rawKey}`,
    'x-gateway-provider-key': PROVIDER_KEY,
    'content-type': 'application/json',
  };
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
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

function expectRefusal(reply: Reply, status: number, type: string): void {
  expect([reply.status, reply.body]).toEqual([status, expect.stringContaining(`"type":"${type}"`)]);
  expect(Object.keys(JSON.parse(reply.body) as object).sort()).toEqual(['error', 'type']);
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.headers['x-gateway-request-id']).toMatch(/^[0-9a-f-]{36}$/);
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
  it('403 quarantined with Retry-After while the lock exists, and says nothing of why', async () => {
    const locked = await gateway.createKey();
    const headers = { ...auth, authorization: `Bearer ${locked.rawKey}` };
    await gateway.redis.client.set(`gateway:quarantine:${locked.keyHash}`, 'because of something', 'EX', 100);
    const reply = await chat({ headers });
    expectRefusal(reply, 403, 'quarantined');
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(90);
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
    ['no content type', { 'content-type': '' }],
    ['text/plain', { 'content-type': 'text/plain' }],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['a compressed body', { 'content-encoding': 'gzip' }],
  ])('%s is 415', async (_name, headers) => {
    expectRefusal(await chat({ headers: { ...auth, ...headers } }), 415, 'unsupported_media_type');
  });

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
    const session = connectHttp2(gateway.baseUrl);
    const stream = session.request({ ':method': 'POST', ':path': CHAT, ...auth });
    stream.end(BODY);
    const status = await new Promise((resolve) =>
      stream.on('response', (headers) => resolve(headers[':status'])),
    );
    stream.resume();
    await new Promise((resolve) => stream.on('end', resolve));
    session.close();
    expect(status).toBe(200);
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

  it('a compressed answer is decoded before it is inspected and passed on', async () => {
    provider.behave({ gzip: true });
    const reply = await chat();
    expect(reply.status).toBe(200);
    expect(reply.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(reply.body)).toHaveProperty('choices');
  });
});
