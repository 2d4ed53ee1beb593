import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import {
  AUDIENCE,
  createKeyPair,
  goodClaims,
  ISSUER,
  makeProof,
  part,
  signToken,
  startIssuer,
  type Json,
  type TestIssuer,
} from '../support/jose.ts';
import { expectRefusal } from './budgets/rig.ts';

/**
 * docs/identity.md: JWTs of the key set at `zsp.jwks_url` with `zsp.enabled`, for every key under `zsp.jwt_only`.
 */
const CHAT = '/openai/v1/chat/completions';
const BODY = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] });
const PUBLIC_URL = 'https://llm.example';
const pair = createKeyPair('ES256');
const holder = createKeyPair('EdDSA');

let provider: FakeProvider;
let issuer: TestIssuer;
let gateway: TestGateway;
/** On the same Redis, with `zsp.jwt_only`. */
let jwtOnly: TestGateway;
let bound: TestKey;
let free: TestKey;

beforeAll(async () => {
  [provider, issuer] = await Promise.all([createFakeProvider(), startIssuer(pair.jwk)]);
  const config = {
    providers: { openai: { base_url: provider.url } },
    server: { public_url: PUBLIC_URL },
    zsp: { enabled: true, issuer: ISSUER, audience: AUDIENCE, jwks_url: issuer.url },
  };
  gateway = await startGateway({ config });
  jwtOnly = await startGateway({
    redis: gateway.redis,
    config: { ...config, zsp: { ...config.zsp, jwt_only: true } },
  });
  bound = await gateway.createKey({ jwtSubject: 'agent-7' });
  free = await gateway.createKey();
});
afterAll(async () => {
  await jwtOnly.stop();
  await gateway.stop();
  await Promise.all([provider.close(), issuer.close()]);
});
beforeEach(() => {
  provider.behave({});
});

const jwt = (claims: Json = {}) => signToken(pair, { ...goodClaims(), ...claims });
const SK = { 'x-gateway-provider-key': 'sk-provider-1', 'content-type': 'application/json' };
const ask = (to: TestGateway, headers: Record<string, string>, path = CHAT): Promise<Reply> =>
  send(to.baseUrl, { method: 'POST', path, body: BODY, headers: { ...SK, ...headers } });
const by = (key: TestKey) => ({ authorization: `Bearer ${key.rawKey}` });
const forwarded = () => provider.requests.length;

/** Expects the refusal of an unknown key, and nothing forwarded. */
async function expectRefused(asked: () => Promise<Reply>): Promise<Reply> {
  const before = forwarded();
  const reply = await asked();
  expectRefusal(reply, 401, 'invalid_key');
  expect(forwarded()).toBe(before);
  return reply;
}

describe('a key with a subject', () => {
  it('is accepted from that subject, by a JWT of the key set', async () => {
    const token = jwt();
    expect((await ask(gateway, { ...by(bound), 'x-gateway-jwt': token })).status).toBe(200);
    const headers = provider.requests.at(-1)?.headers;
    expect(headers?.['authorization']).toBe('Bearer sk-provider-1');
    expect(JSON.stringify(headers)).not.toContain(token.slice(-20));
  });

  it.each<[string, () => string]>([
    ['another subject', () => jwt({ sub: 'agent-8' })],
    ['another audience', () => jwt({ aud: 'https://other.example' })],
    ['another issuer', () => jwt({ iss: 'https://evil.example' })],
    ['one whose time is over', () => jwt({ exp: Math.floor(Date.now() / 1_000) - 60 })],
    ['one signed by a stranger', () => signToken(createKeyPair('ES256', pair.kid), goodClaims())],
    ['one without a signature', () => `${part({ alg: 'none' })}.${part(goodClaims())}.`],
    ['one for another key', () => jwt({ gateway_key_hash: free.keyHash })],
  ])('is refused to %s', async (_what, token) => {
    await expectRefused(() => ask(gateway, { ...by(bound), 'x-gateway-jwt': token() }));
  });

  it('is refused without a JWT with the same text as an unknown key', async () => {
    const without = await expectRefused(() => ask(gateway, by(bound)));
    const unknown = await expectRefused(() => ask(gateway, { authorization: `Bearer gw-${'x'.repeat(43)}` }));
    expect(without.body).toBe(unknown.body);
  });

  it('is not accepted in Authorization, where JWTs and proxy keys do not mix', async () => {
    await expectRefused(() => ask(gateway, { 'x-api-key': bound.rawKey, authorization: `Bearer ${jwt()}` }));
  });
});

it('without a subject is unaffected', async () => {
  expect((await ask(gateway, by(free))).status).toBe(200);
});

it('and its JWT are never mistaken for a provider key', async () => {
  const before = forwarded();
  const reply = await ask(gateway, { ...by(free), 'x-gateway-provider-key': jwt() });
  expectRefusal(reply, 400, 'invalid_request');
  expect(forwarded()).toBe(before);
});

