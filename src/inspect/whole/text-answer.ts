import type { FindAll } from '../../detectors/finding.ts';
import { MASK } from '../../text/mask.ts';
import { isUtf8 } from 'node:buffer';
import { escapeViews } from '../../detectors/json-escapes.ts';
import { asGiven } from '../offset-map.ts';
import type { Replacement } from '../../text/replace-spans.ts';
import type { Span } from '../../text/span.ts';
import type { WholeAnswer } from '../../pipeline/exchange.ts';
import type { Inspected } from '../inspected.ts';
import { inTurns, isTurnOver, nextTurn } from '../../turns.ts';
import { ScanBatch } from '../scan/scan-batch.ts';
import { CODES } from '../../json/codes.ts';
import { skipWithin } from '../../json/skip-string.ts';
import { STEP_CHARS } from '../../json/weights.ts';

const { CLOSE_ARRAY, CLOSE_OBJECT, OPEN_ARRAY, OPEN_OBJECT, QUOTE } = CODES;

const ESCAPE_STEP_CHARS = 32_768;

/** Searches text or ambiguous JSON as written and unescaped. Latin-1 keeps the bytes of bodies that are not UTF-8. */
export async function inspectRaw(whole: WholeAnswer, findAll: FindAll): Promise<Inspected> {
  const encoding = isUtf8(whole.body) ? 'utf8' : 'latin1';
  const text = whole.body.toString(encoding);
  const read = await inTurns(escapeViews(text, ESCAPE_STEP_CHARS));
  const views = [asGiven(text), ...read];
  const batch = new ScanBatch(findAll, 'answer');
  for (const view of views) batch.add(view.text);
  await batch.search();
  return {
    found: batch.found,
    async mask() {
      batch.assertMaskable();
      const spans = views.flatMap((view) => batch.findingsIn(view.text).map(view.toOriginal));
      const masked = Buffer.from(await maskRaw(text, spans), encoding);
      return () => (whole.replacement = masked);
    },
  };
}

