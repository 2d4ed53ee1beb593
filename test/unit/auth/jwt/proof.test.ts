import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { TokenRefused } from '../../../../src/auth/jwt/faults.ts';
import { createProofVerifier, proofLifeMs } from '../../../../src/auth/jwt/proof.ts';
import {
  compact,
  createKeyPair,
  goodClaims,
  makeProof,
  signToken,
  type Json,
  type ProofOptions,
} from '../../../support/jose.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const PUBLIC_URL = 'https://gateway.example/llm';
const PATH = '/openai/v1/chat/completions';
const pair = createKeyPair('ES256');
const stranger = createKeyPair('ES256');
const token = signToken(createKeyPair(), { ...goodClaims(NOW), cnf: { jkt: pair.thumbprint } });
const made: ProofOptions = { method: 'POST', url: PUBLIC_URL + PATH, token, nowMs: NOW };

const verify = createProofVerifier({ publicUrl: PUBLIC_URL, leewayMs: 30_000, now: () => NOW });
const check = (proof: string, target = PATH) =>
  verify(proof, { method: 'POST', target, token, proofKey: pair.thumbprint });

async function faultOf(proof: string, target = PATH): Promise<string> {
  const refused: unknown = await check(proof, target).catch((cause: unknown) => cause);
  if (!(refused instanceof TokenRefused)) throw new Error('was not refused', { cause: refused });
  return refused.fault;
}

describe('a valid DPoP proof', () => {
  it.each(['ES256', 'RS256', 'PS256', 'EdDSA'] as const)('may be signed with %s', async (algorithm) => {
    const own = createKeyPair(algorithm);
    const header = { alg: algorithm };
    const proof =
      algorithm === 'ES256' || algorithm === 'EdDSA'
        ? makeProof(own, { ...made, header })
        : signToken(
            own,
            JSON.parse(
              Buffer.from(makeProof(pair, made).split('.')[1] ?? '', 'base64url').toString(),
            ) as Json,
            { typ: 'dpop+jwt', jwk: own.publicKey.export({ format: 'jwk' }) },
          );
    await expect(
      verify(proof, { method: 'POST', target: PATH, token, proofKey: own.thumbprint }),
    ).resolves.toMatch(/^[\w-]{43}$/);
  });

  it('has an id of its key and its jti, which reveals a replay', async () => {
    const first = makeProof(pair, { ...made, claims: { jti: 'a' } });
    const again = makeProof(pair, { ...made, claims: { jti: 'a', iat: NOW / 1_000 - 1 } });
    const next = makeProof(pair, { ...made, claims: { jti: 'b' } });
    const names = await Promise.all([first, again, next].map((proof) => check(proof)));
    expect([names[0] === names[1], names[1] === names[2]]).toEqual([true, false]);
  });

  it.each<[string, string, string]>([
    ['without the query', `${PUBLIC_URL}${PATH}`, `${PATH}?stream=1`],
    ['with another query and a fragment', `${PUBLIC_URL}${PATH}?a=b#c`, PATH],
    ['with an explicit scheme, host and port', `HTTPS://Gateway.Example:443/llm${PATH}`, PATH],
    [
      'with unnecessary escapes',
      `${PUBLIC_URL}/openai/v1/chat%2Fcompletions`,
      '/openai/v1/chat%2fcompletions',
    ],
    ['with escaped letters', `${PUBLIC_URL}/%6fpenai/v1/chat/completions`, PATH],
  ])('may name the URL %s', async (_what, url, target) => {
    await expect(check(makeProof(pair, { ...made, url }), target)).resolves.toBeTypeOf('string');
  });

  it.each([-89, 29])('may have a time %i seconds from now', async (seconds) => {
    await expect(check(makeProof(pair, { ...made, nowMs: NOW + seconds * 1_000 }))).resolves.toBeTypeOf(
      'string',
    );
  });

  it('is remembered for longer than it is accepted', () => {
    expect(proofLifeMs(30_000)).toBeGreaterThan(60_000 + 2 * 30_000);
  });
});