describe('under zsp.jwt_only', () => {
  it('a key alone is not enough', async () => {
    await expectRefused(() => ask(jwtOnly, by(free)));
    await expectRefused(() => ask(jwtOnly, by(bound)));
    expect((await ask(jwtOnly, { ...by(bound), 'x-gateway-jwt': jwt() })).status).toBe(200);
  });

  it('an SDK sends its JWT as its API key, and the JWT names the proxy key', async () => {
    const sdk = new OpenAI({
      baseURL: `${jwtOnly.baseUrl}/openai/v1`,
      apiKey: jwt({ gateway_key_hash: free.keyHash }),
      defaultHeaders: { 'X-Gateway-Provider-Key': 'sk-provider-1' },
      maxRetries: 0,
    });
    const stream = await sdk.chat.completions.create({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
    });
    let chunks = 0;
    for await (const _chunk of stream) chunks += 1;
    expect(chunks).toBeGreaterThan(0);
    expect(provider.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-provider-1');
  });

  it('a key in the path needs its JWT too', async () => {
    const path = `/${bound.rawKey}${CHAT}`;
    await expectRefused(() => ask(jwtOnly, {}, path));
    expect((await ask(jwtOnly, { 'x-gateway-jwt': jwt() }, path)).status).toBe(200);
  });
});

describe('a token bound to a key (DPoP, RFC 9449)', () => {
  const token = () => jwt({ cnf: { jkt: holder.thumbprint } });
  const proof = (written: string, url = PUBLIC_URL + CHAT, method = 'POST') =>
    makeProof(holder, { method, url, token: written });

  it('is accepted with a proof for this request, once across all gateways', async () => {
    const written = token();
    const headers = { ...by(bound), 'x-gateway-jwt': written, dpop: proof(written) };
    expect((await ask(gateway, headers)).status).toBe(200);
    expect(provider.requests.at(-1)?.headers).not.toHaveProperty('dpop');
    await expectRefused(() => ask(gateway, headers));
    await expectRefused(() => ask(jwtOnly, headers));
  });

  it('is accepted in Authorization: DPoP under jwt_only, with the key in the path', async () => {
    const written = token();
    const path = `/${bound.rawKey}${CHAT}`;
    const headers = { authorization: `DPoP ${written}`, dpop: proof(written, PUBLIC_URL + path) };
    expect((await ask(jwtOnly, headers, path)).status).toBe(200);
  });

  it.each<[string, (written: string) => Record<string, string>]>([
    ['without a proof', () => ({})],
    [
      'with one for another address',
      (written) => ({ dpop: proof(written, `${PUBLIC_URL}/openai/v1/models`) }),
    ],
    [
      'with one for the address that Envoy listens on',
      (written) => ({ dpop: proof(written, gateway.baseUrl + CHAT) }),
    ],
    ['with one for another method', (written) => ({ dpop: proof(written, undefined, 'GET') })],
    ['with one for another token', () => ({ dpop: proof(token()) })],
    [
      'with one by another key',
      (written) => ({
        dpop: makeProof(createKeyPair(), { method: 'POST', url: PUBLIC_URL + CHAT, token: written }),
      }),
    ],
  ])('is refused %s', async (_what, headers) => {
    const written = token();
    await expectRefused(() => ask(gateway, { ...by(bound), 'x-gateway-jwt': written, ...headers(written) }));
  });
});

it('leaves no JWT and no proof in logs, Redis and metrics, and the reason in the logs', async () => {
  const written = jwt({ cnf: { jkt: holder.thumbprint }, sub: 'agent-8' });
  const dpop = makeProof(holder, { method: 'POST', url: PUBLIC_URL + CHAT, token: written });
  await expectRefused(() => ask(gateway, { ...by(bound), 'x-gateway-jwt': written, dpop }));
  await expect.poll(() => gateway.logs()).toContain('"fault":"jwt_other_key"');
  const metrics = await gateway.metrics();
  expect(metrics).toMatch(/gateway_jwt_refusals_total\{fault="jwt_other_key"\} [1-9]/);
  expect(metrics).toMatch(/gateway_jwks_reads_total\{outcome="read"\} 1/);
  const names = await gateway.redis.client.keys('*');
  const stored = await Promise.all(
    names.filter((name) => name.startsWith('gateway:dpop:')).map((name) => gateway.redis.client.get(name)),
  );
  const everywhere = [gateway.logs(), metrics, ...names, ...stored].join('\n');
  for (const secret of [written, dpop]) {
    for (const piece of secret.split('.')) expect(everywhere).not.toContain(piece);
  }
});

it('an issuer’s new keys are used, and an unreachable issuer delays no request', async () => {
  const next = createKeyPair('PS256');
  issuer.publish(pair.jwk, next.jwk);
  const rotated = () =>
    ask(gateway, { ...by(bound), 'x-gateway-jwt': signToken(next, goodClaims()) }).then(
      ({ status }) => status,
    );
  await expect.poll(rotated, { timeout: 20_000, interval: 500 }).toBe(200);
  issuer.answer(500, '');
  expect(await rotated()).toBe(200);
});