const JSON_LIKE = /^\uFEFF?\s*[[{"]/;
const LOGPROBS = /"(?:prompt_)?log_?probs(?:_?result)?"/gi;
const NUMBER_CHAR = /[-+.\w]/;
const NUMBER = /^-?\d[\d.eE+-]*$/;
/** Names of members that repeat the text as numbers or otherwise (`token-ids.ts`). */
const TOKEN_IDS =
  /"(?:\w{0,40}token_?ids?|context|tokens|bytes|(?:input|output|prompt|completion|generated|text)_?ids|ids|raw_?output)"/gi;
const NAME_CHARS = 128;
const NUMBERS = /^[[\]\d\s,.+eE-]*$/;
const NUMBER_CHARS = 64;
const STEP_SPANS = 1_024;

/**
 * Replaces spans with `***` and merges overlapping and adjacent spans. Valid JSON stays valid: numbers become strings.
 * Members that repeat the text are cleared: log probabilities and raw output become null, and token id arrays become
 * empty.
 */
async function maskRaw(text: string, spans: readonly Span[]): Promise<string> {
  const isJson = JSON_LIKE.test(text);
  const masked = isJson ? await maskedInJson(text, spans) : spans.map(inPlace);
  const inOrder = isJson
    ? [...masked, ...(await repeatedTexts(text, LOGPROBS)), ...(await tokenIds(text))]
    : masked;
  const parts: string[] = [];
  let copied = 0;
  let work = 0;
  for (const { start, end, text: instead } of inOrder.toSorted((a, b) => a.start - b.start)) {
    if (++work % STEP_SPANS === 0 && isTurnOver()) await nextTurn();
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
      string = await nextString(text, string.end);
      if (++work % STEP_SPANS === 0 && isTurnOver()) await nextTurn();
    }
    masked.push(span.start >= string.start ? inPlace(span) : outsideStrings(text, span));
    if (++work % STEP_SPANS === 0 && isTurnOver()) await nextTurn();
  }
  return masked;
}

/** Replaces the whole number, because the rest of `-4111…` or `4111….0` would be invalid JSON. */
function outsideStrings(text: string, span: Span): Replacement {
  let { start, end } = span;
  const [min, max] = [Math.max(0, start - NUMBER_CHARS), Math.min(text.length, end + NUMBER_CHARS)];
  while (start > min && NUMBER_CHAR.test(text.charAt(start - 1))) start -= 1;
  while (end < max && NUMBER_CHAR.test(text.charAt(end))) end += 1;
  return NUMBER.test(text.slice(start, end)) ? { start, end, text: `"${MASK}"` } : inPlace(span);
}

/** Returns the next string literal, or an empty span at the end of the text. */
async function nextString(text: string, from: number): Promise<Span> {
  const start = text.indexOf('"', from);
  return start < 0 ? { start: text.length, end: text.length } : { start, end: await stringEnd(text, start) };
}

function stringEnd(text: string, start: number): number | Promise<number> {
  const at = skipWithin(text, start + 1, start + STEP_CHARS);
  return at < 0 ? longStringEnd(text, ~at) : at;
}

async function longStringEnd(text: string, from: number): Promise<number> {
  for (let at = from; ;) {
    if (isTurnOver(STEP_CHARS)) await nextTurn();
    const next = skipWithin(text, at, at + STEP_CHARS);
    if (next >= 0) return next;
    at = ~next;
  }
}

const OPEN: ReadonlySet<number> = new Set([OPEN_ARRAY, OPEN_OBJECT]);
const CLOSE: ReadonlySet<number> = new Set([CLOSE_ARRAY, CLOSE_OBJECT]);

/** Returns replacements by null for the arrays and objects under matching names. */
async function repeatedTexts(text: string, names: RegExp): Promise<Replacement[]> {
  const found: Replacement[] = [];
  for (let from = 0; from < text.length;) {
    const window = text.slice(from, from + STEP_CHARS + NAME_CHARS);
    let next = from + STEP_CHARS;
    names.lastIndex = 0;
    for (let match = names.exec(window); match !== null; match = names.exec(window)) {
      if (match.index >= STEP_CHARS) break;
      const start = containerAfter(text, from + names.lastIndex);
      names.lastIndex = match.index + 1;
      if (start === undefined) continue;
      const end = await containerEnd(text, start);
      found.push({ start, end, text: 'null' });
      next = Math.max(next, end);
      if (end >= from + STEP_CHARS) break;
      names.lastIndex = end - from;
    }
    from = next;
    if (from < text.length && isTurnOver(STEP_CHARS)) await nextTurn();
  }
  return found;
}

async function tokenIds(text: string): Promise<Replacement[]> {
  return (await repeatedTexts(text, TOKEN_IDS)).flatMap((list) => {
    if (text.charCodeAt(list.start) !== OPEN_ARRAY) return [list];
    return NUMBERS.test(text.slice(list.start, list.end)) ? [{ ...list, text: '[]' }] : [];
  });
}

function containerAfter(text: string, nameEnd: number): number | undefined {
  const colon = afterWhiteSpace(text, nameEnd);
  if (text[colon] !== ':') return undefined;
  const start = afterWhiteSpace(text, colon + 1);
  return text[start] === '[' || text[start] === '{' ? start : undefined;
}

function isWhiteSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0 || unit === 0xfeff;
}

function afterWhiteSpace(text: string, from: number): number {
  let at = from;
  while (isWhiteSpace(text.charCodeAt(at))) at++;
  return at;
}

async function containerEnd(text: string, start: number): Promise<number> {
  let depth = 0;
  for (let at = start, turnAt = start + STEP_CHARS; at < text.length; at += 1) {
    if (at > turnAt) {
      if (isTurnOver(STEP_CHARS)) await nextTurn();
      turnAt = at + STEP_CHARS;
    }
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = stringEnd(text, at);
      at = (typeof end === 'number' ? end : await end) - 1;
    } else if (OPEN.has(code)) depth += 1;
    else if (CLOSE.has(code)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
