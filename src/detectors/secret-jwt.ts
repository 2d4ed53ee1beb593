import type { SecretRule } from './secret-rule.ts';

const SIGNED = '\\.ey[A-Za-z0-9_-]{15,16384}\\.[A-Za-z0-9_-]{0,2048}';
const ENCRYPTED = '(?:\\.[A-Za-z0-9_-]{0,1024}){2}\\.[A-Za-z0-9_-]{16,16384}\\.[A-Za-z0-9_-]{16,64}';
const JWT_MAX_CHARS = 20_480;
/** A header holds an algorithm, a key's id, at most a certificate's digest: its beginning tells. */
const HEADER_LOOK_CHARS = 2048;

/**
 * JSON web tokens: signed, unsecured (an empty signature, RFC 7519 section 6) and encrypted (RFC 7516 section 3.1).
 * A header that starts as JSON does must be JSON; a token with another header is judged by its form alone.
 */
export const jsonWebToken: SecretRule = {
  id: 'jwt',
  keywords: ['ey'],
  anchor: 'head',
  pattern: new RegExp(`ey[A-Za-z0-9_-]{15,2048}(?:${SIGNED}|${ENCRYPTED})`, 'y'),
  maxChars: JWT_MAX_CHARS,
  minEntropy: 3,
  startsRun: true,
  accepts: (secret) => !secret.startsWith('eyJ') || isJson(secret.slice(0, secret.indexOf('.'))),
};

/** A token in base64 once more, as Kubernetes keeps service accounts' tokens; lines may be wrapped. */
export const encodedJsonWebToken: SecretRule = {
  id: 'jwt_base64',
  keywords: ['zxlk'],
  anchor: 'head',
  pattern: /ZXlK[A-Za-z0-9+/_-]{40,20000}={0,2}/y,
  maxChars: JWT_MAX_CHARS,
  minEntropy: 3,
  startsRun: true,
  accepts: isEncodedToken,
  extend: wrappedEnd,
};

const WRAPPED_LINE =
  /\r?\n[ \t]{0,16}(?:[A-Za-z0-9+/]{60,76}(?![A-Za-z0-9+/])|[A-Za-z0-9+/]{1,76}(?==))={0,2}/y;

function wrappedEnd(text: string, start: number, firstEnd: number): number {
  let end = firstEnd;
  while (end - start < JWT_MAX_CHARS) {
    WRAPPED_LINE.lastIndex = end;
    if (!WRAPPED_LINE.test(text)) return end;
    end = WRAPPED_LINE.lastIndex;
  }
  return end;
}

const CLAIM_OR_HEADER =
  /^\{\s*"(?:alg|typ|kid|enc|cty|jku|jwk|x5\w{1,8}|zip|b64|crit|iss|sub|aud|ap[uv]|p2[cs]|epk|iv|tag|url|nonce)"/;

function isEncodedToken(secret: string): boolean {
  const token = Buffer.from(secret.slice(0, HEADER_LOOK_CHARS), 'base64').toString('latin1');
  const header = /^ey[A-Za-z0-9_-]+/.exec(token)?.[0] ?? '';
  return CLAIM_OR_HEADER.test(decode(header)) || isJson(header);
}

function isJson(header: string): boolean {
  try {
    return typeof JSON.parse(decode(header)) === 'object';
  } catch {
    return false;
  }
}

function decode(header: string): string {
  return Buffer.from(header, 'base64url').toString('utf8');
}
