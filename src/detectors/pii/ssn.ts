import { isWordCode } from '../characters.ts';
import { truncatedSource, digits, HYPHENS, NUMBER_BEGINS, oneOfCharacters, openAt } from './digit-groups.ts';
import { beginsWord, escapeEnd } from '../json-escapes.ts';
import type { Finding, StreamDetector } from '../finding.ts';
import { createStreamDetector } from '../stream-detector.ts';

/** Finds US Social Security numbers, and taxpayer numbers (ITINs) of the same form (docs/personal-data.md). */
export const ssnDetector: StreamDetector = createStreamDetector(findSsns, openIn);

const WRITTEN = new RegExp(String.raw`(\d{3})([${HYPHENS}])(\d{2})\2(\d{4})`, 'g');

function findSsns(text: string): readonly Finding[] {
  const found: Finding[] = [];
  WRITTEN.lastIndex = 0;
  for (let match = WRITTEN.exec(text); match !== null; match = WRITTEN.exec(text)) {
    const start = match.index;
    const end = WRITTEN.lastIndex;
    const [, area = '', , group = '', serial = ''] = match;
    const rule = ssnRule(area, group, serial);
    if (rule !== undefined && standsAlone(text, start, end)) {
      found.push({ detector: 'ssn', class: 'ssn', rule, start, end });
    }
    WRITTEN.lastIndex = start + 1;
  }
  return found;
}

/** Returns undefined for numbers that are never issued. */
function ssnRule(area: string, group: string, serial: string): string | undefined {
  if (area === '000' || area === '666' || group === '00' || serial === '0000') return undefined;
  if (area < '900') return 'us_ssn';
  return TAXPAYER_GROUP.test(group) ? 'us_itin' : undefined;
}

const TAXPAYER_GROUP = /5\d|6[0-5]|7\d|8[0-8]|9[0-24-9]/;

/** Rejects parts of longer numbers and identifiers. The label `ssn` may directly precede the number. */
function standsAlone(text: string, start: number, end: number): boolean {
  if ((escapeEnd(text, start) ?? start) > start) return false;
  if (isWordCode(text.charCodeAt(end)) || CONTINUES.test(text.slice(end, end + 2))) return false;
  const before = text.slice(Math.max(0, start - 5), start);
  if (LABEL.test(before)) return true;
  const isInId = JOINT.test(before) && !beginsWord(text, start - 1);
  return beginsWord(text, start) && !isInId && !/\d\.$/.test(before);
}

const LABEL = /ssn-?$/i;
const JOINT = new RegExp(`[${HYPHENS}]$`);
const CONTINUES = new RegExp(String.raw`^[${HYPHENS}.]\d`);

const OPEN_CHARS = 16;
const HYPHEN = oneOfCharacters(HYPHENS);
const MAY_BE_OPEN = new RegExp(String.raw`\d[${HYPHENS}.]?$`);
const OPEN = new RegExp(
  NUMBER_BEGINS +
    truncatedSource([digits(3), HYPHEN, digits(2), HYPHEN], String.raw`\d{0,3}|\d{4}[${HYPHENS}.]?`),
);

function openIn(tail: string): number {
  if (!MAY_BE_OPEN.test(tail.slice(-2))) return tail.length;
  return openAt(tail, OPEN, OPEN_CHARS);
}
