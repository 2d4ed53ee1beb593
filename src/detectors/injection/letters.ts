/** What a UTF-16 unit is to the lexer; anything higher is a letter, folded to lower case without its accent. */
export const SEPARATOR = 0;
/** Apostrophes, combining accents, zero-width characters: they neither end a word nor count in it. */
export const SILENT = 1;
export const SENTENCE_END = 2;
export const LINE_END = 3;

const WORD = /[\p{L}\p{M}\p{N}]/u;
const SILENT_UNITS = "'’ʼ`\u00ad\u2060\ufeff";
const isSilent = (unit: number): boolean =>
  SILENT_UNITS.includes(String.fromCharCode(unit)) ||
  (unit >= 0x300 && unit <= 0x36f) ||
  (unit >= 0x200b && unit <= 0x200f) ||
  (unit >= 0xfe00 && unit <= 0xfe0f);
const SENTENCE_UNITS = '.!?…;。！？؟।';
/** Letters that Unicode does not take apart. */
const STROKED: ReadonlyMap<string, string> = new Map([
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ı', 'i'],
  ['ß', 's'],
]);
/** Up to here scripts have case and accents worth folding. */
const LAST_FOLDED = 0x58f;
const isVietnamese = (unit: number): boolean => unit >= 0x1e00 && unit <= 0x1eff;

function foldUnit(unit: number): number {
  const char = String.fromCharCode(unit);
  if (char === '\n' || char === '\r') return LINE_END;
  if (SENTENCE_UNITS.includes(char)) return SENTENCE_END;
  if (isSilent(unit)) return SILENT;
  if (!WORD.test(char)) return SEPARATOR;
  if (unit > LAST_FOLDED && !isVietnamese(unit)) return unit;
  const base = char.toLowerCase().normalize('NFD').charAt(0);
  return (STROKED.get(base) ?? base).charCodeAt(0);
}

/** UTF-16 unit -> its folded letter or one of the kinds above. One look-up, so that offsets stay those of the text. */
export const FOLDED: Uint16Array = Uint16Array.from({ length: 0x10000 }, (_, unit) => foldUnit(unit));

/** Scripts that write no spaces: words are found by longest match, and each other character is a word. */
export const isUnspaced = (unit: number): boolean =>
  unit >= 0x0e00 &&
  (unit <= 0x0e7f ||
    (unit >= 0x3040 && unit <= 0x30ff) ||
    (unit >= 0x3400 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7a3));
