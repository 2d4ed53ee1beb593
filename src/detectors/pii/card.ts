import { brandOf, CARD_GAP, findCardNumbers, FIRST_FOUR } from './card-number.ts';
import { isWordCode } from '../characters.ts';
import { truncatedSource, digits, NUMBER_BEGINS, openAt } from './digit-groups.ts';
import { beginsWord } from '../json-escapes.ts';
import type { Finding, StreamDetector } from '../finding.ts';
import { withoutOverlaps } from '../overlaps.ts';
import { hasScriptDigits, withPlainDigits } from './script-digits.ts';
import { createStreamDetector } from '../stream-detector.ts';

/** Finds Visa, Mastercard, American Express and Discover card numbers (docs/personal-data.md). */
export const cardDetector: StreamDetector = createStreamDetector(findInAnyScript, openInAnyScript);

/** Finds cards in the digits of any script, because streams are not normalized. */
function findInAnyScript(text: string): readonly Finding[] {
  const cards = findCards(text);
  return hasScriptDigits(text) ? withoutOverlaps([...cards, ...findCards(withPlainDigits(text))]) : cards;
}

function openInAnyScript(tail: string): number {
  const open = openIn(tail);
  return hasScriptDigits(tail) ? Math.min(open, openIn(withPlainDigits(tail))) : open;
}

function findCards(text: string): readonly Finding[] {
  const cards: Finding[] = [];
  for (const { kind, isPlain, start, end } of findCardNumbers(text, brandOf)) {
    if (!standsAlone(text, start, end) || (isPlain && isNamedOtherwise(text, start))) continue;
    cards.push({ detector: 'card', class: 'card', rule: kind, start, end });
  }
  return withoutOverlaps(cards);
}

function standsAlone(text: string, start: number, end: number): boolean {
  return beginsWord(text, start) && text[start - 1] !== '+' && !isWordCode(text.charCodeAt(end));
}

/** Names of other numbers, directly before a number. One in ten such numbers has a valid check digit. */
const OTHER_NUMBER =
  /(?:(?:order|invoice|tracking|parcel|shipment|imei|imsi|isbn|ean|upc|gtin|barcode|sku|serial|ticket|timestamp)(?:[ _-]?(?:id|no|nr|num|number|code))?|(?<![a-z])(?:uu|gu|u)?id|[_-]id)["'`]?\s?(?:[:=#.]|is)?\s?["'`#]?$/i;
/** `orderId:`, `"messageID": "`. */
const OTHER_ID = /[a-z]I[dD]["'`]?\s?[:=]?\s?["'`]?$/;
const NAME_CHARS = 40;

/** Reports whether the preceding text names another kind of number. Grouped digits are not tested. */
function isNamedOtherwise(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - NAME_CHARS), start);
  return OTHER_NUMBER.test(before) || OTHER_ID.test(before);
}

const OPEN_CHARS = 32;
const MAY_BE_OPEN = new RegExp(`(?:\\d|\\d${CARD_GAP})$`);
const FIRST_GROUP = { whole: FIRST_FOUR, partial: String.raw`[2-6]\d{0,2}` };
const GAP = { whole: CARD_GAP, partial: '' };
const OPEN = new RegExp(
  [
    truncatedSource(
      [FIRST_GROUP, GAP, digits(4), GAP, digits(4), GAP],
      String.raw`\d{0,4}(?:${CARD_GAP}\d{0,3}${CARD_GAP}?)?`,
    ),
    truncatedSource([FIRST_GROUP, GAP, digits(6), GAP], String.raw`\d{0,5}${CARD_GAP}?`),
    String.raw`[2-6]\d{0,18}\.?$`,
  ]
    .map((form) => `${NUMBER_BEGINS}${form}`)
    .join('|'),
);

function openIn(tail: string): number {
  if (!MAY_BE_OPEN.test(tail.slice(-2))) return tail.length;
  return openAt(tail, OPEN, OPEN_CHARS);
}
