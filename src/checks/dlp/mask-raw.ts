import { replaceSpans } from '../../text/replace-spans.ts';
import type { Replacement } from '../../text/replace-spans.ts';
import { MASK } from './actions.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

const JSON_LIKE = /^\uFEFF?\s*[[{"]/;
/** What the tokens of an answer stand under, in every dialect that has them. */
const LOGPROBS = /"(?:prompt_)?log_?probs(?:_?result)?"\s*:\s*(?=[[{])/gi;
const OF_NUMBER = /[-+.\w]/;
const NUMBER = /^-?\d[\d.eE+-]*$/;

/**
 * Puts `***` in place of spans. What was a number of a JSON document becomes a string, and lists of tokens, which spell
 * the text once more, become null, so that what parsed still does.
 */
export function maskRaw(text: string, spans: readonly Span[]): string {
  const replacements = JSON_LIKE.test(text) ? [...inJson(text, spans), ...logprobs(text)] : spans.map(masked);
  return replaceSpans(text, replacements);
}

function masked({ start, end }: Span): Replacement {
  return { start, end, text: MASK };
}

function inJson(text: string, spans: readonly Span[]): Replacement[] {
  const replacements: Replacement[] = [];
  let string: Span = { start: 0, end: 0 };
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    while (string.end <= span.start && string.start < text.length) string = nextString(text, string.end);
    replacements.push(span.start >= string.start ? masked(span) : outsideStrings(text, span));
  }
  return replacements;
}

/** A number goes whole: of `-4111…`, or `4111….0`, nothing may be left that is no JSON. */
function outsideStrings(text: string, { start, end }: Span): Replacement {
  while (start > 0 && OF_NUMBER.test(text.charAt(start - 1))) start -= 1;
  while (end < text.length && OF_NUMBER.test(text.charAt(end))) end += 1;
  return { start, end, text: NUMBER.test(text.slice(start, end)) ? `"${MASK}"` : MASK };
}

/** The string literal that begins at or after an offset; an empty one at the end of the text where there is none. */
function nextString(text: string, from: number): Span {
  const start = text.indexOf('"', from);
  return start < 0 ? { start: text.length, end: text.length } : { start, end: stringEnd(text, start) };
}

function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === 92) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

function logprobs(text: string): Replacement[] {
  const found: Replacement[] = [];
  LOGPROBS.lastIndex = 0;
  while (LOGPROBS.test(text)) {
    const start = LOGPROBS.lastIndex;
    const end = containerEnd(text, start);
    found.push({ start, end, text: 'null' });
    LOGPROBS.lastIndex = end;
  }
  return found;
}

const NEXT_OF_INTEREST = /["[\]{}]/g;

function containerEnd(text: string, start: number): number {
  let depth = 0;
  NEXT_OF_INTEREST.lastIndex = start;
  for (let match = NEXT_OF_INTEREST.exec(text); match !== null; match = NEXT_OF_INTEREST.exec(text)) {
    if (match[0] === '"') {
      NEXT_OF_INTEREST.lastIndex = stringEnd(text, match.index);
      continue;
    }
    depth += match[0] === '{' || match[0] === '[' ? 1 : -1;
    if (depth === 0) return match.index + 1;
  }
  return text.length;
}
