/** Inside of a character class: blanks and hyphens that stand between groups of digits, also those of typesetters. */
export const BLANKS = String.raw` \u00a0\u2007\u2009\u202f`;
export const HYPHENS = String.raw`\-\u2010-\u2015\u2212`;

/** One part of a written number as sources of regular expressions: all of it, and what a text may end with in it. */
interface NumberPart {
  readonly whole: string;
  readonly cut: string;
}

export function digits(count: number): NumberPart {
  return { whole: String.raw`\d{${String(count)}}`, cut: String.raw`\d{0,${String(count - 1)}}` };
}

/** One character of a class. */
export function oneOfCharacters(characters: string): NumberPart {
  return { whole: `[${characters}]`, cut: '' };
}

/**
 * The source of an expression for the parts in their order where a text ends in one of them, or in `last`, which
 * follows them.
 */
export function cutOffSource(parts: readonly NumberPart[], last: string): string {
  return parts.reduceRight((rest, { whole, cut }) => `(?:${cut}$|${whole}${rest})`, `(?:${last})$`);
}

/** Behind an escape of JSON. */
const BEHIND_ESCAPE = String.raw`(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4})`;

/** Before the first digit of a number: no other digit, unless it belongs to an escape. */
export const NUMBER_BEGINS = String.raw`(?:(?<!\d)|${BEHIND_ESCAPE})`;

/** Before the first letter of a word or what stands alone: no letter, unless it belongs to an escape. */
export const WORD_BEGINS = String.raw`(?:(?<!\w)|${BEHIND_ESCAPE})`;

/** What the expression may look back at. */
const ESCAPE_CHARS = 6;

/** Where an expression matches in the last characters of a text; the text's length where it does not. */
export function openAt(tail: string, pattern: RegExp, chars: number): number {
  const from = Math.max(0, tail.length - chars - ESCAPE_CHARS);
  const open = tail.slice(from).search(pattern);
  return open === -1 ? tail.length : from + open;
}
