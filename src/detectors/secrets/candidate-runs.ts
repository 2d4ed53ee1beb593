import { isLetterOrDigit } from './places.ts';

/**
 * Characters of secrets, or of their first part. A secret needs a run of at least `MIN_RUN_CHARS`; assigned values and
 * inner keywords need longer runs. A name begins at most `NAME_REACH_CHARS` before the run.
 */
export const RUN_CHARACTER = /[A-Za-z0-9_.+/=%~:@|-]/;
export const MIN_RUN_CHARS = 13;
export const MIN_VALUE_CHARS = 20;
export const MIN_INNER_CHARS = 37;
export const NAME_REACH_CHARS = 160;
/** Maximum gap between an assignment sign and a value. */
const MAX_LINK_END_CHARS = 16;

const IN_RUN = 1;
export const IN_WORD = 2;
/** Inside a run, a value begins only after one of these signs. */
export const SIGN = 4;
const LINK_END = 8;
const SPACES =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

const kinds = new Uint8Array(65_536);
for (let code = 0; code < 128; code += 1) {
  if (RUN_CHARACTER.test(String.fromCharCode(code)))
    markKind(code, isLetterOrDigit(code) ? IN_RUN | IN_WORD : IN_RUN);
}
for (const sign of '=:|') markKind(sign.charCodeAt(0), SIGN);
for (const end of `${SPACES}=:"'\`([`) markKind(end.charCodeAt(0), LINK_END);

function markKind(code: number, kind: number): void {
  kinds[code] = runKind(code) | kind;
}

export function runKind(code: number): number {
  return kinds[code] ?? 0;
}

/**
 * Visits runs of at least `MIN_RUN_CHARS`. Checks the last character first, because this rules out most candidates.
 * @param visit receives the combined kinds of the run's characters in `seen`
 */
export function eachRun(
  codes: Uint16Array,
  from: number,
  to: number,
  visit: (start: number, end: number, seen: number) => void,
): void {
  for (let start = from; start + MIN_RUN_CHARS <= to;) {
    let seen = 0;
    let before = start + MIN_RUN_CHARS - 1;
    for (; before >= start; before -= 1) {
      const kind = runKind(codes[before] ?? 0);
      if ((kind & IN_RUN) === 0) break;
      seen |= kind;
    }
    if (before >= start) {
      start = before + 1;
      continue;
    }
    let end = start + MIN_RUN_CHARS;
    for (; end < to; end += 1) {
      const kind = runKind(codes[end] ?? 0);
      if ((kind & IN_RUN) === 0) break;
      seen |= kind;
    }
    visit(start, end, seen);
    start = end + 1;
  }
}

/** Returns the run that ends at `end`, limited to `maxChars`. */
export function runBefore(
  codes: Uint16Array,
  end: number,
  maxChars: number,
): { readonly start: number; readonly seen: number } {
  let seen = 0;
  let start = end;
  while (start > 0 && end - start < maxChars) {
    const kind = runKind(codes[start - 1] ?? 0);
    if ((kind & IN_RUN) === 0) break;
    seen |= kind;
    start -= 1;
  }
  return { start, seen };
}

/** Reports whether an assignment sign, `,`, `>` or `is` precedes a run, with only `LINK_END` characters between. */
export function isAssigned(codes: Uint16Array, runStart: number): boolean {
  const from = Math.max(0, runStart - MAX_LINK_END_CHARS);
  let at = runStart;
  while (at > from && (runKind(codes[at - 1] ?? 0) & LINK_END) !== 0) {
    at -= 1;
    if ((runKind(codes[at] ?? 0) & SIGN) !== 0) return true;
  }
  if (at === 0) return false;
  const code = codes[at - 1] ?? 0;
  if ((runKind(code) & SIGN) !== 0 || code === COMMA || code === GREATER) return true;
  const isIs = at > 1 && (code | 32) === LETTER_S && ((codes[at - 2] ?? 0) | 32) === LETTER_I;
  return at < runStart && isIs;
}

const COMMA = 44;
const GREATER = 62;
const LETTER_I = 105;
const LETTER_S = 115;
