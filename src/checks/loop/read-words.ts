import { HIGH_PRIME, LOW_PRIME, LOW_SHIFT } from '../../text/simhash.ts';
import { UnitReader } from '../../text/units.ts';
import { NAME, PLAIN, type WordList } from './word-list.ts';

/** Character classes, one bit each. */
const KIND = {
  lower: 1,
  upper: 2,
  /** Other letters, and numbers that are not digits. */
  letter: 4,
  digit: 8,
  /** Combining marks continue a word but do not begin one. */
  mark: 16,
  underscore: 32,
  dot: 64,
  nameSign: 128,
  otherSign: 256,
  slash: 512,
  beyondAscii: 1_024,
  /** A character of a script without spaces between words. */
  unspaced: 2_048,
  /** Takes two UTF-16 code units. */
  pair: 4_096,
  /** Cannot be lowercased one code unit at a time. */
  odd: 8_192,
} as const;

const LETTER_OR_NUMBER = KIND.lower | KIND.upper | KIND.letter | KIND.digit;
const BEGINS_WORD = LETTER_OR_NUMBER | KIND.underscore | KIND.slash;
/** Signs within names and paths, or after words. */
const SIGN = KIND.dot | KIND.nameSign | KIND.otherSign;
const GOES_ON = LETTER_OR_NUMBER | KIND.mark | KIND.underscore | SIGN;

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

const UNREAD = 0x8000;
/** Kinds by code unit, filled lazily. */
const KINDS = new Uint16Array(0x10000).fill(UNREAD);
/** Lowercase by code unit, filled lazily; invalid for odd characters. */
const LOWER = new Uint16Array(0x10000);
for (let unit = 0; unit < 0x80; unit++) readKinds(String.fromCharCode(unit), 0, unit);

/** Returns the kinds of the character at an offset; 0 outside words. `unit` is its first code unit. */
function kindsAt(text: string, at: number, unit: number): number {
  const known = KINDS[unit] ?? 0;
  return known === UNREAD ? readKinds(text, at, unit) : known;
}

