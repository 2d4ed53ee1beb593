import { errors, jwtVerify, type JWTPayload } from 'jose';
import { hash } from 'node:crypto';
import { GatewayError } from '../../errors.ts';
import { RecentMap } from '../../recent-map.ts';
import { TokenRefused, type TokenFault } from './faults.ts';
import type { KeySet } from './key-set.ts';

/** Only asymmetric algorithms, so that a public key cannot serve as a shared secret. */
export const TOKEN_ALGORITHMS = ['ES256', 'RS256', 'PS256', 'EdDSA'];

/** Values by claim name. An array claim has several. */
export type TokenClaims = Readonly<Record<string, readonly string[]>>;

export interface VerifiedToken {
  /** `sub`. */
  readonly subject: string;
  /** `gateway_key_hash`: the proxy key named by the issuer. */
  readonly keyHash: string | undefined;
  /** `cnf.jkt`: thumbprint of the key that must sign DPoP proofs. */
  readonly proofKey: string | undefined;
  /** `gateway_credentials`: the gateway's credentials to use instead of the key's. */
  readonly credentials?: readonly string[];
  readonly claims?: TokenClaims;
  /** Unix ms, including the leeway. */
  readonly endsAt: number;
}

export interface TokenVerifierOptions {
  readonly keys: KeySet;
  readonly issuer: string;
  readonly audience: string;
  readonly leewayMs: number;
  /** Names of further claims to read (`budgets[].match.claims`). */
  readonly claims?: readonly string[];
  readonly now?: () => number;
}

/**
 * Verifies one JWT (RFC 7519; claims as in RFC 9068).
 * @throws TokenRefused, GatewayError gateway_unavailable
 */
export type VerifyToken = (token: string) => Promise<VerifiedToken>;

const MAX_TOKEN_CHARS = 16_384;
const MAX_CLAIM_CHARS = 256;
const MAX_REMEMBERED = 5_000;
const REQUIRED = ['iss', 'aud', 'exp', 'iat', 'sub', 'jti'];
/** RFC 9068 section 2.1, and `JWT`, which most issuers use. */
const TYPES: ReadonlySet<string> = new Set(['at+jwt', 'application/at+jwt', 'jwt']);
const KEY_HASH = /^sha256:[0-9a-f]{64}$/;
/** Base64url of a SHA-256 digest (RFC 7638). */
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

interface Remembered {
  readonly token: VerifiedToken;
  readonly generation: number;
}

export function createTokenVerifier(options: TokenVerifierOptions): VerifyToken {
  const { keys, issuer, audience, leewayMs, claims: claimNames = [], now = Date.now } = options;
  /** Verified tokens by digest, because agents send the same token with every request. */
  const known = new RecentMap<Remembered>(MAX_REMEMBERED);

  return async (written) => {
    if (written.length > MAX_TOKEN_CHARS) throw new TokenRefused('jwt_malformed');
    const digest = hash('sha256', written, 'base64url');
    const before = known.get(digest);
    // Read first, because the key set may change during verification.
    const { generation } = keys;
    if (before !== undefined && before.generation === generation) {
      if (before.token.endsAt <= now()) throw new TokenRefused('jwt_expired');
      return before.token;
    }
    const token = await verify(written);
    known.set(digest, { token, generation });
    return token;
  };

  async function verify(written: string): Promise<VerifiedToken> {
    try {
      const { payload, protectedHeader } = await jwtVerify(written, keys.keyFor, {
        algorithms: TOKEN_ALGORITHMS,
        issuer,
        audience,
        requiredClaims: REQUIRED,
        clockTolerance: leewayMs / 1_000,
        currentDate: new Date(now()),
      });
      if (!TYPES.has((protectedHeader.typ ?? 'jwt').toLowerCase())) throw new TokenRefused('jwt_type');
      return { ...claimsOf(payload, now(), leewayMs), ...furtherClaims(payload, claimNames) };
    } catch (cause) {
      throw refusalOf(cause);
    }
  }
}

function claimsOf(payload: JWTPayload, nowMs: number, leewayMs: number): VerifiedToken {
  const { sub, jti, iat = NaN, exp = NaN, gateway_key_hash: keyHash } = payload;
  if (!isNameClaim(sub) || !isNameClaim(jti)) throw new TokenRefused('jwt_claim_invalid');
  if (!(iat * 1_000 <= nowMs + leewayMs)) throw new TokenRefused('jwt_not_yet_valid');
  if (keyHash !== undefined && !(typeof keyHash === 'string' && KEY_HASH.test(keyHash))) {
    throw new TokenRefused('jwt_claim_invalid');
  }
  return { subject: sub, keyHash, proofKey: proofKeyOf(payload), endsAt: exp * 1_000 + leewayMs };
}

const MAX_CREDENTIALS = 32;
const MAX_VALUES = 1_000;

/** Refuses malformed claims, because budgets would not count such requests. */
function furtherClaims(
  payload: JWTPayload,
  names: readonly string[],
): Pick<VerifiedToken, 'credentials' | 'claims'> {
  const { gateway_credentials: written } = payload;
  const credentials = written === undefined ? undefined : valuesOf(written, MAX_CREDENTIALS);
  const claims = names
    .filter((name) => Object.hasOwn(payload, name))
    .map((name) => [name, valuesOf(payload[name], MAX_VALUES)] as const);
  return {
    ...(credentials && { credentials }),
    ...(names.length > 0 && { claims: Object.fromEntries(claims) }),
  };
}

function valuesOf(claim: unknown, most: number): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  if (values.length > most) throw new TokenRefused('jwt_claim_invalid');
  return values.map((value) => {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (typeof value !== 'string') throw new TokenRefused('jwt_claim_invalid');
    return value;
  });
}

function isNameClaim(claim: unknown): claim is string {
  return typeof claim === 'string' && claim !== '' && claim.length <= MAX_CLAIM_CHARS;
}

/** Refuses tokens with an unknown binding, because a thief could use them. */
function proofKeyOf({ cnf }: JWTPayload): string | undefined {
  if (cnf === undefined) return undefined;
  const { jkt, ...others } = (cnf ?? {}) as { readonly jkt?: unknown };
  if (typeof jkt !== 'string' || !THUMBPRINT.test(jkt) || Object.keys(others).length > 0) {
    throw new TokenRefused('jwt_confirmation');
  }
  return jkt;
}

const FAULT_OF_CLAIM: Readonly<Record<string, TokenFault>> = {
  iss: 'jwt_issuer',
  aud: 'jwt_audience',
  nbf: 'jwt_not_yet_valid',
};

function refusalOf(cause: unknown): Error {
  if (cause instanceof GatewayError || cause instanceof TokenRefused) return cause;
  return new TokenRefused(tokenFault(cause));
}

function tokenFault(cause: unknown): TokenFault {
  if (cause instanceof errors.JWTExpired) return 'jwt_expired';
  if (cause instanceof errors.JWTClaimValidationFailed) {
    if (cause.reason === 'missing') return 'jwt_claim_missing';
    return FAULT_OF_CLAIM[cause.claim] ?? 'jwt_claim_invalid';
  }
  if (cause instanceof errors.JOSEAlgNotAllowed) return 'jwt_algorithm';
  if (cause instanceof errors.JWSSignatureVerificationFailed) return 'jwt_signature';
  const isUnknown =
    cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys;
  return isUnknown ? 'jwt_key_unknown' : 'jwt_malformed';
}
