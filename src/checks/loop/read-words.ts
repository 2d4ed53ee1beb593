import { HIGH_PRIME, LOW_PRIME, LOW_SHIFT } from '../../text/simhash.ts';
import { UnitReader } from '../../text/units.ts';
import {
  BEGINS_WORD,
  GOES_ON,
  KIND,
  KINDS,
  kindsAt,
  LETTER_OR_NUMBER,
  LOWER,
  SIGN,
} from './character-kinds.ts';
import { NAME, PLAIN, type WordList } from './word-list.ts';

const QUOTES: ReadonlySet<number> = new Set([...'"\'`“‘«'].map((quote) => quote.charCodeAt(0)));
const LOOKS_LIKE_NAME = /[\d_/\\@#]|\.[\p{L}\p{N}]|[\p{Ll}]\p{Lu}/u;
const SPACE = 0x20;
/** For ASCII letters. */
const TO_LOWER = 0x20;

/** Adds the words of a text in lower case: letters, digits and marks, and signs inside names and paths. */
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
      // Fast path for most words: ASCII letters, with at most the first one a capital.
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
        if (words.add(high, low, quoted ? NAME : undefined, quoted)) words.addLower(units, start, at);
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

/** More units than are read from any part. */
const reader = new UnitReader(16_448);

/** Reports whether a sign ends the word, as a full stop does. */
function isLastSign(text: string, units: Uint16Array, at: number, kinds: number): boolean {
  return (kinds & SIGN) !== 0 && (kindsAt(text, at + 1, units[at + 1] ?? 0) & GOES_ON) === 0;
}

function isQuoted(units: Uint16Array, start: number): boolean {
  const before = start === 0 ? SPACE : (units[start - 1] ?? 0);
  return before !== SPACE && QUOTES.has(before);
}

/**
 * Adds the word that begins at `start`, whose plain letters up to `from` are hashed in `high` and `low`. Returns its
 * end, including signs after it.
 */
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
  } else if (words.add(endHigh, endLow, wordKindOf(quoted || isName, all), quoted)) {
    words.addLower(units, start, end);
  }
  return at;
}

/** All filler words are ASCII. */
function wordKindOf(isName: boolean, all: number): typeof NAME | typeof PLAIN | undefined {
  if (isName) return NAME;
  return (all & KIND.beyondAscii) !== 0 ? PLAIN : undefined;
}

function looksLikeName(seen: number, kinds: number, before: number): boolean {
  if ((seen & (KIND.digit | KIND.underscore | KIND.nameSign)) !== 0) return true;
  if ((before & KIND.dot) !== 0) return (kinds & LETTER_OR_NUMBER) !== 0;
  return (before & KIND.lower) !== 0 && (kinds & KIND.upper) !== 0;
}

/** Adds each pair of adjacent characters in a run without spaces and surrogates. */
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
    if (words.add(high, low, isName ? NAME : wordKindOf(false, KIND.beyondAscii), quoted)) {
      words.addLower(units, at - 1, at + 1);
    }
    first = second;
  }
}

/** Adds words with surrogate pairs, or with characters whose lower case has several units. */
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