function readKinds(text: string, at: number, unit: number): number {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const kinds = signKindsOf(character);
  // A surrogate's kind depends on its pair.
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

/**
 * Reports whether a character cannot be lowercased alone. Sigma has a different lowercase form at the end of a word.
 */
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

const QUOTES: ReadonlySet<number> = new Set([...'"\'`“‘«'].map((quote) => quote.charCodeAt(0)));
const LOOKS_LIKE_NAME = /[\d_/\\@#]|\.[\p{L}\p{N}]|[\p{Ll}]\p{Lu}/u;
const SPACE = 0x20;
const TO_LOWER = 0x20;

/** Adds a text's words in lowercase: letters, digits and marks, and signs within names and paths. */
export function readWords(text: string, words: WordList): void {
  const units = reader.read(text);
  const { length } = text;
  const kindOfUnit = KINDS;
  for (let at = 0; at < length;) {
    const start = at;
    let { high, low } = words.seed;
    let unit = units[at] ?? 0;
    let kinds = kindsAt(text, at, unit);
    if (kinds === KIND.lower || kinds === KIND.upper) {
      // Fast path for most words: ASCII letters, of which only the first may be a capital.
      do {
        unit |= TO_LOWER;
        high = Math.imul(high ^ unit, HIGH_PRIME);
        low = Math.imul(low ^ unit, LOW_PRIME);
        low ^= low >>> LOW_SHIFT;
        unit = units[++at] ?? 0;
        kinds = kindOfUnit[unit] ?? 0;
      } while (kinds === KIND.lower);
      kinds = kindsAt(text, at, unit);
      if ((kinds & GOES_ON) === 0 || isLastSign(text, units, at, kinds)) {
        const quoted = isQuoted(units, start);
        words.add(high, low, quoted ? NAME : undefined, quoted);
        at += 1;
        continue;
      }
    } else if ((kinds & BEGINS_WORD) === 0) {
      at += 1;
      continue;
    }
    at = readWordsFrom(text, units, start, at, high, low, words);
  }
}

/** Buffer for more code units than are read from any part. */
const reader = new UnitReader(16_448);

/** Reports whether a sign ends the word, as a full stop does. */
function isLastSign(text: string, units: Uint16Array, at: number, kinds: number): boolean {
  return (kinds & SIGN) !== 0 && (kindsAt(text, at + 1, units[at + 1] ?? 0) & GOES_ON) === 0;
}

function isQuoted(units: Uint16Array, start: number): boolean {
  const before = start === 0 ? SPACE : (units[start - 1] ?? 0);
  return before !== SPACE && QUOTES.has(before);
}

/** Adds the word at `start`, already hashed up to `from`. Returns its end, including signs after it. */
function readWordsFrom(
  text: string,
  units: Uint16Array,
  start: number,
  from: number,
  high: number,
  low: number,
  words: WordList,
): number {
  let end = from;
  let endHigh = high;
  let endLow = low;
  let isName = false;
  /** Kinds of the signs since `end`, of all characters, and of the previous character. */
  let waiting = 0;
  let all = 0;
  let before = from > start ? kindsAt(text, from - 1, units[from - 1] ?? 0) : 0;
  let at = from;
  for (;;) {
    const given = units[at] ?? 0;
    const kinds = kindsAt(text, at, given);
    if ((kinds & GOES_ON) === 0) break;
    const unit = LOWER[given] ?? 0;
    high = Math.imul(high ^ unit, HIGH_PRIME);
    low = Math.imul(low ^ unit, LOW_PRIME);
    low ^= low >>> LOW_SHIFT;
    at += (kinds & KIND.pair) !== 0 ? 2 : 1;
    all |= kinds;
    if ((kinds & SIGN) !== 0 && end > start) waiting |= kinds;
    else {
      isName ||= looksLikeName(kinds | waiting, kinds, before);
      waiting = 0;
      end = at;
      endHigh = high;
      endLow = low;
    }
    before = kinds;
  }
  const quoted = isQuoted(units, start);
  if ((all & KIND.odd) !== 0) {
    addOdd(text.slice(start, end), (all & KIND.unspaced) !== 0, quoted, words);
  } else if ((all & KIND.unspaced) !== 0 && end - start > 1) {
    addWordPairs(text, units, start, end, quoted, words);
  } else {
    words.add(endHigh, endLow, wordKindOf(quoted || isName, all), quoted);
  }
  return at;
}

/** Words beyond ASCII cannot be filler. */
function wordKindOf(isName: boolean, all: number): typeof NAME | typeof PLAIN | undefined {
  if (isName) return NAME;
  return (all & KIND.beyondAscii) !== 0 ? PLAIN : undefined;
}

function looksLikeName(seen: number, kinds: number, before: number): boolean {
  if ((seen & (KIND.digit | KIND.underscore | KIND.nameSign)) !== 0) return true;
  if ((before & KIND.dot) !== 0) return (kinds & LETTER_OR_NUMBER) !== 0;
  return (before & KIND.lower) !== 0 && (kinds & KIND.upper) !== 0;
}

/** Adds each pair of adjacent characters in a run without spaces or surrogates. */
function addWordPairs(
  text: string,
  units: Uint16Array,
  start: number,
  end: number,
  quoted: boolean,
  words: WordList,
): void {
  let first = kindsAt(text, start, units[start] ?? 0);
  for (let at = start + 1; at < end; at++) {
    const second = kindsAt(text, at, units[at] ?? 0);
    const isName = quoted || looksLikeName(first | second, second, first);
    let { high, low } = words.seed;
    for (let index = at - 1; index <= at; index++) {
      const unit = LOWER[units[index] ?? 0] ?? 0;
      high = Math.imul(high ^ unit, HIGH_PRIME);
      low = Math.imul(low ^ unit, LOW_PRIME);
      low ^= low >>> LOW_SHIFT;
    }
    words.add(high, low, isName ? NAME : PLAIN, quoted);
    first = second;
  }
}

/** Adds words that must be lowercased as a whole. */
function addOdd(written: string, isUnspaced: boolean, quoted: boolean, words: WordList): void {
  for (const piece of isUnspaced ? pairsOf(written) : [written]) {
    const isName = quoted || LOOKS_LIKE_NAME.test(piece);
    words.addWhole(piece.toLowerCase(), isName ? NAME : undefined, quoted);
  }
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return [run];
  return characters.slice(1).map((character, index) => (characters[index] ?? '') + character);
}
