import type { Span } from '../../text/span.ts';
import { isDigitCode } from '../characters.ts';
import { SPACES, HYPHENS } from './digit-groups.ts';
import { afterEscape } from '../json-escapes.ts';

type CardBrand = 'visa' | 'mastercard' | 'amex' | 'discover';

/** Leading digits and lengths (ISO/IEC 7812 and the brands' own tables). */
const BRANDS: readonly (readonly [CardBrand, RegExp])[] = [
  ['visa', /^4(?:\d{12}|\d{15}|\d{18})$/],
  ['mastercard', /^(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}$/],
  ['amex', /^3[47]\d{13}$/],
  [
    'discover',
    /^(?:6011\d{2}|64[4-9]\d{3}|65\d{4}|622(?:12[6-9]|1[3-9]\d|[2-8]\d{2}|9[01]\d|92[0-5]))\d{10}$/,
  ],
];

export const FIRST_FOUR = String.raw`(?:4\d{3}|5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720|3[47]\d{2}|6011|64[4-9]\d|65\d{2}|622\d)`;

/** Group separators. A number uses only one kind. */
export const CARD_GAP = `[${SPACES}${HYPHENS}.]`;

/** Groups of four (the last may be shorter), Amex groups (4-6-5 or 4-6-4), or ungrouped digits. */
const WRITTEN = new RegExp(
  [
    String.raw`\d{4}(${CARD_GAP})\d{4}\1\d{4}\1(?:\d{4}(\1\d{1,3})?|\d{1,3})`,
    String.raw`\d{4}(${CARD_GAP})\d{6}\3\d{4,5}`,
    String.raw`\d{13,19}`,
  ]
    .map((form) => `(?:${form}(?!\\d))`)
    .join('|'),
  'y',
);
const FOUR_DIGITS = /(?<!\d)\d{4}/g;

interface CardNumber<Kind> extends Span {
  readonly kind: Kind;
  readonly isPlain: boolean;
}

/**
 * Returns all numbers with a valid check digit and a known kind, ordered by `start`. Numbers overlap if a card follows
 * another number after the same separator.
 * @param kindOf returns undefined for digits to ignore
 */
export function findCardNumbers<Kind>(
  text: string,
  kindOf: (digits: string) => Kind | undefined,
): readonly CardNumber<Kind>[] {
  const found: CardNumber<Kind>[] = [];
  FOUR_DIGITS.lastIndex = 0;
  for (let match = FOUR_DIGITS.exec(text); match !== null; match = FOUR_DIGITS.exec(text)) {
    const card = cardAt(text, afterEscape(text, match.index), kindOf);
    if (card !== undefined) found.push(card);
  }
  return found;
}

export function brandOf(digits: string): CardBrand | undefined {
  return BRANDS.find(([, range]) => range.test(digits))?.[0];
}

/** Verifies the Luhn check digit (ISO/IEC 7812-1 annex B). Rejects a repeated digit, which may pass by chance. */
function hasCheckDigit(written: string): boolean {
  let sum = 0;
  let index = 0;
  let isRepeated = true;
  const last = written.charCodeAt(written.length - 1);
  for (let at = written.length - 1; at >= 0; at -= 1) {
    const code = written.charCodeAt(at);
    if (!isDigitCode(code)) continue;
    const value = (code - 48) * (index % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
    isRepeated &&= code === last;
    index += 1;
  }
  return sum % 10 === 0 && !isRepeated;
}

function cardAt<Kind>(
  text: string,
  start: number,
  kindOf: (digits: string) => Kind | undefined,
): CardNumber<Kind> | undefined {
  WRITTEN.lastIndex = start;
  const match = WRITTEN.exec(text);
  if (match === null) return undefined;
  const [written, gapOfFours, fifth = '', gapOfAmex] = match;
  const gap = gapOfFours ?? gapOfAmex;
  // A fifth group is part of a long number, or the card's verification code or expiry date.
  for (const number of fifth === '' ? [written] : [written, written.slice(0, -fifth.length)]) {
    const end = start + number.length;
    if (!hasCheckDigit(number) || isWithinId(text, start, end, gap ?? '.')) continue;
    const kind = kindOf(gap === undefined ? number : number.replaceAll(/\D/g, ''));
    if (kind !== undefined) return { kind, isPlain: gap === undefined, start, end };
  }
  return undefined;
}

/** Reports whether the number's separator also joins it to other digits, as in ids. Spaces do not count. */
function isWithinId(text: string, start: number, end: number, gap: string): boolean {
  if (/\s/.test(gap)) return false;
  const isBefore = text[start - 1] === gap && isDigitCode(text.charCodeAt(start - 2));
  return isBefore || (text[end] === gap && isDigitCode(text.charCodeAt(end + 1)));
}
