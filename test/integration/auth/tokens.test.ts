import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuthenticate, type Authenticate, type Identity } from '../../../src/auth/authenticate.ts';
import { startTokenGate } from '../../../src/auth/jwt/token-gate.ts';
import type { NewKey } from '../../../src/auth/key-fields.ts';
import { createKeyStateStore } from '../../../src/auth/key-state-store.ts';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { defaultConfig } from '../../support/default-config.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { GatewayError } from '../../../src/errors.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import {
  AUDIENCE,
  createKeyPair,
  goodClaims,
  ISSUER,
  makeProof,
  signToken,
  startIssuer,
  type Json,
  type TestIssuer,
} from '../../support/jose.ts';
import { useTestRedis } from '../../support/redis.ts';

const PUBLIC_URL = 'https://gateway.example';
const TARGET = '/openai/v1/chat/completions';
const pair = createKeyPair();
const holder = createKeyPair();

let issuer: TestIssuer;
const redis = useTestRedis();
let client: RedisClient;
let faults: (string | undefined)[];

beforeAll(async () => {
  issuer = await startIssuer(pair.jwk);
  client = await redis.connect();
});
afterAll(() => issuer.close());
beforeEach(async () => {
  await redis.flush();
  faults = [];
});

type Zsp = NonNullable<ConfigInput['zsp']>;

/** One gateway's authentication; several share Redis and the issuer. */
function gateway(zsp: Zsp = {}, jwksUrl = issuer.url): Authenticate {
  const config = defaultConfig({
    server: { public_url: PUBLIC_URL },
    zsp: { enabled: true, issuer: ISSUER, audience: AUDIENCE, jwks_url: jwksUrl, ...zsp },
  });
  return createAuthenticate({
    keys: createKeyStateStore({ client, deadlineMs: 500 }),
    failures: { count: (_address, fault) => faults.push(fault), isOver: () => false },
    heldAttempts: { count: () => undefined },
    riskProfile: config.risk_profile,
    tokens: startTokenGate({
      config,
      client,
      deadlineMs: 500,
      onKeysFetched: () => undefined,
      onKeysFailed: () => undefined,
    }),
  });
}

interface Sent {
  readonly rawKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestId?: string;
  readonly onKnownKey?: (keyHash: string) => void;
}

function present(authenticate: Authenticate, sent: Sent): Promise<Identity> {
  const { rawKey, headers = {}, requestId = randomUUID(), onKnownKey } = sent;
  return authenticate({
    rawKey,
    clientAddress: '192.0.2.7',
    ...(onKnownKey !== undefined && { onKnownKey }),
    request: { method: 'POST', target: TARGET, requestId, headers: new Map(Object.entries(headers)) },
  });
}

/** The type of a refusal, or the name of the admitted key. */
async function outcome(authenticate: Authenticate, sent: Sent): Promise<string> {
  try {
    return (await present(authenticate, sent)).key.name;
  } catch (failure) {
    if (failure instanceof GatewayError) return failure.type;
    throw failure;
  }
}

const createKey = (key: Partial<NewKey> = {}) =>
  createKeyStore(client).create({ name: 'k', provider: 'openai', ...key });
const jwt = (claims: Json = {}) => signToken(pair, { ...goodClaims(), ...claims });
const own = (token: string) => ({ 'x-gateway-jwt': token });

