/** Letters replace hexadecimal digits: no search for card or phone numbers matches a stamp. */
const LETTERS = 'abcdefghijklmnop';
const HOUR_MICROS = 3_600_000_000;
/** As many as an hour has digits. */
const LENGTH = 8;

/** A stamp within a text, for `matchAll`; its first group is for `sinceStamp`. */
export const STAMP = new RegExp(` t=([${LETTERS}]{${String(LENGTH)}}) `, 'g');

/** This moment as a word, readable by any process on this machine within the hour; in milliseconds since 1970. */
export function stamp(nowMs = clockMs()): string {
  const digits = microsOf(nowMs).toString(16).padStart(LENGTH, '0');
  return ` t=${digits.replace(/./g, (digit) => LETTERS.charAt(parseInt(digit, 16)))} `;
}

/** Milliseconds since the moment that these letters encode. */
export function sinceStamp(letters: string, nowMs = clockMs()): number {
  let micros = 0;
  for (const letter of letters) micros = micros * 16 + LETTERS.indexOf(letter);
  return ((microsOf(nowMs) - micros + HOUR_MICROS) % HOUR_MICROS) / 1_000;
}

function microsOf(ms: number): number {
  return Math.round(ms * 1_000) % HOUR_MICROS;
}

function clockMs(): number {
  return performance.timeOrigin + performance.now();
}
