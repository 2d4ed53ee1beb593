/** Roles of a character in words, one bit each. */
export const KIND = {
  lower: 1,
  upper: 2,
  /** Other letters, and numbers that are not digits. */
  letter: 4,
  digit: 8,
  /** Marks continue a word but begin none. */
  mark: 16,
  underscore: 32,
  dot: 64,
  nameSign: 128,
  otherSign: 256,
  slash: 512,
  beyondAscii: 1_024,
  /** A character of a script without spaces between words. */
  unspaced: 2_048,
  /** Takes two UTF-16 units. */
  pair: 4_096,
  /** Characters that cannot be lower-cased unit by unit. */
  odd: 8_192,
} as const;

export const LETTER_OR_NUMBER = KIND.lower | KIND.upper | KIND.letter | KIND.digit;
export const BEGINS_WORD = LETTER_OR_NUMBER | KIND.underscore | KIND.slash;
/** Signs inside names and paths, and after words. */
export const SIGN = KIND.dot | KIND.nameSign | KIND.otherSign;
export const GOES_ON = LETTER_OR_NUMBER | KIND.mark | KIND.underscore | SIGN;

const SIGN_KINDS: Readonly<Record<string, number>> = {
  ...Object.fromEntries([...':$%+-'].map((sign) => [sign, KIND.otherSign])),
  _: KIND.underscore,
  '.': KIND.dot,
  '/': KIND.nameSign | KIND.slash,
  '\\': KIND.nameSign,
  '@': KIND.nameSign,
  '#': KIND.nameSign,
};

const UNSPACED = /^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]/;

/** Kinds by code unit, filled in as characters occur. */
const UNREAD = 0x8000;
export const KINDS = new Uint16Array(0x10000).fill(UNREAD);
/** Lower case by code unit, filled in likewise, except for odd characters. */
export const LOWER = new Uint16Array(0x10000);
for (let unit = 0; unit < 0x80; unit++) readKinds(String.fromCharCode(unit), 0, unit);

/**
 * Returns the kinds of the character at an offset; 0 outside words.
 * @param unit the text's unit there
 */
export function kindsAt(text: string, at: number, unit: number): number {
  const known = KINDS[unit] ?? 0;
  return known === UNREAD ? readKinds(text, at, unit) : known;
}

function readKinds(text: string, at: number, unit: number): number {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const kinds = signKindsOf(character);
  // A surrogate alone has no kind.
  if (unit < 0xd800 || unit > 0xdfff) {
    KINDS[unit] = kinds;
    LOWER[unit] = character.toLowerCase().charCodeAt(0);
  }
  return kinds;
}

function signKindsOf(character: string): number {
  const kinds = SIGN_KINDS[character] ?? classOf(character);
  if (kinds === 0 || character < '\x80') return kinds;
  const beyond = kinds | KIND.beyondAscii | (isOdd(character) ? KIND.odd : 0);
  if (character.length > 1) return beyond | KIND.pair;
  return beyond | (UNSPACED.test(character) ? KIND.unspaced : 0);
}

/** A sigma has another form at the end of a word. */
function isOdd(character: string): boolean {
  return character === 'Σ' || character.length > 1 || character.toLowerCase().length > 1;
}

function classOf(character: string): number {
  if (/\d/.test(character)) return KIND.digit;
  if (/\p{Ll}/u.test(character)) return KIND.lower;
  if (/\p{Lu}/u.test(character)) return KIND.upper;
  if (/[\p{L}\p{N}]/u.test(character)) return KIND.letter;
  return /\p{M}/u.test(character) ? KIND.mark : 0;
}
