import { calculateJwkThumbprint, decodeProtectedHeader, EmbeddedJWK, errors, jwtVerify } from 'jose';
import { hash } from 'node:crypto';
import { TokenRefused, type TokenFault } from './faults.ts';
import { TOKEN_ALGORITHMS } from './token.ts';

export interface ProofOptions {
  /** `server.public_url`, the URL that clients use. */
  readonly publicUrl: string;
  readonly leewayMs: number;
  readonly now?: () => number;
}

export interface ProvenRequest {
  readonly method: string;
  /** Path and query exactly as received. */
  readonly target: string;
  readonly token: string;
  /** `cnf.jkt` of the token. */
  readonly proofKey: string;
}

/**
 * Verifies a DPoP proof (RFC 9449 section 4.3), except for replay. Returns the proof id to claim.
 * @throws TokenRefused
 */
export type VerifyProof = (proof: string, request: ProvenRequest) => Promise<string>;

const MAX_PROOF_CHARS = 8_192;
const MAX_ID_CHARS = 256;
/** Maximum age of a proof, to which the leeway is added. */
const MAX_AGE_MS = 60_000;
/** Margin for gateway clocks that differ by more than the leeway. */
const MARGIN_MS = 60_000;

/** Returns how long a proof must be remembered, in ms. */
export function proofLifeMs(leewayMs: number): number {
  return MAX_AGE_MS + 2 * leewayMs + MARGIN_MS;
}

export function createProofVerifier({ publicUrl, leewayMs, now = Date.now }: ProofOptions): VerifyProof {
  return async (proof, { method, target, token, proofKey }) => {
    // The proof contains its own key, which must match before it is used.
    if ((await thumbprintOf(proof)) !== proofKey) throw new TokenRefused('dpop_other_key');
    const { jti, htm, htu, ath } = await proofClaims(proof, now(), leewayMs);
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_CHARS) {
      throw new TokenRefused('dpop_malformed');
    }
    const [path = ''] = target.split('?', 1);
    const claimed = normalizedUrl(htu);
    if (claimed === undefined || claimed !== normalizedUrl(publicUrl + path) || htm !== method) {
      throw new TokenRefused('dpop_other_request');
    }
    if (ath !== hash('sha256', token, 'base64url')) throw new TokenRefused('dpop_other_token');
    return hash('sha256', `${proofKey}.${jti}`, 'base64url');
  };
}

async function thumbprintOf(proof: string): Promise<string> {
  if (proof.length > MAX_PROOF_CHARS) throw new TokenRefused('dpop_malformed');
  try {
    const { jwk } = decodeProtectedHeader(proof);
    return await calculateJwkThumbprint(jwk ?? { kty: 'none' });
  } catch {
    throw new TokenRefused('dpop_malformed');
  }
}

async function proofClaims(proof: string, nowMs: number, leewayMs: number): Promise<Record<string, unknown>> {
  try {
    const { payload } = await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: TOKEN_ALGORITHMS,
      requiredClaims: ['jti', 'htm', 'htu', 'iat', 'ath'],
      maxTokenAge: MAX_AGE_MS / 1_000,
      clockTolerance: leewayMs / 1_000,
      currentDate: new Date(nowMs),
    });
    return payload;
  } catch (cause) {
    throw new TokenRefused(proofFault(cause));
  }
}

function proofFault(cause: unknown): TokenFault {
  if (cause instanceof errors.JWTExpired) return 'dpop_time';
  if (cause instanceof errors.JWTClaimValidationFailed) {
    return cause.claim === 'iat' && cause.reason !== 'missing' ? 'dpop_time' : 'dpop_malformed';
  }
  return cause instanceof errors.JWSSignatureVerificationFailed ? 'dpop_signature' : 'dpop_malformed';
}

const ESCAPED = /%([0-9a-f]{2})/gi;
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * Returns a URL without query and fragment, normalized (RFC 9449 section 4.3, RFC 3986 section 6.2). Returns undefined
 * if it is invalid or contains credentials.
 */
function normalizedUrl(url: unknown): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const { origin, pathname, username, password } = new URL(url);
  if (username !== '' || password !== '') return undefined;
  return (
    origin +
    pathname.replace(ESCAPED, (escape, hex: string) => {
      const character = String.fromCharCode(parseInt(hex, 16));
      return UNRESERVED.test(character) ? character : escape.toUpperCase();
    })
  );
}
