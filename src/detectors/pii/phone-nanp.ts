import type { Span } from '../../text/span.ts';
import { SPACES, truncatedSource, digits, HYPHENS, NUMBER_BEGINS, openAt } from './digit-groups.ts';
import { beginsWord } from '../json-escapes.ts';
import { continuesAsNumber, isNanpNumber } from './phone-context.ts';

const AREA = String.raw`[2-9]\d{2}`;
const GAP = `(?:[${SPACES}][${HYPHENS}][${SPACES}]|[${SPACES}${HYPHENS}.])`;
const AREA_GAP = String.raw`(?:\)[${SPACES}${HYPHENS}.]{0,2}|/|${GAP})`;

/** `(212) 555-0134`, `212.555.0134`, `212-5550134`. */
const WRITTEN = new RegExp(
  String.raw`${NUMBER_BEGINS}(${AREA})(${AREA_GAP})(\d{3})(${GAP}?)(\d{4})(?!\d)`,
  'g',
);

/** Returns grouped North American numbers, ordered by `start`, without the country code 1. */
export function nanpNumbersIn(text: string): readonly Span[] {
  const found: Span[] = [];
  WRITTEN.lastIndex = 0;
  for (let match = WRITTEN.exec(text); match !== null; match = WRITTEN.exec(text)) {
    const [, area = '', areaGap = '', exchange = '', gap = '', line = ''] = match;
    const isBracketed = areaGap.startsWith(')');
    const start = isBracketed ? match.index - 1 : match.index;
    const end = WRITTEN.lastIndex;
    const number = { area, areaGap, exchange, gap, line, start, end };
    const isFound = isBracketed ? text[start] === '(' : beginsNumber(text, number);
    if (isFound && endsNumber(text, number) && isPhone(number)) found.push({ start, end });
    else WRITTEN.lastIndex = match.index + 1;
  }
  return found;
}

interface Written extends Span {
  readonly area: string;
  readonly areaGap: string;
  readonly exchange: string;
  readonly gap: string;
  readonly line: string;
}

/** Spaces also separate unrelated numbers in a row, so no other number may be adjacent. */
function isSpaceSeparated({ areaGap, gap }: Written): boolean {
  return /^\s$/.test(areaGap) && /^\s$/.test(gap);
}

const JOINED_BEFORE = new RegExp(String.raw`\d[${HYPHENS}.]$`);
const COUNTRY_BEFORE = new RegExp(String.raw`(?<!\d[${HYPHENS}.]?)(?:00)?1[${HYPHENS}.${SPACES}]$`);
const IN_ROW_BEFORE = new RegExp(String.raw`\d[${SPACES}]$`);
const IN_ROW_AFTER = new RegExp(String.raw`^[${SPACES}]\d`);
const BEFORE_CHARS = 6;

function beginsNumber(text: string, number: Written): boolean {
  const { start } = number;
  if (!beginsWord(text, start)) return false;
  const before = text.slice(Math.max(0, start - BEFORE_CHARS), start);
  if (COUNTRY_BEFORE.test(before)) return true;
  return !JOINED_BEFORE.test(before) && !(isSpaceSeparated(number) && IN_ROW_BEFORE.test(before));
}

const JOINED_AFTER = new RegExp(String.raw`^[${HYPHENS}.]\d`);

function endsNumber(text: string, number: Written): boolean {
  const { end } = number;
  const after = text.slice(end, end + 2);
  if (continuesAsNumber(text, end) || JOINED_AFTER.test(after)) return false;
  return !(isSpaceSeparated(number) && IN_ROW_AFTER.test(after));
}

/** Accepts three groups with hyphens, dots or parentheses. Other forms need an assigned area code. */
function isPhone(number: Written): boolean {
  const { area, areaGap, exchange, gap, line } = number;
  const isPlain = areaGap === '/' || gap === '' || isSpaceSeparated(number);
  if (!isPlain) return true;
  if (gap === '' && /^\s$/.test(areaGap)) return false;
  // Image and memory sizes: 256 512 1024, 640 480 1280.
  if ([area, exchange, line].every((group) => Number(group) % 16 === 0)) return false;
  return isNanpNumber(area, exchange);
}

const OPEN_CHARS = 24;
const OPEN = new RegExp(
  String.raw`(?:\(|${NUMBER_BEGINS})` +
    truncatedSource(
      [
        { whole: AREA, partial: String.raw`(?:[2-9]\d?)?` },
        { whole: AREA_GAP, partial: String.raw`(?:\)[${SPACES}${HYPHENS}.]?|[${SPACES}][${HYPHENS}]?)?` },
        digits(3),
        { whole: `${GAP}?`, partial: `(?:[${SPACES}][${HYPHENS}]?)?` },
      ],
      String.raw`\d{0,3}|\d{4}[${SPACES}${HYPHENS}.]?`,
    ),
);

export function nanpOpenIn(tail: string): number {
  return openAt(tail, OPEN, OPEN_CHARS);
}
