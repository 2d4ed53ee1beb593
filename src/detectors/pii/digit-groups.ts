/** Blanks and hyphens between groups of digits, for character classes. */
export const BLANKS = String.raw` \u00a0\u2007\u2009\u202f`;
export const HYPHENS = String.raw`\-\u2010-\u2015\u2212`;

/** Pattern sources for one part of a written number: whole, and cut by the end of a text. */
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

/** Returns the pattern source of a number that the end of the text cuts in one of the parts, or in `last`. */
export function cutOffSource(parts: readonly NumberPart[], last: string): string {
  return parts.reduceRight((rest, { whole, cut }) => `(?:${cut}$|${whole}${rest})`, `(?:${last})$`);
}

const AFTER_ESCAPE = String.raw`(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4})`;

/** No digit may precede, unless it belongs to an escape. */
export const NUMBER_BEGINS = String.raw`(?:(?<!\d)|${AFTER_ESCAPE})`;

/** No letter may precede, unless it belongs to an escape. */
export const WORD_BEGINS = String.raw`(?:(?<!\w)|${AFTER_ESCAPE})`;

const ESCAPE_CHARS = 6;

/** Returns the offset of a match in the last characters of a text, or the text's length. */
export function openAt(tail: string, pattern: RegExp, chars: number): number {
  const from = Math.max(0, tail.length - chars - ESCAPE_CHARS);
  const open = tail.slice(from).search(pattern);
  return open === -1 ? tail.length : from + open;
}
