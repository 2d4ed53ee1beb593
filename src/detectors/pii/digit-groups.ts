/** For character classes: blanks and hyphens between groups of digits, including typographic ones. */
export const BLANKS = String.raw` \u00a0\u2007\u2009\u202f`;
export const HYPHENS = String.raw`\-\u2010-\u2015\u2212`;

/** One part of a written number as pattern sources: whole, and cut by the end of a text. */
interface NumberPart {
  readonly whole: string;
  readonly cut: string;
}

export function digits(count: number): NumberPart {
  return { whole: String.raw`\d{${String(count)}}`, cut: String.raw`\d{0,${String(count - 1)}}` };
}

export function oneOfCharacters(characters: string): NumberPart {
  return { whole: `[${characters}]`, cut: '' };
}

/** Returns the pattern source for parts in order, cut by the end of the text in one of them or in `last`. */
export function cutOffSource(parts: readonly NumberPart[], last: string): string {
  return parts.reduceRight((rest, { whole, cut }) => `(?:${cut}$|${whole}${rest})`, `(?:${last})$`);
}

const BEHIND_ESCAPE = String.raw`(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4})`;

/** Before the first digit of a number: no other digit, except of an escape. */
export const NUMBER_BEGINS = String.raw`(?:(?<!\d)|${BEHIND_ESCAPE})`;

/** Before the first letter of a word: no letter, except of an escape. */
export const WORD_BEGINS = String.raw`(?:(?<!\w)|${BEHIND_ESCAPE})`;

const ESCAPE_CHARS = 6;

/** Returns the offset of a match in the last characters of a text, or the text's length. */
export function openAt(tail: string, pattern: RegExp, chars: number): number {
  const from = Math.max(0, tail.length - chars - ESCAPE_CHARS);
  const open = tail.slice(from).search(pattern);
  return open === -1 ? tail.length : from + open;
}
