import { setImmediate as nextTurn } from 'node:timers/promises';
import { MASK } from '../actions.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Replacement extends Span {
  readonly text: string;
}

const JSON_LIKE = /^\uFEFF?\s*[[{"]/;
/** What the tokens of an answer stand under, in every dialect that has them. */
const LOGPROBS = /"(?:prompt_)?log_?probs(?:_?result)?"\s*:\s*(?=[[{])/gi;
const OF_NUMBER = /[-+.\w]/;
const NUMBER = /^-?\d[\d.eE+-]*$/;
/** Lists that spell the text in numbers, and what repeats it whole (`token-ids.ts`). */
const TOKEN_IDS =
  /"(?:\w{0,40}token_?ids?|context|tokens|bytes|(?:input|output|prompt|completion|generated|text)_?ids|ids|raw_?output)"\s*:\s*(?=[[{])/gi;
const NUMBERS = /^[[\]\d\s,.+eE-]*$/;
/** Strings and spans after which other requests get a turn. */
const PER_TURN = 10_000;

/**
 * Puts `***` in place of spans; those that overlap or touch become one. What was a number of a JSON document becomes a
 * string, and lists of tokens, which spell the text once more, become null, so that what parsed still does.
 */
export async function maskRaw(text: string, spans: readonly Span[]): Promise<string> {
  const isJson = JSON_LIKE.test(text);
  const masked = isJson ? await maskedInJson(text, spans) : spans.map(inPlace);
  const inOrder = isJson ? [...masked, ...lists(text, LOGPROBS), ...tokenIds(text)] : masked;
  const parts: string[] = [];
  let copied = 0;
  let work = 0;
  for (const { start, end, text: instead } of inOrder.toSorted((a, b) => a.start - b.start)) {
    if (++work % PER_TURN === 0) await nextTurn();
    if (end <= copied) continue;
    if (start > copied || parts.length === 0) parts.push(text.slice(copied, start), instead);
    copied = end;
  }
  parts.push(text.slice(copied));
  return parts.join('');
}

function inPlace({ start, end }: Span): Replacement {
  return { start, end, text: MASK };
}

async function maskedInJson(text: string, spans: readonly Span[]): Promise<Replacement[]> {
  const masked: Replacement[] = [];
  let string: Span = { start: 0, end: 0 };
  let work = 0;
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    while (string.end <= span.start && string.start < text.length) {
      string = nextString(text, string.end);
      if (++work % PER_TURN === 0) await nextTurn();
    }
    masked.push(span.start >= string.start ? inPlace(span) : outsideStrings(text, span));
    if (++work % PER_TURN === 0) await nextTurn();
  }
  return masked;
}

/** A number goes whole: of `-4111…`, or `4111….0`, nothing may be left that is no JSON. */
function outsideStrings(text: string, span: Span): Replacement {
  let { start, end } = span;
  while (start > 0 && OF_NUMBER.test(text.charAt(start - 1))) start -= 1;
  while (end < text.length && OF_NUMBER.test(text.charAt(end))) end += 1;
  return NUMBER.test(text.slice(start, end)) ? { start, end, text: `"${MASK}"` } : inPlace(span);
}

/** The string literal that begins at or after an offset; an empty one at the end of the text where there is none. */
function nextString(text: string, from: number): Span {
  const start = text.indexOf('"', from);
  return start < 0 ? { start: text.length, end: text.length } : { start, end: stringEnd(text, start) };
}

function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const OPEN: ReadonlySet<number> = new Set([OPEN_ARRAY, 0x7b]);
const CLOSE: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** What stands under the names of a pattern, with nothing left of it. */
function lists(text: string, names: RegExp): Replacement[] {
  const found: Replacement[] = [];
  names.lastIndex = 0;
  while (names.test(text)) {
    const start = names.lastIndex;
    const end = containerEnd(text, start);
    found.push({ start, end, text: 'null' });
    names.lastIndex = end;
  }
  return found;
}

function tokenIds(text: string): Replacement[] {
  return lists(text, TOKEN_IDS).flatMap((one) => {
    if (text.charCodeAt(one.start) !== OPEN_ARRAY) return [one];
    return NUMBERS.test(text.slice(one.start, one.end)) ? [{ ...one, text: '[]' }] : [];
  });
}

/** The offset after the object or array that begins at an offset. */
function containerEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at) - 1;
    else if (OPEN.has(code)) depth += 1;
    else if (CLOSE.has(code)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
