/** Kinds of UTF-16 code units. Higher numbers are letters, folded to lowercase without accents. */
export const SEPARATOR = 0;
/** Apostrophes, combining accents and zero-width characters neither end a word nor belong to one. */
export const SILENT = 1;
export const SENTENCE_END = 2;
export const LINE_END = 3;

const WORD = /[\p{L}\p{M}\p{N}]/u;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const SILENT_UNITS = "'’ʼ`\u00ad\u2060\ufeff";
const SILENT_RANGES = [
  [0x300, 0x36f],
  [0x200b, 0x200f],
  [0xfe00, 0xfe0f],
] as const;
const isSilent = (unit: number): boolean =>
  SILENT_UNITS.includes(String.fromCharCode(unit)) ||
  SILENT_RANGES.some(([first, last]) => unit >= first && unit <= last);
const SENTENCE_UNITS = '.!?…;。！？؟।';
/** Letters that Unicode does not decompose. */
const STROKED: ReadonlyMap<string, string> = new Map([
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ı', 'i'],
  ['ß', 's'],
]);
/** Scripts with case and accents. The second range is for Vietnamese. */
const FOLDED_RANGES = [
  [0, 0x58f],
  [0x1e00, 0x1eff],
] as const;

function foldUnit(unit: number): number {
  const char = String.fromCharCode(unit);
  if (char === '\n' || char === '\r') return LINE_END;
  if (SENTENCE_UNITS.includes(char)) return SENTENCE_END;
  if (isSilent(unit)) return SILENT;
  if (!WORD.test(char)) return SEPARATOR;
  const base = char.toLowerCase().normalize('NFD').charAt(0);
  return (STROKED.get(base) ?? base).charCodeAt(0);
}

/** Folded letter or kind of each UTF-16 code unit. Folding does not change offsets. */
export const FOLDED: Uint16Array = foldedUnitTable();

/** Letters of most scripts do not change, so one pass copies them and only the rest is folded. */
function foldedUnitTable(): Uint16Array {
  const units = new Uint16Array(0x10000);
  for (let unit = 0; unit < units.length; unit++) units[unit] = unit;
  const folded = new Uint16Array(units.length).fill(SEPARATOR);
  for (const { index, 0: run } of Buffer.from(units.buffer).toString('utf16le').matchAll(WORDS))
    folded.set(units.subarray(index, index + run.length), index);
  for (const [first, last] of [...FOLDED_RANGES, ...SILENT_RANGES])
    for (let unit = first; unit <= last; unit++) folded[unit] = foldUnit(unit);
  for (const char of SILENT_UNITS + SENTENCE_UNITS) folded[char.charCodeAt(0)] = foldUnit(char.charCodeAt(0));
  return folded;
}

/** Recognizes Thai, kana, Han and Hangul characters. Each is a word of its own unless a longer word matches. */
export const isUnspaced = (unit: number): boolean =>
  unit >= 0x0e00 &&
  (unit <= 0x0e7f ||
    (unit >= 0x3040 && unit <= 0x30ff) ||
    (unit >= 0x3400 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3));
