/** Zeros of all scripts whose decimal digits are one UTF-16 code unit (Unicode 17, general category Nd). */
const ZEROS =
  '\u0660\u06f0\u07c0\u0966\u09e6\u0a66\u0ae6\u0b66\u0be6\u0c66\u0ce6\u0d66\u0de6\u0e50\u0ed0\u0f20\u1040\u1090' +
  '\u17e0\u1810\u1946\u19d0\u1a80\u1a90\u1b50\u1bb0\u1c40\u1c50\ua620\ua8d0\ua900\ua9d0\ua9f0\uaa50\uabf0\uff10';
const RANGES = [...ZEROS].map((zero) => `${zero}-${String.fromCharCode(zero.charCodeAt(0) + 9)}`).join('');
const ANY = new RegExp(`[${RANGES}]`);
const EACH = new RegExp(ANY.source, 'g');

const ASCII_ZERO = 48;
const VALUES = new Map(
  [...ZEROS].flatMap((zero) =>
    Array.from({ length: 10 }, (_, value) => [
      String.fromCharCode(zero.charCodeAt(0) + value),
      String.fromCharCode(ASCII_ZERO + value),
    ]),
  ) as (readonly [string, string])[],
);

export function hasScriptDigits(text: string): boolean {
  // The length comparison is faster than the regex.
  return Buffer.byteLength(text) !== text.length && ANY.test(text);
}

/** Converts digits of other scripts to ASCII. Offsets do not change. */
export function withPlainDigits(text: string): string {
  return text.replace(EACH, (digit) => VALUES.get(digit) ?? digit);
}
