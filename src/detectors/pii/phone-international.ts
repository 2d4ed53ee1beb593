import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { Span } from '../../text/span.ts';
import { RecentMap } from '../../recent-map.ts';
import { SPACES, HYPHENS, openAt, WORD_BEGINS } from './digit-groups.ts';
import { beginsWord } from '../json-escapes.ts';
import { continuesAsNumber } from './phone-context.ts';
import { stickyEnd } from '../../text/sticky.ts';

const GAP = `[${SPACES}${HYPHENS}./()]{0,3}`;
const MAX_DIGITS = 15;
const MIN_DIGITS = 7;
/** In diffs, ten-digit timestamps may follow a plus. */
const MIN_LONG_DIGITS = 11;

/** A plus, also escaped in JSON or URLs, and the 7 to 15 digits after it. */
const WRITTEN = new RegExp(
  String.raw`(?:\+|\\u002[bB]|%2[bB])(${GAP}[1-9](?:${GAP}\d){${String(MIN_DIGITS - 1)},${String(MAX_DIGITS - 1)}})`,
  'g',
);

export function internationalNumbersIn(text: string): readonly Span[] {
  const found: Span[] = [];
  WRITTEN.lastIndex = 0;
  for (let match = WRITTEN.exec(text); match !== null; match = WRITTEN.exec(text)) {
    const start = match.index;
    const digits = WRITTEN.lastIndex - (match[1] ?? '').length;
    const end = beginsNumber(text, start) ? numberEnd(text, digits, WRITTEN.lastIndex) : undefined;
    if (end !== undefined) found.push({ start, end });
    WRITTEN.lastIndex = end ?? digits;
  }
  return found;
}

/** Sums: `35557327 + 98283264`, `f(x) + 98283264`. */
const SUM = new RegExp(String.raw`(?<=[\d)\]][${SPACES}]{0,2})\+[${SPACES}]\d{1,20}(?!\d|${GAP}\d)`, 'y');

function beginsNumber(text: string, start: number): boolean {
  if (!beginsWord(text, start) || text[start - 1] === '+') return false;
  return stickyEnd(SUM, text, start) === undefined;
}

/** Maximum number of trailing groups left out, which may belong to other numbers with the same separators. */
const MAX_GROUPS_LEFT_OUT = 3;

/** Returns the end of the longest number that starts at `from` and ends with a whole group, or undefined. */
function numberEnd(text: string, from: number, to: number): number | undefined {
  let end = to;
  for (let leftOut = 0; leftOut <= MAX_GROUPS_LEFT_OUT; leftOut += 1) {
    if (!continuesAsNumber(text, end) && isNumber(text.slice(from, end))) return end;
    const shorter = LAST_GROUP.exec(text.slice(from, end));
    if (shorter === null) return undefined;
    end = from + shorter.index;
  }
  return undefined;
}

const LAST_GROUP = /(?<=\d)\D+\d+$/;

/** Accepts assigned numbers, and possible ones if grouped or long, because numbering plans grow. */
function isNumber(written: string): boolean {
  const digits = written.replaceAll(/\D/g, '');
  if (digits.length < MIN_DIGITS || /0{6}/.test(digits)) return false;
  const judged = judgeNumber(digits);
  const isPlain = digits.length < MIN_LONG_DIGITS && !/\d\D+\d+\D+\d/.test(written);
  return judged === 'valid' || (judged === 'possible' && !isPlain);
}

type Judged = 'valid' | 'possible' | 'none';

/** A check takes 50 µs, and streams scan their context again with each chunk. */
const judgements = new RecentMap<Judged>(64);

function judgeNumber(digits: string): Judged {
  const known = judgements.get(digits);
  if (known !== undefined) return known;
  const number = parsePhoneNumberFromString(`+${digits}`);
  const judged = number?.isValid() === true ? 'valid' : number?.isPossible() === true ? 'possible' : 'none';
  judgements.set(digits, judged);
  return judged;
}

const OPEN_CHARS = 72;
const OPEN = new RegExp(
  [
    String.raw`(?:\+|\\u002[bB]|%2[bB])${GAP}(?:[1-9](?:${GAP}\d){0,${String(MAX_DIGITS - 1)}}${GAP})?$`,
    String.raw`\\(?:u(?:0(?:02?)?)?)?$`,
    String.raw`%2?$`,
  ]
    .map((form) => WORD_BEGINS + form)
    .join('|'),
);

export function internationalOpenIn(tail: string): number {
  return openAt(tail, OPEN, OPEN_CHARS);
}
