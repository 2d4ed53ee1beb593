import { entropyOf } from './secret-rule.ts';
import type { SecretRule } from './secret-rule.ts';

/** A 16,384-bit RSA key takes 13,000 characters; JSON's escapes, quotes and indentation come on top. */
const PEM_MAX_CHARS = 32_768;
/** A key is never shorter than this; `anything` between the lines is none. */
const MIN_BODY_CHARS = 20;
const MIN_BODY_ENTROPY = 3;
/** A body is broken into lines; what is shorter than this is its last line, or prose that follows a key cut short. */
const MIN_LINE_CHARS = 16;

/** `Proc-Type: 4,ENCRYPTED`, `DEK-Info: ...` (RFC 1421), `Version: ...`, `Comment: ...` (RFC 9580). */
const HEADER_LINES = /(?:\s{0,8}[A-Z][A-Za-z-]{2,24}: ?[^\r\n]{0,120}\r?\n){0,8}/y;
const SEPARATORS = /(?:[\s"'`>#*|,;+\\]|-(?!-)){0,64}/y;
const LINE = /[A-Za-z0-9/+]{1,4096}={0,2}/y;
const FOOTER = /-----END [A-Z0-9 ]{0,40}-----/y;
const CHECKSUM = /=[A-Za-z0-9+/]{4}(?![A-Za-z0-9+/])/y;

/**
 * PEM and PGP private keys, whole or cut short: the footer may be missing. Lines may be parted by line breaks, by
 * spaces, by the quotes and plus signs of source code.
 */
export const pemPrivateKey: SecretRule = {
  id: 'pem_private_key',
  keywords: ['-----begin '],
  anchor: 'head',
  pattern: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y,
  maxChars: PEM_MAX_CHARS,
  minEntropy: 0,
  extend: pemEnd,
};

function pemEnd(text: string, start: number, headEnd: number): number | undefined {
  const limit = start + PEM_MAX_CHARS;
  const bodyStart = afterHeaders(text, headEnd);
  let bodyChars = 0;
  let end = bodyStart;
  let firstLine = '';
  while (end < limit) {
    const lineStart = endOf(SEPARATORS, text, end);
    const footerEnd = endOf(FOOTER, text, lineStart);
    if (footerEnd > lineStart) return isKey(firstLine, bodyChars) ? footerEnd : undefined;
    const lineEnd = Math.max(endOf(LINE, text, lineStart), endOf(CHECKSUM, text, lineStart));
    if (lineEnd === lineStart || !goesOn(text, lineStart, lineEnd)) break;
    if (firstLine.length < MIN_BODY_CHARS)
      firstLine += text.slice(lineStart, Math.min(lineEnd, lineStart + 64));
    bodyChars += lineEnd - lineStart;
    end = lineEnd;
  }
  return isKey(firstLine, bodyChars) ? Math.min(end, limit) : undefined;
}

/** Whether a run of base64 is a line of the key, not the first word behind it. */
function goesOn(text: string, lineStart: number, lineEnd: number): boolean {
  if (lineEnd - lineStart >= MIN_LINE_CHARS || lineEnd === text.length) return true;
  if (text[lineEnd - 1] === '=' || text[lineStart] === '=') return true;
  const next = endOf(SEPARATORS, text, lineEnd);
  return text.startsWith('-----END', next) || endOf(CHECKSUM, text, next) > next;
}

function isKey(firstLine: string, bodyChars: number): boolean {
  return bodyChars >= MIN_BODY_CHARS && entropyOf(firstLine) >= MIN_BODY_ENTROPY;
}

function afterHeaders(text: string, headEnd: number): number {
  const lineBreak = endOf(SEPARATORS, text, headEnd);
  return Math.max(headEnd, endOf(HEADER_LINES, text, lineBreak));
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** The same in base64, as Kubernetes keeps it; a certificate begins alike and is public. */
export const encodedPemPrivateKey: SecretRule = {
  id: 'pem_private_key_base64',
  keywords: ['ls0tls1crudjti'],
  anchor: 'head',
  pattern: /LS0tLS1CRUdJTi[A-Za-z0-9+/]{60,30000}={0,2}/y,
  maxChars: PEM_MAX_CHARS,
  minEntropy: MIN_BODY_ENTROPY,
  startsRun: true,
  accepts: (secret) => Buffer.from(secret.slice(0, 96), 'base64').toString('latin1').includes('PRIVATE KEY'),
};
