import { connect } from 'node:net';
import { it, expect, describe } from 'vitest';
import { sendRaw } from '../../support/http.ts';
import { expectRefusal } from '../budgets/rig.ts';
import { readAccount } from '../../support/account.ts';
import {
  forwarded,
  auth,
  CHAT,
  BODY,
  PROVIDER_KEY,
  gateway,
  key,
  provider,
  answerOverHttp2,
  chat,
  overFrames,
  wire,
} from './rig.ts';

export function connections(): void {
  it('trailers of a request are not forwarded', async () => {
    const request = await forwarded({
      chunked: true,
      trailers: { 'x-api-key': 'sk-late', 'x-late': '1' },
      headers: { ...auth, trailer: 'x-api-key' },
    });
    expect(JSON.stringify(request.headers)).not.toContain('late');
    expect(JSON.stringify(request)).not.toContain('sk-late');
  });

  it.each([
    ['at once', []],
    ['after an empty piece of one', ['']],
  ])('trailers over HTTP/2 without a body are a client error: %s', async (_when, data) => {
    const before = provider.requests.length;
    for (const path of [CHAT, '/openai/v1/models']) {
      const reply = await overFrames(path, data);
      expect(reply).toMatchObject({ status: '400' });
      expect(JSON.parse(reply.body)).toMatchObject({ type: 'invalid_request' });
    }
    expect(provider.requests.length).toBe(before);
  });

  it('trailers over HTTP/2 after a body change nothing', async () => {
    expect(await overFrames(CHAT, [BODY.slice(0, 9), BODY.slice(9)])).toMatchObject({ status: '200' });
    expect(JSON.stringify(provider.requests.at(-1))).not.toContain('sk-late');
  });

  it.each([
    ['no request line', 'GARBAGE\r\n\r\n', 400],
    ['a length that is not a number', `POST ${CHAT} HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n`, 400],
    [
      'two lengths',
      `POST ${CHAT} HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n`,
      400,
    ],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost: a\r\nbad header\r\n\r\n', 400],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', 426],
  ])('a malformed request is answered in our error format: %s', async (_, bytes, status) => {
    const [head = '', body = ''] = (await sendRaw(gateway.port, bytes)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
    expect(head.toLowerCase()).toContain('x-gateway-error-type: invalid_request');
    expect(JSON.parse(body)).toEqual({ error: 'bad request', type: 'invalid_request' });
  });

  it('pipelined requests are judged separately', async () => {
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

  it('HTTP/2 without TLS is supported', async () => {
    expect(await answerOverHttp2({ body: BODY })).toMatchObject({ status: 200 });
  });

  it('a connection closed in the middle of a request does not affect others', async () => {
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
}

export function answers(): void {
  it('a provider’s error passes with its status and meaning', async () => {
    provider.behave({ status: 404 });
    const reply = await chat();
    expect(reply.status).toBe(404);
    expect(JSON.parse(reply.body)).not.toHaveProperty('type', 'not_found');
  });

  describe('with a status that ends nothing', () => {
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
    ])('%s: 502 at once, charged as lost, and the next request is answered', async (_name, bytes) => {
      const { rawKey, keyHash } = await gateway.createKey({ allowedProviders: ['mistral'] }, { monthly: 1 });
      const headers = { ...auth, authorization: `Bearer ${rawKey}` };
      wire.answer(bytes);
      const reply = await chat({ path, headers });
      expectRefusal(reply, 502, 'upstream_unavailable');
      expect(reply.body).not.toContain('SECRET');
      await expect.poll(() => readAccount(gateway.redis, keyHash)).toMatchObject({ reserved: 0 });
      expect((await readAccount(gateway.redis, keyHash)).spent).toBeGreaterThan(0);
      wire.answer(OK);
      expect(await chat({ path })).toMatchObject({ status: 200, body: '{}' });
    });

    it.each([
      ['100', 'HTTP/1.1 100 Continue\r\n\r\n'],
      ['100 twice', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
      ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
      ['103 with links', 'HTTP/1.1 103 Early Hints\r\nlink: </evil>; rel=preload\r\nset-cookie: a=b\r\n\r\n'],
      ['many of 103', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500)],
    ])('%s is dropped, and the answer after it is sent', async (_name, interim) => {
      wire.answer(interim + OK);
      const reply = await chat({ path });
      expect(reply).toMatchObject({ status: 200, body: '{}' });
      expect(reply.headers).not.toHaveProperty('link');
      expect(reply.headers).not.toHaveProperty('set-cookie');
    });
  });

  it('a compressed answer is decoded before it is inspected and forwarded', async () => {
    provider.behave({ gzip: true });
    const reply = await chat();
    expect(reply.status).toBe(200);
    expect(reply.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(reply.body)).toHaveProperty('choices');
  });
}
