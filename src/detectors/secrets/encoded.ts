import type { Work } from '../../turns.ts';
import { NAME_REACH_CHARS } from './candidate-runs.ts';
import type { EncodedText } from './encoded-runs.ts';
import type { Match } from './match.ts';
import { isPlaceholder } from './randomness.ts';
import { MAX_SECRET_CHARS, secretRules } from './secret-rules.ts';
import { asGiven, editInSteps, offsetIn, type TextView } from '../../inspect/offset-map.ts';
import { stickyEnd } from '../../text/sticky.ts';

interface DecodedText {
  readonly text: string;
  /** Returns the index of the digit in which a character begins. */
  readonly firstDigit: (at: number) => number;
  /** Returns the index after the last digit of the preceding character. */
  readonly endDigit: (at: number) => number;
  /** Returns a digit's offset in the original text. */
  readonly toOriginal: (digit: number) => number;
}

/** Number of digits decoded at once: whole bytes in both encodings. */
const STEP_DIGITS = 32_768;
const STEP_CHARS = 32_768;
const MAX_PADDING = 2;
const SPACES = /[ \t\r\n]+/g;
const SPACES_AT = /[ \t\r\n]*/y;

/**
 * Returns the decoded text. If the digits are wrapped, also returns the text with their line breaks, because each line
 * may be a separate value.
 */
function* decodedTexts(
  text: string,
  { encoding, start, end, digits: count, isWide }: EncodedText,
): Work<readonly DecodedText[]> {
  const encoded = text.slice(start, end);
  const lineEnds: number[] = [];
  const isOneLine = encoded.length <= count + MAX_PADDING && !encoded.includes('\n');
  const unwrapped = (isOneLine ? undefined : yield* withoutSpaces(encoded, lineEnds)) ?? asGiven(encoded);
  const digits = unwrapped.text.slice(0, count);
  const parts: string[] = [];
  for (let from = 0; from < digits.length; from += STEP_DIGITS) {
    const bytes = Buffer.from(digits.slice(from, from + STEP_DIGITS), encoding.name).toString('latin1');
    parts.push(isWide ? bytes.replaceAll('\0', '') : bytes);
    if (from + STEP_DIGITS < digits.length) yield STEP_DIGITS;
  }
  const digitsPerCharacter = (isWide ? 16 : 8) / encoding.bitsPerDigit;
  const whole: DecodedText = {
    text: parts.join(''),
    firstDigit: (at) => Math.floor(at * digitsPerCharacter),
    endDigit: (at) => Math.min(digits.length, Math.ceil(at * digitsPerCharacter)),
    toOriginal: (digit) => start + offsetIn(unwrapped, digit),
  };
  const breaks = lineEnds.map((lineEnd) => Math.floor(lineEnd / digitsPerCharacter));
  const lines = breaks.length === 0 ? undefined : yield* withLineBreaks(whole.text, breaks);
  if (lines === undefined) return [whole];
  const inLines: DecodedText = {
    ...whole,
    text: lines.text,
    firstDigit: (at) => whole.firstDigit(offsetIn(lines, at)),
    endDigit: (at) => whole.endDigit(offsetIn(lines, at)),
  };
  return [whole, inLines];
}

/** @param lineEnds receives the number of digits before each line break */
function withoutSpaces(encoded: string, lineEnds: number[]): Work<TextView | undefined> {
  return editInSteps(encoded, STEP_CHARS, (edited, from, to) => {
    const end = stickyEnd(SPACES_AT, encoded, to) ?? to;
    for (const { 0: spaces, index } of encoded.slice(from, end).matchAll(SPACES)) {
      edited.replace(from + index, from + index + spaces.length, '');
      lineEnds.push(edited.length);
    }
    return end;
  });
}

/** @param breaks offsets in ascending order */
function withLineBreaks(text: string, breaks: readonly number[]): Work<TextView | undefined> {
  let next = 0;
  return editInSteps(text, STEP_CHARS, (edited, _from, to) => {
    for (let at = breaks[next]; at !== undefined && (at < to || to === text.length); at = breaks[++next])
      edited.replace(at, at, '\n');
    return to;
  });
}

/** Matches in a text, and the offset from which more text could change them. */
export interface Searched {
  readonly matches: Match[];
  readonly openFrom: number;
}

type Search = (text: string) => Work<Searched>;

