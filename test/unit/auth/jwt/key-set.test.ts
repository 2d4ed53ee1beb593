import { generateKeyPairSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { errors } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { fetchKeySet } from '../../../../src/auth/jwt/fetch-key-set.ts';
import { createKeySet, type KeySet } from '../../../../src/auth/jwt/key-set.ts';
import { createKeyPair, startIssuer, type Json, type TestIssuer } from '../../../support/jose.ts';

const one = createKeyPair('ES256', 'one');
const two = createKeyPair('ES256', 'two');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let issuer: TestIssuer;
let now = 0;
let failures: unknown[] = [];
afterEach(() => issuer.close());

async function started(...keys: readonly Json[]): Promise<KeySet> {
  issuer = await startIssuer(...keys);
  now = 0;
  failures = [];
  return createKeySet({
    fetchKeys: () => fetchKeySet({ url: issuer.url, timeoutMs: 300 }),
    onFailed: (cause) => failures.push(cause),
    now: () => now,
  });
}

const token = { payload: '', signature: '' };
const keyFor = async (keys: KeySet, kid: string): Promise<unknown> =>
  keys.keyFor({ alg: 'ES256', kid }, token);
/** The outcome in a word. */
const outcome = (keys: KeySet, kid: string): Promise<string> =>
  keyFor(keys, kid).then(
    () => 'found',
    (cause: unknown) => {
      if (cause instanceof errors.JWKSNoMatchingKey) return 'none';
      return (cause as { type?: string }).type ?? String(cause);
    },
  );

describe('the key set', () => {
  it('is fetched once for many simultaneous requests, and kept', async () => {
    const keys = await started(one.jwk);
    expect(await Promise.all(Array.from({ length: 50 }, () => outcome(keys, 'one')))).toEqual(
      Array.from({ length: 50 }, () => 'found'),
    );
    now = 4 * MINUTE;
    expect(await outcome(keys, 'one')).toBe('found');
    expect(issuer.reads()).toBe(1);
  });

  it('is refreshed in the background once it is old', async () => {
    const keys = await started(one.jwk);
    await keys.warm();
    issuer.hang();
    now = 5 * MINUTE;
    expect(await outcome(keys, 'one')).toBe('found');
    await expect.poll(() => issuer.reads()).toBe(2);
  });

  it('accepts a rotated key at once, and forgets the withdrawn one', async () => {
    const keys = await started(one.jwk);
    expect(await outcome(keys, 'one')).toBe('found');
    issuer.publish(two.jwk);
    now = MINUTE;
    const generation = keys.generation;
    expect(await outcome(keys, 'two')).toBe('found');
    expect(keys.generation).toBeGreaterThan(generation);
    expect(await outcome(keys, 'one')).toBe('none');
  });

  it('asks the issuer at most once in ten seconds, for any keys that tokens name', async () => {
    const keys = await started(one.jwk);
    await keys.warm();
    for (now = 0; now < 30_000; now += 500) {
      const asked = Array.from({ length: 5 }, (_, index) => outcome(keys, `made-up-${String(index)}`));
      expect(new Set(await Promise.all(asked))).toEqual(new Set(['none']));
    }
    expect(issuer.reads()).toBe(3);
  });

  it('keeps its keys during an outage, for a day', async () => {
    const keys = await started(one.jwk);
    await keys.warm();
    issuer.answer(500, 'broken');
    for (now = 6 * MINUTE; now < DAY; now += 4 * 60 * MINUTE)
      expect(await outcome(keys, 'one')).toBe('found');
    now = DAY;
    expect(await outcome(keys, 'one')).toBe('gateway_unavailable');
    expect(failures).not.toEqual([]);
  });

  it('cannot judge an unknown key while the issuer is away', async () => {
    const keys = await started(one.jwk);
    await keys.warm();
    issuer.answer(503, '');
    now = MINUTE;
    expect(await outcome(keys, 'two')).toBe('gateway_unavailable');
    issuer.publish(one.jwk);
    now = 2 * MINUTE;
    expect(await outcome(keys, 'two')).toBe('none');
  });

  it('fails closed without any key, and recovers as soon as the issuer does', async () => {
    const keys = await started();
    issuer.answer(404, 'nothing here');
    expect(await outcome(keys, 'one')).toBe('gateway_unavailable');
    issuer.publish(one.jwk);
    expect(await outcome(keys, 'one')).toBe('gateway_unavailable');
    now = 1_000;
    expect(await outcome(keys, 'one')).toBe('found');
  });

  it('limits the wait of a request if the issuer never answers', async () => {
    const keys = await started();
    issuer.hang();
    const start = performance.now();
    expect(await outcome(keys, 'one')).toBe('gateway_unavailable');
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('withdraws every key if it is empty', async () => {
    const keys = await started(one.jwk);
    await keys.warm();
    issuer.publish();
    now = MINUTE;
    expect(await outcome(keys, 'two')).toBe('none');
    expect(await outcome(keys, 'one')).toBe('none');
  });
});

describe('a fetched key set', () => {
  const read = async (): Promise<readonly unknown[]> =>
    (await fetchKeySet({ url: issuer.url, timeoutMs: 1_000 })).keys.map(({ kid }) => kid);

  it('has only public keys that can verify accepted tokens', async () => {
    const rsa = createKeyPair('RS256', 'rsa');
    const ed = createKeyPair('EdDSA', 'ed');
    const short = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' });
    const other = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
    issuer = await startIssuer(
      one.jwk,
      rsa.jwk,
      ed.jwk,
      { ...one.privateKey.export({ format: 'jwk' }), kid: 'private' },
      { kty: 'oct', k: 'c2VjcmV0', kid: 'secret' },
      { ...short, kid: 'short' },
      { ...other, kid: 'P-384' },
      { ...two.jwk, use: 'enc', kid: 'for encryption' },
      { ...two.jwk, key_ops: ['sign'], kid: 'for signing' },
      { ...two.jwk, kid: 7 },
    );
    expect(await read()).toEqual(['one', 'rsa', 'ed']);
  });

  it.each<[string, () => void, RegExp]>([
    ['too large', () => issuer.answer(200, `{"keys":[${' '.repeat(300_000)}]}`), /more than 262144 bytes/],
    [
      'too large after decompression',
      () => issuer.answer(200, gzipSync(' '.repeat(50_000_000)), { 'content-encoding': 'gzip' }),
      /more than 262144 bytes/,
    ],
    [
      'a set with too many keys',
      () => issuer.publish(...Array.from({ length: 101 }, () => one.jwk)),
      /100 keys/,
    ],
    ['not JSON', () => issuer.answer(200, '<html>secret</html>'), /^the key set is not JSON$/],
    ['not a key set', () => issuer.answer(200, '[]'), /not a JWK Set/],
    ['an error', () => issuer.answer(401, '{"keys":[]}'), /status 401/],
    ['elsewhere', () => issuer.answer(302, '', { location: 'http://127.0.0.1:9/' }), /fetch failed/],
    ['late', () => issuer.hang(), /timeout/],
  ])('is refused if it is %s', async (_what, change, reason) => {
    issuer = await startIssuer(one.jwk);
    change();
    await expect(fetchKeySet({ url: issuer.url, timeoutMs: 400 })).rejects.toThrow(reason);
  });
});