describe('a DPoP proof is refused', () => {
  it.each<[string, string, Partial<ProofOptions>]>([
    ['for another method', 'dpop_other_request', { method: 'GET' }],
    ['for a method in another letter case', 'dpop_other_request', { method: 'post' }],
    ['for another host', 'dpop_other_request', { url: `https://evil.example/llm${PATH}` }],
    ['for plain http', 'dpop_other_request', { url: `http://gateway.example/llm${PATH}` }],
    ['for another port', 'dpop_other_request', { url: `https://gateway.example:8443/llm${PATH}` }],
    ['for another path', 'dpop_other_request', { url: `${PUBLIC_URL}/openai/v1/models` }],
    [
      'for the path after the gateway’s rewriting',
      'dpop_other_request',
      { url: `https://gateway.example${PATH}` },
    ],
    ['for an invalid URL', 'dpop_other_request', { url: 'not a url' }],
    ['for a URL with a user', 'dpop_other_request', { url: `https://a@gateway.example/llm${PATH}` }],
    ['for a path in another letter case', 'dpop_other_request', { url: PUBLIC_URL + PATH.toUpperCase() }],
    ['for another token', 'dpop_other_token', { token: 'another' }],
    ['too old', 'dpop_time', { nowMs: NOW - 91_000 }],
    ['from the future', 'dpop_time', { nowMs: NOW + 31_000 }],
    ['without htm', 'dpop_malformed', { claims: { htm: undefined } }],
    ['without htu', 'dpop_malformed', { claims: { htu: undefined } }],
    ['without iat', 'dpop_malformed', { claims: { iat: undefined } }],
    ['without jti', 'dpop_malformed', { claims: { jti: undefined } }],
    ['without ath', 'dpop_malformed', { claims: { ath: undefined } }],
    ['with an empty jti', 'dpop_malformed', { claims: { jti: '' } }],
    ['with a jti that is too long', 'dpop_malformed', { claims: { jti: 'x'.repeat(257) } }],
    ['with a time that is not a number', 'dpop_time', { claims: { iat: '1' } }],
    ['that has an exp in the past', 'dpop_time', { claims: { exp: NOW / 1_000 - 31 } }],
    ['of another type', 'dpop_malformed', { header: { typ: 'JWT' } }],
    ['without a type', 'dpop_malformed', { header: { typ: undefined } }],
    ['with a critical header', 'dpop_malformed', { header: { crit: ['x'], x: 1 } }],
    ['without a key', 'dpop_malformed', { header: { jwk: undefined } }],
    ['with a key that is not an object', 'dpop_malformed', { header: { jwk: 'x' } }],
    ['by another key', 'dpop_other_key', { header: { jwk: stranger.jwk } }],
    [
      'that contains its private key',
      'dpop_malformed',
      { header: { jwk: pair.privateKey.export({ format: 'jwk' }) } },
    ],
    ['with an algorithm of another key type', 'dpop_malformed', { header: { alg: 'RS256' } }],
    ['unsigned', 'dpop_malformed', { header: { alg: 'none' } }],
  ])('%s', async (_what, fault, changed) => {
    expect(await faultOf(makeProof(pair, { ...made, ...changed }))).toBe(fault);
  });

  it('that has this key in its header and another signer', async () => {
    const { kid: _kid, alg: _alg, use: _use, ...jwk } = pair.jwk;
    expect(await faultOf(makeProof(stranger, { ...made, header: { jwk } }))).toBe('dpop_signature');
  });

  it('that is signed with the public key as a shared secret', async () => {
    const { kid: _kid, alg: _alg, use: _use, ...jwk } = pair.jwk;
    const proof = compact({ typ: 'dpop+jwt', alg: 'HS256', jwk }, {}, (input) =>
      createHmac('sha256', JSON.stringify(jwk)).update(input).digest(),
    );
    expect(await faultOf(proof)).toBe('dpop_malformed');
  });

  it.each(['', 'hello', 'a.b.c', `${makeProof(pair, made)}, ${makeProof(pair, made)}`, 'x'.repeat(9_000)])(
    'that is missing, duplicated or too long (%#)',
    async (proof) => {
      expect(await faultOf(proof)).toBe('dpop_malformed');
    },
  );
});
