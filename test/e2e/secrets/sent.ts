import { connect as connectHttp2 } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { it, expect } from 'vitest';
import type { NewKey } from '../../../src/auth/key-fields.ts';
import type { TestBudget } from '../../support/gateway.ts';
import { mark } from '../../support/secret-search.ts';
import { type SendOptions, send, sendRaw } from '../../support/http.ts';
import { FAKE_AWS_CREDENTIAL } from '../../support/fake-provider/bedrock.ts';
import type { ProviderName } from '../../../src/providers/registry.ts';
import { FAILURES, REFUSALS_AND_ODDITIES, SUCCESSES } from './requests.ts';
import {
  type Pair,
  gateway,
  PROVIDERS,
  proxyKeys,
  newProviderKey,
  provider,
  byPath,
  bearer,
  CHAT,
  byHeader,
  header,
  MODEL,
  CONVERSE,
  redis,
  CHAT_PATH,
  remember,
} from './rig.ts';

async function newPair(name: string, key: Partial<NewKey> = {}, budget?: TestBudget): Promise<Pair> {
  const { rawKey, keyHash } = await gateway.createKey({ allowedProviders: [...PROVIDERS], ...key }, budget);
  proxyKeys.push(mark(`${name}: proxy key`, rawKey));
  return { proxyKey: rawKey, keyHash, providerKey: newProviderKey(name) };
}

async function sent(options: SendOptions): Promise<number> {
  const reply = await send(gateway.baseUrl, options);
  remember(`${JSON.stringify(reply.headers)}\n${reply.body}\n`);
  return reply.status;
}

export function keysSent(): void {
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

  it('an unreachable provider', async () => {
    const pair = await newPair('unreachable');
    const path = `/${pair.proxyKey}/groq/v1/chat/completions`;
    expect(await sent({ path, headers: bearer(pair), body: CHAT })).toBe(502);
  });

  it('a provider that repeats the key in its answer', async () => {
    const pair = await newPair('repeated');
    provider.behave({ status: 401, headers: { 'x-ms-repeated': pair.providerKey }, text: pair.providerKey });
    const reply = await send(gateway.baseUrl, byHeader(pair));
    provider.behave({});
    expect(reply.headers['x-ms-repeated']).toBe(pair.providerKey);
  });

  it('SigV4, with a valid and with an invalid credential', async () => {
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

  it('malformed requests', async () => {
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
      remember(await sendRaw(gateway.port, Buffer.from(bytes(await newPair(name)), 'latin1'), 3_000));
    });
    await Promise.all(replies);
  });

  it('HTTP/2, also aborted half-way', async () => {
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

  it('a Redis outage', async () => {
    const pair = await newPair('outage');
    await redis.pause();
    expect(await sent(byPath(pair))).toBe(503);
    expect(await sent(byHeader(pair))).toBe(503);
    await redis.resume();
  });

  it('a sidecar outage', async () => {
    const pair = await newPair('sidecar');
    for (const { pid } of gateway.workers()) process.kill(pid, 'SIGKILL');
    expect(await sent(byPath(pair))).toBe(503);
    await gateway.waitUntil((now) => now.ready);
  });
}
