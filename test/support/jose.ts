import { createHash, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import { createSigner, type Algorithm } from 'fast-jwt';
import { onLoopback } from './loopback.ts';

/** Keys and tokens of an issuer, made by a library other than the gateway's; invalid ones are made by hand. */
export type TestAlgorithm = 'ES256' | 'RS256' | 'PS256' | 'EdDSA';

export interface TestKeyPair {
  readonly algorithm: TestAlgorithm;
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** As in a key set. */
  readonly jwk: Readonly<Record<string, unknown>>;
  /** RFC 7638. */
  readonly thumbprint: string;
}

export type Json = Readonly<Record<string, unknown>>;

export function createKeyPair(algorithm: TestAlgorithm = 'ES256', kid: string = randomUUID()): TestKeyPair {
  const { privateKey, publicKey } = generate(algorithm);
  const bare = publicKey.export({ format: 'jwk' }) as Readonly<Record<string, string>>;
  const members = { EC: ['crv', 'kty', 'x', 'y'], OKP: ['crv', 'kty', 'x'], RSA: ['e', 'kty', 'n'] }[
    bare['kty'] as 'EC' | 'OKP' | 'RSA'
  ];
  const canonical = JSON.stringify(Object.fromEntries(members.map((name) => [name, bare[name]])));
  return {
    algorithm,
    kid,
    privateKey,
    publicKey,
    jwk: { ...bare, kid, alg: algorithm, use: 'sig' },
    thumbprint: createHash('sha256').update(canonical).digest('base64url'),
  };
}

function generate(algorithm: TestAlgorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2_048 });
}

export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'https://gateway.example';

/** The claims that RFC 9068 requires, valid for five minutes from `nowMs`. */
export function goodClaims(nowMs: number = Date.now()): Json {
  const now = Math.floor(nowMs / 1_000);
  return {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: 'agent-7',
    jti: randomUUID(),
    iat: now,
    exp: now + 300,
  };
}

/** A token signed by fast-jwt, which adds a missing `iat`. */
export function signToken(pair: TestKeyPair, claims: Json, header: Json = {}): string {
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return createSigner({
    key,
    algorithm: pair.algorithm as Algorithm,
    header: { alg: pair.algorithm, kid: pair.kid, typ: 'at+jwt', ...header } as { alg: string },
  })({ ...claims });
}

export function part(json: unknown): string {
  return Buffer.from(JSON.stringify(json)).toString('base64url');
}

/** Any header and claims, with any signer. */
export function compact(header: Json, claims: unknown, signWith: (input: Buffer) => Buffer): string {
  const input = `${part(header)}.${part(claims)}`;
  return `${input}.${signWith(Buffer.from(input)).toString('base64url')}`;
}

/** Signs as ES256 or EdDSA does. */
export function rawSignature(pair: TestKeyPair): (input: Buffer) => Buffer {
  return (input) =>
    pair.algorithm === 'EdDSA'
      ? sign(null, input, pair.privateKey)
      : sign('sha256', input, { key: pair.privateKey, dsaEncoding: 'ieee-p1363' });
}

export interface ProofOptions {
  readonly method: string;
  readonly url: string;
  readonly token: string;
  readonly claims?: Json;
  readonly header?: Json;
  readonly nowMs?: number;
}

/** A DPoP proof as created by a client. */
export function makeProof(pair: TestKeyPair, options: ProofOptions): string {
  const { method, url, token, claims = {}, header = {}, nowMs = Date.now() } = options;
  const { kid: _kid, alg: _alg, use: _use, ...jwk } = pair.jwk;
  const payload = {
    jti: randomUUID(),
    htm: method,
    htu: url,
    iat: Math.floor(nowMs / 1_000),
    ath: createHash('sha256').update(token).digest('base64url'),
    ...claims,
  };
  return compact({ typ: 'dpop+jwt', alg: pair.algorithm, jwk, ...header }, payload, rawSignature(pair));
}

/** A real issuer's key set on a free port, which can be changed, broken and counted. */
export interface TestIssuer {
  readonly url: string;
  readonly reads: () => number;
  publish(...keys: readonly Json[]): void;
  /** Returned instead of the set. */
  answer(status: number, body: string | Buffer, headers?: Readonly<Record<string, string>>): void;
  /** Accepts requests and never answers. */
  hang(): void;
  close(): Promise<void>;
}

export async function startIssuer(...keys: readonly Json[]): Promise<TestIssuer> {
  let count = 0;
  const json = { 'content-type': 'application/jwk-set+json' };
  type Reply = { status: number; body: string | Buffer; headers: Readonly<Record<string, string>> };
  const setOf = (published: readonly Json[]): Reply => ({
    status: 200,
    body: JSON.stringify({ keys: published }),
    headers: json,
  });
  let reply: Reply | undefined = setOf(keys);
  const server = createServer((_request, response) => {
    count += 1;
    if (reply !== undefined) response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  const { url, close } = await onLoopback(server);
  return {
    url: `${url}/jwks.json`,
    reads: () => count,
    publish: (...published) => {
      reply = setOf(published);
    },
    answer: (status, body, headers = json) => {
      reply = { status, body, headers };
    },
    hang: () => {
      reply = undefined;
    },
    close,
  };
}