const CONTEXT_CHARS = NAME_REACH_CHARS;
/** Encoded digits reported around a secret, so that streams need not hold back longer runs. */
const AROUND_DIGITS = 4096;

const BASIC_RULE = secretRules.length;
/** Rule names, by `Match.rule`. */
export const ruleIds: readonly string[] = [...secretRules.map(({ id }) => id), 'basic_credentials'];

/**
 * Finds secrets in encoded digits. Matches span the digits.
 * @param contextFrom end of the previous digits, which are not scanned again, so that adjacent runs stay cheap
 */
export function* searchEncoded(
  text: string,
  encoded: EncodedText,
  contextFrom: number,
  search: Search,
): Work<Searched> {
  const context = text.slice(Math.max(contextFrom, encoded.start - CONTEXT_CHARS), encoded.start);
  const matches: Match[] = [];
  let open = text.length;
  for (const decoded of yield* decodedTexts(text, encoded)) {
    const searched = yield* search(context + decoded.text);
    const inside = searched.matches.flatMap((match) => insideOf(match, context.length));
    if (isBasicCredentials(context, decoded.text)) {
      inside.push({ rule: BASIC_RULE, from: 0, start: 0, end: decoded.text.length, isEncoded: true });
    }
    if (encoded.isOpen) {
      const digit = openDigit(inside, searched.openFrom - context.length, encoded, decoded);
      open = Math.min(open, decoded.toOriginal(digit));
    }
    for (const match of inside) matches.push(spanAround(match, encoded, decoded));
  }
  return { matches, openFrom: Math.max(open, text.length - MAX_SECRET_CHARS) };
}

/** Limits a match to the decoded text. Returns `[]` for a match in the context before. */
function insideOf({ rule, from, start, end }: Match, contextChars: number): Match[] {
  if (end <= contextChars) return [];
  return [
    {
      rule,
      from: from - contextChars,
      start: Math.max(0, start - contextChars),
      end: end - contextChars,
      isEncoded: true,
    },
  ];
}

function spanAround(match: Match, encoded: EncodedText, decoded: DecodedText): Match {
  const { digits, start: encodedStart, end: encodedEnd } = encoded;
  const first = Math.max(0, decoded.firstDigit(match.start) - AROUND_DIGITS);
  const last = decoded.endDigit(match.end) + AROUND_DIGITS;
  const start = decoded.toOriginal(first);
  const end = last >= digits ? encodedEnd : decoded.toOriginal(last);
  const from = match.from < 0 ? Math.min(start, encodedStart + match.from) : start;
  return { ...match, from, start, end };
}

/** Returns the first digit that may belong to a secret if the digits continue. */
function openDigit(
  matches: readonly Match[],
  openFrom: number,
  { digits }: EncodedText,
  decoded: DecodedText,
): number {
  let open = Math.min(digits, decoded.firstDigit(Math.max(0, openFrom)));
  for (const { start, end } of matches) {
    if (decoded.endDigit(end) + AROUND_DIGITS >= digits) open = Math.min(open, decoded.firstDigit(start));
  }
  return Math.max(0, open - AROUND_DIGITS);
}

/** A name directly before a Base64-encoded user and password: `Authorization: Basic`, npm, Docker. */
const BASIC_NAME = /(?:\bbasic[ \t]{1,4}|\b_?auth["']?\s{0,4}[:=]\s{0,4}["']?)$/i;
const MAX_PAIR_CHARS = 1024;
const PAIR = /^([^\s:\0]{1,256}):([^\s\0]*)\s*$/;
const SAMPLE_PAIR =
  /^(?:(?:user|username|user_?name|login|name|email|client_?id|id|foo|test|aladdin|alice|bob):(?:pass|password|passwd|pwd|secret|client_?secret|token|bar|test|open ?sesame)?)$/i;
/** A pair without a password is a credential if its user name has at least this length. */
const MIN_LONE_NAME_CHARS = 16;

function isBasicCredentials(context: string, decoded: string): boolean {
  if (decoded.length > MAX_PAIR_CHARS || !BASIC_NAME.test(context)) return false;
  const [, name = '', password = ''] = PAIR.exec(decoded) ?? [];
  if (name === '' || SAMPLE_PAIR.test(decoded.trim()) || isPlaceholder(decoded)) return false;
  return password !== '' || name.length >= MIN_LONE_NAME_CHARS;
}