describe('beside proxy keys', () => {
  it('a key with a subject is only for that subject, and every other key for its holder', async () => {
    const bound = await createKey({ name: 'bound', jwtSubject: 'agent-7' });
    const free = await createKey({ name: 'free' });
    const authenticate = gateway();
    expect(await outcome(authenticate, { rawKey: free.rawKey })).toBe('free');
    expect(await outcome(authenticate, { rawKey: free.rawKey, headers: own(jwt()) })).toBe('free');
    expect(await outcome(authenticate, { rawKey: bound.rawKey, headers: own(jwt()) })).toBe('bound');
    expect(faults).toEqual([]);
    expect(await outcome(authenticate, { rawKey: bound.rawKey })).toBe('invalid_key');
    expect(await outcome(authenticate, { rawKey: bound.rawKey, headers: own(jwt({ sub: 'agent-8' })) })).toBe(
      'invalid_key',
    );
    expect(await outcome(authenticate, { rawKey: free.rawKey, headers: own(jwt({ aud: 'x' })) })).toBe(
      'invalid_key',
    );
    expect(faults).toEqual(['jwt_missing', 'jwt_other_key', 'jwt_audience']);
  });

  it('a JWT alone names no key', async () => {
    const { record } = await createKey();
    const headers = own(jwt({ gateway_key_hash: record.keyHash }));
    expect(await outcome(gateway(), { headers })).toBe('invalid_key');
  });

  it('nothing is done for a key before its bearer is known', async () => {
    const { rawKey, record } = await createKey({ jwtSubject: 'agent-7' });
    const authenticate = gateway();
    const told: string[] = [];
    const onKnownKey = (keyHash: string) => void told.push(keyHash);
    await present(authenticate, { rawKey, headers: own(jwt()), onKnownKey });
    expect(told).toEqual([record.keyHash]);
    expect(await outcome(authenticate, { rawKey, onKnownKey })).toBe('invalid_key');
    expect(told).toEqual([record.keyHash]);
  });
});

describe('under jwt_only', () => {
  it('every key needs a JWT that may use it', async () => {
    const bound = await createKey({ name: 'bound', jwtSubject: 'agent-7' });
    const free = await createKey({ name: 'free' });
    const authenticate = gateway({ jwt_only: true });
    expect(await outcome(authenticate, { rawKey: free.rawKey })).toBe('invalid_key');
    expect(await outcome(authenticate, { rawKey: free.rawKey, headers: own(jwt()) })).toBe('invalid_key');
    const naming = own(jwt({ gateway_key_hash: free.record.keyHash }));
    expect(await outcome(authenticate, { rawKey: free.rawKey, headers: naming })).toBe('free');
    expect(await outcome(authenticate, { rawKey: bound.rawKey, headers: naming })).toBe('invalid_key');
    const authorization = { authorization: `Bearer ${jwt()}` };
    expect(await outcome(authenticate, { rawKey: bound.rawKey, headers: authorization })).toBe('bound');
    expect(faults).toEqual(['jwt_missing', 'jwt_other_key', 'jwt_other_key']);
  });

  it('a JWT that names its key needs no raw key, in any state of the raw keys', async () => {
    const { record } = await createKey({ name: 'named', jwtSubject: 'agent-7' });
    const authenticate = gateway({ jwt_only: true });
    const headers = own(jwt({ gateway_key_hash: record.keyHash }));
    const { key, rawKeyHash, tokenEndsAt } = await present(authenticate, { headers });
    expect([key.name, rawKeyHash]).toEqual(['named', undefined]);
    expect(tokenEndsAt).toBeGreaterThan(Date.now());

    await createKeyStore(client).rotate(record.keyHash, 0);
    expect(await outcome(authenticate, { headers })).toBe('named');
    expect(await outcome(authenticate, { headers: own(jwt()) })).toBe('invalid_key');
    const stranger = own(jwt({ gateway_key_hash: record.keyHash, sub: 'agent-8' }));
    expect(await outcome(authenticate, { headers: stranger })).toBe('invalid_key');
    const unknown = own(jwt({ gateway_key_hash: `sha256:${'0'.repeat(64)}` }));
    expect(await outcome(authenticate, { headers: unknown })).toBe('invalid_key');

    await client.set(`gateway:quarantine:${record.keyHash}`, '1', 'PX', 60_000);
    expect(await outcome(authenticate, { headers })).toBe('quarantined');
    await createKeyStore(client).revoke(record.keyHash);
    expect(await outcome(authenticate, { headers })).toBe('invalid_key');
  });

  it('the hash of another raw key of the same identity does not name it', async () => {
    const { record } = await createKey({ name: 'named' });
    const rotated = await createKeyStore(client).rotate(record.keyHash, 60_000);
    const { hashKey } = await import('../../../src/auth/raw-key.ts');
    const headers = own(jwt({ gateway_key_hash: hashKey(rotated.rawKey) }));
    expect(await outcome(gateway({ jwt_only: true }), { headers })).toBe('invalid_key');
  });
});

