import { HEADER } from '../../headers.ts';

/** The parts of a request that carry a JWT and its proof, or that a proof refers to. */
export interface PresentedRequest {
  readonly method: string;
  /** Path and query exactly as received. */
  readonly target: string;
  readonly requestId: string;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: ReadonlyMap<string, string>;
}

const IN_AUTHORIZATION = /^(?:bearer|dpop) +(\S+)$/i;
/** Compact form (RFC 7515 section 7.1). `eyJ` is the base64url of `{"`. */
const COMPACT = /^eyJ[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*$/;

/** Returns the JWT from its own header or, with `zsp.jwt_only`, from `Authorization`, if it contains one. */
export function presentedToken(headers: PresentedRequest['headers'], jwtOnly: boolean): string | undefined {
  const own = headers.get(HEADER.jwt);
  if (own !== undefined || !jwtOnly) return own?.trim();
  const [, token = ''] = IN_AUTHORIZATION.exec(headers.get('authorization') ?? '') ?? [];
  return COMPACT.test(token) ? token : undefined;
}

const MAX_READ_CHARS = 65_536;

/** Reports whether a credential is a JWT for this gateway, valid or not. Such a token is never sent upstream. */
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
    return {}; // not a JWT
  }
}
