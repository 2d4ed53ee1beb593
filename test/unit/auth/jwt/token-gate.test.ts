import { describe, expect, it } from 'vitest';
import type { KeyRecord } from '../../../../src/auth/key-record.ts';
import { TokenRefused } from '../../../../src/auth/jwt/faults.ts';
import { isGatewayToken, presentedToken } from '../../../../src/auth/jwt/presented.ts';
import { createTokenGate, type Bearer, type TokenGateDeps } from '../../../../src/auth/jwt/token-gate.ts';
import type { VerifiedToken } from '../../../../src/auth/jwt/token.ts';
import { AUDIENCE, createKeyPair, goodClaims, ISSUER, signToken } from '../../../support/jose.ts';

const HASH = `sha256:${'1'.repeat(64)}`;
const OTHER = `sha256:${'2'.repeat(64)}`;
const token: VerifiedToken = { subject: 'agent-7', keyHash: undefined, proofKey: undefined, endsAt: 1 };
const WRITTEN = 'eyJh.eyJi.AAAA';

function gate(over: Partial<TokenGateDeps> = {}) {
  return createTokenGate({
    jwtOnly: false,
    requireDpop: false,
    verifyToken: () => Promise.resolve(token),
    verifyProof: () => Promise.resolve('proof-1'),
    proofs: { claim: () => Promise.resolve(true) },
    ...over,
  });
}

const request = (headers: Readonly<Record<string, string>>) => ({
  method: 'POST',
  target: '/',
  requestId: 'r',
  headers: new Map(Object.entries(headers)),
});
const withJwt = request({ 'x-gateway-jwt': WRITTEN });
const fault = (reading: Promise<unknown>): Promise<unknown> =>
  reading.then(
    (bearer) => (bearer === undefined ? 'nobody' : 'somebody'),
    (cause: unknown) => (cause instanceof TokenRefused ? cause.fault : cause),
  );

describe('the place of a JWT', () => {
  it.each<[string, Record<string, string>, string | undefined, string | undefined]>([
    ['a JWT in its own header', { 'x-gateway-jwt': WRITTEN }, WRITTEN, WRITTEN],
    ['Authorization', { authorization: `Bearer ${WRITTEN}` }, undefined, WRITTEN],
    ['a JWT in Authorization, as in RFC 9449', { authorization: `DPoP ${WRITTEN}` }, undefined, WRITTEN],
    ['a proxy key', { authorization: 'Bearer gw-abc' }, undefined, undefined],
    ['a provider’s token', { authorization: 'Bearer ya29.a-b' }, undefined, undefined],
    ['another scheme', { authorization: `Basic ${WRITTEN}` }, undefined, undefined],
    ['two JWTs', { authorization: `Bearer ${WRITTEN}, Bearer ${WRITTEN}` }, undefined, undefined],
    [
      'a JWT in its own header, and a provider’s JWT in Authorization',
      { 'x-gateway-jwt': WRITTEN, authorization: 'Bearer eyJx.eyJy.zz' },
      WRITTEN,
      WRITTEN,
    ],
    ['an empty header', { 'x-gateway-jwt': '', authorization: `Bearer ${WRITTEN}` }, '', ''],
    ['nothing', {}, undefined, undefined],
  ])('%s', (_what, headers, beside, jwtOnly) => {
    const map = new Map(Object.entries(headers));
    expect([presentedToken(map, false), presentedToken(map, true)]).toEqual([beside, jwtOnly]);
  });
});

describe('a JWT for this gateway', () => {
  const pair = createKeyPair();
  const ours = { issuer: ISSUER, audience: AUDIENCE };
  const good = goodClaims();

  it('is recognized, valid or not', () => {
    expect(isGatewayToken(signToken(pair, good), ours)).toBe(true);
    expect(isGatewayToken(signToken(pair, { ...good, exp: 1, aud: ['x', AUDIENCE] }), ours)).toBe(true);
  });

  it.each([
    ['a JWT of another issuer', signToken(pair, { ...good, iss: 'https://other.example' })],
    ['a JWT for a provider', signToken(pair, { ...good, aud: 'https://provider.example' })],
    ['an API key', 'sk-ant-0123456789'],
    ['text that is not JSON', 'eyJ.eyJ.AA'],
    ['a token with null as its payload', 'eyJ.bnVsbA.AA'],
  ])('is not %s', (_what, credential) => {
    expect(isGatewayToken(credential, ours)).toBe(false);
  });
});

describe('the bearer of a request', () => {
  it('is required only with jwt_only', async () => {
    expect(await fault(gate().read(request({})))).toBe('nobody');
    expect(await fault(gate({ jwtOnly: true }).read(request({})))).toBe('jwt_missing');
    expect(await fault(gate({ jwtOnly: true }).read(undefined))).toBe('jwt_missing');
    expect(await fault(gate().read(withJwt))).toBe('somebody');
  });

  it('must send a proof if the token is bound to a key, or if every token must be', async () => {
    const bound = { verifyToken: () => Promise.resolve({ ...token, proofKey: 'k' }) };
    const proven = request({ 'x-gateway-jwt': WRITTEN, dpop: 'proof' });
    expect(await fault(gate(bound).read(withJwt))).toBe('dpop_missing');
    expect(await gate(bound).read(proven)).toMatchObject({ subject: 'agent-7', proofId: 'proof-1' });
    expect(await fault(gate({ ...bound, verifyProof: undefined }).read(proven))).toBe('dpop_unconfigured');
    expect(await fault(gate({ requireDpop: true }).read(proven))).toBe('dpop_unbound');
    expect(await gate().read(proven)).toMatchObject({ proofId: undefined });
  });
});

const key = (jwtSubject?: string): KeyRecord => ({
  keyHash: HASH,
  name: 'k',
  provider: 'openai',
  tags: {},
  createdAt: 0,
  ...(jwtSubject !== undefined && { jwtSubject }),
});
const bearer = (keyHash?: string): Bearer => ({ ...token, keyHash, proofId: undefined });

describe('a key and its bearer', () => {
  it.each<[string, KeyRecord, Bearer | undefined, string | undefined, string | undefined]>([
    // what                                  key             bearer         beside keys      under jwt_only
    ['a key without a subject, without a JWT', key(), undefined, undefined, undefined],
    ['a key with a subject, without a JWT', key('agent-7'), undefined, 'jwt_missing', 'jwt_missing'],
    ['a key with a subject, for that subject', key('agent-7'), bearer(), undefined, undefined],
    ['a key with a subject, for another subject', key('agent-8'), bearer(), 'jwt_other_key', 'jwt_other_key'],
    ['the key that the token names', key(), bearer(HASH), undefined, undefined],
    ['a key other than the one that the token names', key(), bearer(OTHER), 'jwt_other_key', 'jwt_other_key'],
    [
      'the key that the token names, with another subject',
      key('agent-8'),
      bearer(HASH),
      'jwt_other_key',
      'jwt_other_key',
    ],
    [
      'a key other than the one that the token names, with the same subject',
      key('agent-7'),
      bearer(OTHER),
      'jwt_other_key',
      'jwt_other_key',
    ],
    ['a key without a subject, for a subject', key(), bearer(), undefined, 'jwt_other_key'],
  ])('%s', (_what, record, who, beside, jwtOnly) => {
    expect(gate().faultOf(record, who)).toBe(beside);
    expect(gate({ jwtOnly: true }).faultOf(record, who)).toBe(jwtOnly);
  });
});
