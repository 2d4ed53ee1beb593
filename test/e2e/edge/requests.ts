import { it, expect } from 'vitest';
import { expectRefusal } from '../budgets/rig.ts';
import { send, sendRaw } from '../../support/http.ts';
import { chat, forwarded, auth, gateway, CHAT, provider, key, BODY, answerOverHttp2, wire } from './rig.ts';

export function paths(): void {
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
}

export function bodies(): void {
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
  ])('%s is treated as JSON, and sent as such', async (_name, type) => {
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

  it('is sent byte for byte if unchanged, with its own length', async () => {
    const odd =
      '{ "model" : "gpt-4o",\n "seed": 12345678901234567890, "messages":[{"role":"user","content":"\\u00e9 \u00e9"}] }';
    const request = await forwarded({ body: odd });
    expect(request.body.toString()).toBe(odd);
    expect(request.headers['content-length']).toBe(String(Buffer.byteLength(odd)));
    expect((await forwarded({ body: odd, chunked: true })).body.toString()).toBe(odd);
  });

  it('over Envoy’s own buffer is 413 in our error format', async () => {
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

  it('has a lower limit than answers', async () => {
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
}

export function modelNames(): void {
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
        expect(reply.body).toContain('longer than 256 characters');
      }
    }
    expect(provider.requests.slice(before)).toEqual([]);
    await forwarded({ body: BODY.replace('gpt-4o', 'm'.repeat(256)) });
  });

  it.each([
    '\\u0000',
    '\\u001f',
    '\\n',
    '\\u007f',
    '\\u0085',
    ' ',
    '\\u00a0',
    '\\u200b',
    '\\u202e',
    '\\ufeff',
    '\\ud800',
  ])('with a character that cannot be seen are 400: gpt-4o%s', async (invisible) => {
    const { rawKey } = await gateway.createKey({ allowedProviders: ['openai', 'openrouter', 'anthropic'] });
    const headers = { ...auth, authorization: `Bearer ${rawKey}` };
    const before = provider.requests.length;
    for (const written of [`gpt-4o${invisible}`, `${invisible}gpt-4o`]) {
      const fallbacks = BODY.replace('{', `{"models":["${written}"],`);
      for (const [path, body] of [
        [CHAT, BODY.replace('gpt-4o', written)],
        ['/anthropic/v1/messages', BODY.replace('gpt-4o', written)],
        ['/openrouter/v1/chat/completions', fallbacks],
      ] as const) {
        const reply = await chat({ path, body, headers });
        expectRefusal(reply, 400, 'invalid_request');
        expect(reply.body).toContain('invisible character');
      }
    }
    expect(provider.requests.slice(before)).toEqual([]);
  });

  it('with letters of any script, and blanks between words, pass', async () => {
    for (const name of ['Qwen 3 (fast)', '模型-7b', 'modèle:1.5@v2/x']) {
      await forwarded({ body: BODY.replace('gpt-4o', name) });
    }
  });
}