describe('a DPoP proof', () => {
  const bound = () => jwt({ cnf: { jkt: holder.thumbprint } });
  const proofFor = (token: string, claims: Json = {}) =>
    makeProof(holder, { method: 'POST', url: PUBLIC_URL + TARGET, token, claims });

  it('is accepted once, across all gateways, among any number of simultaneous attempts', async () => {
    const { rawKey } = await createKey();
    const gateways = [gateway(), gateway(), gateway()];
    const token = bound();
    const headers = { ...own(token), dpop: proofFor(token) };
    const tried = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        outcome(gateways[index % 3] ?? gateway(), { rawKey, headers }),
      ),
    );
    expect(tried.filter((one) => one === 'k')).toHaveLength(1);
    expect(new Set(faults)).toEqual(new Set(['dpop_replayed']));
    const next = { ...own(token), dpop: proofFor(token) };
    expect(await outcome(gateway(), { rawKey, headers: next })).toBe('k');
  });

  it('is accepted again for the same request, which Envoy may ask about again', async () => {
    const { rawKey } = await createKey();
    const token = bound();
    const sent = { rawKey, headers: { ...own(token), dpop: proofFor(token) }, requestId: randomUUID() };
    expect([await outcome(gateway(), sent), await outcome(gateway(), sent)]).toEqual(['k', 'k']);
  });

  it('is remembered for as long as it could be used, and no longer', async () => {
    const { rawKey } = await createKey();
    const token = bound();
    await present(gateway(), { rawKey, headers: { ...own(token), dpop: proofFor(token) } });
    const [name = ''] = await client.keys('gateway:dpop:*');
    const lifeMs = await client.pttl(name);
    expect(lifeMs).toBeGreaterThan(120_000);
    expect(lifeMs).toBeLessThanOrEqual(180_000);
    expect(await client.get(name)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is required of every token if configured', async () => {
    const { rawKey } = await createKey();
    const authenticate = gateway({ require_dpop: true });
    const free = jwt();
    expect(await outcome(authenticate, { rawKey, headers: own(free) })).toBe('invalid_key');
    expect(await outcome(authenticate, { rawKey, headers: { ...own(free), dpop: proofFor(free) } })).toBe(
      'invalid_key',
    );
    const token = bound();
    expect(await outcome(authenticate, { rawKey, headers: own(token) })).toBe('invalid_key');
    expect(await outcome(authenticate, { rawKey, headers: { ...own(token), dpop: proofFor(token) } })).toBe(
      'k',
    );
    expect(faults).toEqual(['dpop_unbound', 'dpop_unbound', 'dpop_missing']);
  });

  it('admits nothing while Redis cannot say whether it was used', async () => {
    const { rawKey } = await createKey();
    const authenticate = gateway();
    const token = bound();
    await present(authenticate, { rawKey, headers: { ...own(token), dpop: proofFor(token) } });
    const headers = { ...own(token), dpop: proofFor(token) };
    await redis.pause();
    try {
      expect(await outcome(authenticate, { rawKey, headers })).toBe('redis_unavailable');
    } finally {
      await redis.resume();
    }
  });
});

describe('an issuer outage', () => {
  it('admits nothing if no key is known, and ends with the outage', async () => {
    const { rawKey } = await createKey({ jwtSubject: 'agent-7' });
    const away = await startIssuer();
    away.answer(500, '');
    try {
      const authenticate = gateway({}, away.url);
      expect(await outcome(authenticate, { rawKey, headers: own(jwt()) })).toBe('gateway_unavailable');
      expect(faults).toEqual([]);
      away.publish(pair.jwk);
      await expect.poll(() => outcome(authenticate, { rawKey, headers: own(jwt()) })).toBe('k');
    } finally {
      await away.close();
    }
  });
});
