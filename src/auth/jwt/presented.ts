import { HEADER } from '../../headers.ts';

/** A request as far as JWTs and proofs stand in it, and are made for it. */
export interface PresentedRequest {
  readonly method: string;
  /** Path and query as the client sent them. */
  readonly target: string;
  readonly requestId: string;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: ReadonlyMap<string, string>;
}

const IN_AUTHORIZATION = /^(?:bearer|dpop) +(\S+)$/i;
/** Compact form (RFC 7515 section 7.1); a header is an object, whose base64url begins so. */
const COMPACT = /^eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*$/;

/**
 * The JWT of a request: in a header of its own or, under `zsp.jwt_only`, in `Authorization` too. The header of its own
 * wins, so that a provider's token may stand in the other.
 */
export function presentedToken(headers: PresentedRequest['headers'], jwtOnly: boolean): string | undefined {
  const own = headers.get(HEADER.jwt);
  if (own !== undefined || !jwtOnly) return own?.trim();
  const [, token = ''] = IN_AUTHORIZATION.exec(headers.get('authorization') ?? '') ?? [];
  return COMPACT.test(token) ? token : undefined;
}

const MAX_READ_CHARS = 65_536;

/**
 * Whether a credential is a JWT that was made for this gateway, be it good or not: it is nobody's provider key, and may
 * not travel upstream from wherever it stands.
 */
export function isGatewayToken(
  credential: string,
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
): boolean {
  if (credential.length > MAX_READ_CHARS || !COMPACT.test(credential)) return false;
  const { iss, aud } = unverifiedClaims(credential.split('.')[1] ?? '');
  return iss === issuer && (Array.isArray(aud) ? aud.includes(audience) : aud === audience);
}

function unverifiedClaims(payload: string): { readonly iss?: unknown; readonly aud?: unknown } {
  try {
    return Object(JSON.parse(Buffer.from(payload, 'base64url').toString())) as object;
  } catch {
    return {}; // no JWT
  }
}
