import { UnitReader } from '../../text/units.ts';
import { isDigitCode } from '../characters.ts';

/** Cards, SSNs and phone numbers without a plus have at least this many consecutive digits. */
const RUN_DIGITS = 4;
const MIN_DIGITS = 9;
const MAX_GAP_CHARS = 3;

const MAX_CHARS = 32_768;
const reader = new UnitReader(MAX_CHARS);

/** Fast test for cards, SSNs and phone numbers without a plus. Inspects every fourth character. */
export function mayHaveLongNumber(text: string): boolean {
  const { length } = text;
  if (length > MAX_CHARS) return true;
  const units = reader.read(text);
  for (let at = RUN_DIGITS - 1; at < length; at += RUN_DIGITS) {
    if (!isDigitCode(units[at] ?? 0)) continue;
    let start = at;
    while (start > 0 && isDigitCode(units[start - 1] ?? 0)) start -= 1;
    let end = at + 1;
    while (isDigitCode(units[end] ?? 0)) end += 1;
    if (end - start >= RUN_DIGITS && isInLongNumber(units, length, start, end)) return true;
    at = end - 1;
  }
  return false;
}

function isInLongNumber(units: Uint16Array, length: number, start: number, end: number): boolean {
  let missing = MIN_DIGITS - (end - start);
  for (const step of [-1, 1]) {
    let at = step < 0 ? start - 1 : end;
    for (let gap = 0; missing > 0 && at >= 0 && at < length && gap <= MAX_GAP_CHARS; at += step) {
      const isDigit = isDigitCode(units[at] ?? 0);
      gap = isDigit ? 0 : gap + 1;
      if (isDigit) missing -= 1;
    }
  }
  return missing <= 0;
}

/** The plus of an international number, also escaped in JSON or URLs. */
const PLUS = /\+|\\u002|%2/;

export function mayHavePhone(text: string, hasLongNumber: boolean): boolean {
  return hasLongNumber || PLUS.test(text);
}
