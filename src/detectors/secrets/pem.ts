import { isUndecidedAt } from './partial-pattern.ts';
import { entropyOf } from './randomness.ts';
import { longRun, type Extent, type SecretRule } from './rule.ts';
import { stickyEnd } from '../../text/sticky.ts';

/** A 16,384-bit RSA key takes 13,000 characters, plus escapes, quotes and indentation. */
const PEM_MAX_CHARS = 32_768;
/** Leaves room for separators and the footer after the last line. */
const MAX_KEY_CHARS = PEM_MAX_CHARS - 1024;
const MIN_BODY_CHARS = 20;
const MIN_BODY_ENTROPY = 3;
/** A shorter line is the last line, or prose after a truncated key. */
const MIN_LINE_CHARS = 16;

/** Line separators: white space, source code, Markdown and diff signs, HTML line breaks, printed line numbers. */
const SEPARATOR = String.raw`[\s"'\x60>#*|,;+\\]|-(?!-)|\/\/(?=[ \t])|<br ?\/?>|(?<=[\r\n][ \t]{0,8})\d{1,6}(?:\t|[ \t]?[:|→])`;
const SEPARATORS = new RegExp(`(?:${SEPARATOR}){0,64}`, 'y');
/** Headers of OpenSSL-encrypted keys (RFC 1421). They may share a line. */
const OLD_HEADER = 'Proc-Type: ?4,ENCRYPTED|DEK-Info: ?[A-Z0-9-]{3,24},(?:[A-F0-9]{32}|[A-F0-9]{16})';
/** `Version: ...`, `Comment: ...` (RFC 9580). */
const HEADER_LINE = String.raw`[A-Z][A-Za-z-]{2,24}:[^\r\n]{0,121}\r?\n`;
const HEADER_LINES = new RegExp(`(?:(?:${SEPARATOR}){0,16}(?:${OLD_HEADER}|${HEADER_LINE})){0,8}`, 'y');
const LINE = /[A-Za-z0-9/+]{1,4096}={0,2}/y;
const FOOTER = /-----END [A-Z0-9 ]{0,40}-----/y;
const FOOTER_BEGIN = /-----END/y;
const CHECKSUM = /=[A-Za-z0-9+/]{4}(?![A-Za-z0-9+/])/y;

/** PEM and PGP private keys, whole or truncated. */
export const pemPrivateKey: SecretRule = {
  id: 'pem_private_key',
  keywords: ['-----BEGIN '],
  anchor: 'head',
  pattern: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y,
  maxChars: PEM_MAX_CHARS,
  minEntropy: 0,
  extend: pemExtent,
  followsWord: () => true,
};

function pemExtent(text: string, start: number, headEnd: number): Extent {
  const limit = start + MAX_KEY_CHARS;
  const bodyStart = afterHeaders(text, headEnd);
  let bodyChars = 0;
  let end = bodyStart;
  let firstLine = '';
  while (end < limit) {
    const lineStart = endOfMatch(SEPARATORS, text, end);
    const footerEnd = endOfMatch(FOOTER, text, lineStart);
    if (footerEnd > lineStart) {
      return { end: isKey(firstLine, bodyChars) ? footerEnd : undefined, isOpen: false };
    }
    const lineEnd = Math.max(endOfMatch(LINE, text, lineStart), endOfMatch(CHECKSUM, text, lineStart));
    if (lineEnd === lineStart || !isKeyLine(text, lineStart, lineEnd)) {
      const isOpen = mayContinue(text, headEnd, end);
      return { end: isKey(firstLine, bodyChars) ? end : undefined, isOpen };
    }
    if (firstLine.length < MIN_BODY_CHARS)
      firstLine += text.slice(lineStart, Math.min(lineEnd, lineStart + 64));
    bodyChars += lineEnd - lineStart;
    end = lineEnd;
  }
  return { end: isKey(firstLine, bodyChars) ? limit : undefined, isOpen: false };
}

/** Reports whether a Base64 run is a line of the key, and not the first word after the key. */
function isKeyLine(text: string, lineStart: number, lineEnd: number): boolean {
  if (lineEnd - lineStart >= MIN_LINE_CHARS || lineEnd === text.length) return true;
  if (text[lineEnd - 1] === '=' || text[lineStart] === '=') return true;
  const next = endOfMatch(SEPARATORS, text, lineEnd);
  return endOfMatch(FOOTER_BEGIN, text, next) > next || endOfMatch(CHECKSUM, text, next) > next;
}

/** Reports whether more text could be another line, a footer, a checksum or a header line. */
function mayContinue(text: string, headEnd: number, end: number): boolean {
  const isUndecided = (at: number, ...patterns: readonly RegExp[]): boolean =>
    patterns.some((pattern) => isUndecidedAt(pattern, text, at));
  const lineStart = endOfMatch(SEPARATORS, text, end);
  const lineEnd = endOfMatch(LINE, text, lineStart);
  return (
    isUndecided(headEnd, SEPARATORS) ||
    isUndecided(endOfMatch(SEPARATORS, text, headEnd), HEADER_LINES) ||
    isUndecided(end, SEPARATORS) ||
    isUndecided(lineStart, FOOTER, LINE, CHECKSUM) ||
    isUndecided(lineEnd, SEPARATORS) ||
    isUndecided(endOfMatch(SEPARATORS, text, lineEnd), FOOTER_BEGIN, CHECKSUM)
  );
}

function isKey(firstLine: string, bodyChars: number): boolean {
  return bodyChars >= MIN_BODY_CHARS && entropyOf(firstLine) >= MIN_BODY_ENTROPY;
}

function afterHeaders(text: string, headEnd: number): number {
  const lineBreak = endOfMatch(SEPARATORS, text, headEnd);
  return Math.max(headEnd, endOfMatch(HEADER_LINES, text, lineBreak));
}

function endOfMatch(pattern: RegExp, text: string, at: number): number {
  return stickyEnd(pattern, text, at) ?? at;
}

/** Length of the Base64-encoded header line. */
const LOOK_CHARS = 96;
const BEGINNING = /[A-Za-z0-9+/]{96}/y;

/** Base64-encoded private keys, as in Kubernetes secrets. Certificates begin the same way but are public. */
export const encodedPemPrivateKey: SecretRule = longRun(
  'pem_private_key_base64',
  ['LS0tLS1CRUdJTi'],
  '[A-Za-z0-9+/]',
  {
    minChars: 60,
    maxChars: 30_000,
    mayBegin: (text, at) =>
      endOfMatch(BEGINNING, text, at) === at || saysPrivateKey(text.slice(at, at + LOOK_CHARS)),
    accepts: (secret) => saysPrivateKey(secret.slice(0, LOOK_CHARS)),
  },
);

function saysPrivateKey(encoded: string): boolean {
  return Buffer.from(encoded, 'base64').toString('latin1').includes('PRIVATE KEY');
}
