/** Spaces and hyphens that may separate digit groups; contents of a regex character class. */
export const SPACES = String.raw` \u00a0\u2007\u2009\u202f`;
export const HYPHENS = String.raw`\-\u2010-\u2015\u2212`;

/** Regex sources for one part of a number: complete, or truncated by the end of the text. */
interface NumberPart {
  readonly whole: string;
  readonly partial: string;
}

export function digits(count: number): NumberPart {
  return { whole: String.raw`\d{${String(count)}}`, partial: String.raw`\d{0,${String(count - 1)}}` };
}

export function oneOfCharacters(characters: string): NumberPart {
  return { whole: `[${characters}]`, partial: '' };
}

/** Returns the regex source for a number that the end of the text truncates in one of `parts` or in `last`. */
export function truncatedSource(parts: readonly NumberPart[], last: string): string {
  return parts.reduceRight((rest, { whole, partial }) => `(?:${partial}$|${whole}${rest})`, `(?:${last})$`);
}

const AFTER_ESCAPE = String.raw`(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4})`;

/** Not after a digit, unless the digit ends an escape sequence (`\u0041`). */
export const NUMBER_BEGINS = String.raw`(?:(?<!\d)|${AFTER_ESCAPE})`;

/** Not after a word character (`\w`), unless the character ends an escape sequence. */
export const WORD_BEGINS = String.raw`(?:(?<!\w)|${AFTER_ESCAPE})`;

const ESCAPE_CHARS = 6;

/** Returns the offset of a match in the last characters of a text, or the text length. */
export function openAt(tail: string, pattern: RegExp, chars: number): number {
  const from = Math.max(0, tail.length - chars - ESCAPE_CHARS);
  const open = tail.slice(from).search(pattern);
  return open === -1 ? tail.length : from + open;
}
