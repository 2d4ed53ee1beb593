import { isUndecidedAt } from './partial-pattern.ts';
import { longRun, type Extent, type SecretRule } from './rule.ts';
import { stickyEnd } from '../../text/sticky.ts';

/** Some issuers pad Base64. Signature padding is not matched, because a path may follow. */
const SIGNED = '={0,2}\\.ey[A-Za-z0-9_+/-]{15,16384}={0,2}\\.[A-Za-z0-9_-]{0,2048}';
const ENCRYPTED = '(?:\\.[A-Za-z0-9_-]{0,1024}){2}\\.[A-Za-z0-9_-]{16,16384}\\.[A-Za-z0-9_-]{16,64}';
const JWT_MAX_CHARS = 20_608;
/** The start of a header suffices, because headers contain only an algorithm, a key id and a certificate digest. */
const HEADER_LOOK_CHARS = 2048;

/** All Base64-encoded JSON begins like a header, so a long one must begin with a known member. */
const LONG_HEADER = /ey[A-Za-z0-9_-]{254}/y;

/** JSON Web Tokens: signed, unsecured (RFC 7519 section 6) and encrypted (RFC 7516 section 3.1). */
export const jsonWebToken: SecretRule = {
  id: 'jwt',
  // `ey` is too short for a match inside a word.
  keywords: ['ey', 'eyJ'],
  anchor: 'head',
  pattern: new RegExp(`(?:eyJ|ey(?!J)[A-Za-z0-9_-])[A-Za-z0-9_-]{14,2047}(?:${SIGNED}|${ENCRYPTED})`, 'y'),
  maxChars: JWT_MAX_CHARS,
  minEntropy: 3,
  startsRun: true,
  mayBegin: mayBeginToken,
  followsWord: (body) => HEADER_MEMBER.test(decodeHeader(`eyJ${body.slice(0, body.indexOf('.'))}`)),
  accepts: (secret) => !secret.startsWith('eyJ') || isJsonHeader(secret.slice(0, secret.indexOf('.'))),
};

/** A Base64-encoded token, as in Kubernetes secrets, with optional line breaks. */
export const encodedJsonWebToken: SecretRule = longRun('jwt_base64', ['ZXlK'], '[A-Za-z0-9+/_-]', {
  minChars: 40,
  maxChars: JWT_MAX_CHARS,
  mayBegin: mayBeginEncodedToken,
  accepts: isEncodedToken,
  extend: wrappedExtent,
});

/** Leaves room for one more line. */
const MAX_WRAPPED_CHARS = JWT_MAX_CHARS - 128;
const WRAPPED_LINE =
  /\r?\n[ \t]{0,16}(?:[A-Za-z0-9+/]{60,76}(?![A-Za-z0-9+/])|[A-Za-z0-9+/]{1,76}(?==))={0,2}/y;

function wrappedExtent(text: string, start: number, firstEnd: number): Extent {
  let end = firstEnd;
  while (end - start < MAX_WRAPPED_CHARS) {
    const lineEnd = stickyEnd(WRAPPED_LINE, text, end);
    if (lineEnd === undefined) return { end, isOpen: isUndecidedAt(WRAPPED_LINE, text, end) };
    end = lineEnd;
  }
  return { end, isOpen: false };
}

const CLAIM_OR_HEADER =
  /^\{\s*"(?:alg|typ|kid|enc|cty|jku|jwk|x5\w{1,8}|zip|b64|crit|iss|sub|aud|ap[uv]|p2[cs]|epk|iv|tag|url|nonce)"/;

function mayBeginToken(text: string, at: number): boolean {
  const end = stickyEnd(LONG_HEADER, text, at);
  return end === undefined || CLAIM_OR_HEADER.test(decodeHeader(text.slice(at, end)));
}

/** Members that occur only in headers. A token directly after a word must begin with one. */
const HEADER_MEMBER = /^\{\s*"(?:alg|typ|kid|enc|cty|jku|jwk|x5\w{1,8}|zip|crit)"/;

/** Digits that decode to the start of a header, or to a short header with its period. */
const BEGINNING = /[A-Za-z0-9+/_-]{64}/y;
const HEADER = /^ey[A-Za-z0-9_-]*(?=\.|$)/;

function mayBeginEncodedToken(text: string, at: number): boolean {
  const end = stickyEnd(BEGINNING, text, at);
  return end === undefined || HEADER.test(decodeOnce(text.slice(at, end)));
}

function isEncodedToken(secret: string): boolean {
  const header = HEADER.exec(decodeOnce(secret.slice(0, HEADER_LOOK_CHARS)))?.[0] ?? '';
  return CLAIM_OR_HEADER.test(decodeHeader(header)) || isJsonHeader(header);
}

function decodeOnce(encoded: string): string {
  return Buffer.from(encoded, 'base64').toString('latin1');
}

function isJsonHeader(header: string): boolean {
  try {
    return typeof JSON.parse(decodeHeader(header)) === 'object';
  } catch {
    return false;
  }
}

function decodeHeader(header: string): string {
  return Buffer.from(header, 'base64url').toString('utf8');
}
