import { HIGH_PRIME, LOW_PRIME, LOW_SHIFT } from '../../text/simhash.ts';
import { UnitReader } from '../../text/units.ts';
import { BEGINS_WORD, GOES_ON, KIND, kindsAt, LETTER_OR_NUMBER, SIGN } from './character-kinds.ts';
import { NAME, TO_LOWER, type WordList } from './word-list.ts';

const QUOTES: ReadonlySet<number> = new Set([...'"\'`“‘«'].map((quote) => quote.charCodeAt(0)));
const LOOKS_LIKE_NAME = /[\d_/\\@#]|\.[\p{L}\p{N}]|[\p{Ll}]\p{Lu}/u;

/** Adds the words of a text, in lower case: letters, digits and marks, with what holds names and paths together inside. */
export function readWords(text: string, words: WordList): void {
  const units = reader.read(text);
  for (let at = 0; at < text.length;) {
    const kinds = kindsAt(text, at, units[at] ?? 0);
    at = (kinds & BEGINS_WORD) === 0 ? at + 1 : readWord(text, units, at, kinds, words);
  }
}

/** Most that is read of a part of a step is less. */
const reader = new UnitReader(16_448);

/** The hash of the word that is read. */
const word = { high: 0, low: 0 };

/** Adds the word that begins at `start`; tells where it ends, signs behind it included. */
function readWord(text: string, units: Uint16Array, start: number, first: number, words: WordList): number {
  const { seed } = words;
  let high = seed.high;
  let low = seed.low;
  let end = start;
  let isName = false;
  /** Kinds of the signs since `end`, of all characters, of the one before. */
  let waiting = 0;
  let all = 0;
  let before = 0;
  let at = start;
  let given = units[at] ?? 0;
  for (let kinds = first; (kinds & GOES_ON) !== 0; kinds = kindsAt(text, at, given)) {
    // What lies beyond ASCII is read again below, where it is made lower-case.
    const unit = given | ((kinds & KIND.upper) !== 0 ? TO_LOWER : 0);
    high = Math.imul(high ^ unit, HIGH_PRIME);
    low = Math.imul(low ^ unit, LOW_PRIME);
    low ^= low >>> LOW_SHIFT;
    at += (kinds & KIND.pair) !== 0 ? 2 : 1;
    given = units[at] ?? 0;
    all |= kinds;
    if ((kinds & SIGN) !== 0 && end > start) waiting |= kinds;
    else {
      isName ||= looksLikeName(kinds | waiting, kinds, before);
      waiting = 0;
      end = at;
      word.high = high;
      word.low = low;
    }
    before = kinds;
  }
  const quoted = start > 0 && QUOTES.has(units[start - 1] ?? 0);
  if ((all & KIND.beyondAscii) !== 0) {
    addBeyondAscii(text.slice(start, end), (all & KIND.unspaced) !== 0, quoted, words);
  } else if (words.add(word, quoted || isName ? NAME : undefined, quoted)) {
    words.addUnits(text, start, end, false);
  }
  return at;
}

function looksLikeName(seen: number, kinds: number, before: number): boolean {
  if ((seen & (KIND.digit | KIND.underscore | KIND.nameSign)) !== 0) return true;
  if ((before & KIND.dot) !== 0) return (kinds & LETTER_OR_NUMBER) !== 0;
  return (before & KIND.lower) !== 0 && (kinds & KIND.upper) !== 0;
}

function addBeyondAscii(written: string, isUnspaced: boolean, quoted: boolean, words: WordList): void {
  for (const piece of isUnspaced ? pairsOf(written) : [written]) {
    const isName = quoted || LOOKS_LIKE_NAME.test(piece);
    words.addWhole(piece.toLowerCase(), isName ? NAME : undefined, quoted);
  }
}

/** Each character with the next one. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return [run];
  return characters.slice(1).map((character, index) => (characters[index] ?? '') + character);
}
