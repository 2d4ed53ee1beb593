import { isDigit, isOfWord, standsAlone } from './lexicon.ts';

/** What a UTF-16 unit is to a reader of words; anything else is a blank. */
export const UNIT = { mark: 1, alone: 2, letter: 4, digit: 8, upper: 32 } as const;
export const OF_WORD = UNIT.letter | UNIT.digit;

/** Kinds of all UTF-16 units. An ASCII capital has the bit that makes it a small letter. */
export const UNIT_KINDS = Uint8Array.from({ length: 1 << 16 }, (_, code) => kindOf(code));

function kindOf(code: number): number {
  if (isDigit(code)) return UNIT.digit;
  if (code >= 65 && code <= 90) return UNIT.letter | UNIT.upper;
  if (isOfWord(code)) return UNIT.letter;
  if (standsAlone(code)) return UNIT.alone;
  return code > 32 || code === 10 ? UNIT.mark : 0;
}
