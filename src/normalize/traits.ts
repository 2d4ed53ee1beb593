import { UnitReader } from '../text/units.ts';
import { quickTraitsOf, TRAIT } from './quick-traits.ts';

const LETTER = 1;
const DIGIT = 2;
const LEET = 4;
const HEX = 8;
const WORD = LETTER | DIGIT;
/** Other characters: Base64 signs, possible single letters, byte separators, signs that split words. */
const BASE64 = 16;
const SINGLE = 32;
const BETWEEN = 64;
const PIECES = 128;
const ESCAPE = 256;
const BEYOND = 512;
const SMALL_X = 1_024;
const PLUS = 2_048;
const RARE = ESCAPE | BEYOND | PLUS | SINGLE;

const kinds = Uint16Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  const isIn = (kind: number, of: RegExp): number => (of.test(sign) ? kind : 0);
  return (
    isIn(LETTER, /[A-Za-z]/) |
    isIn(DIGIT, /[0-9]/) |
    isIn(LEET, /[013457@$!]/) |
    isIn(HEX, /[0-9A-Fa-f]/) |
    isIn(BASE64, /[+/_-]/) |
    isIn(SINGLE, /[@$!]/) |
    isIn(BETWEEN, /[ :,-]/) |
    isIn(PIECES, /[._\-*|~]/) |
    isIn(ESCAPE, /[%\\&]/) |
    isIn(BEYOND, /[^\t\n\v\f\r\x20-\x7e]/) |
    isIn(SMALL_X, /x/) |
    isIn(PLUS, /\+/)
  );
});

function signKindOf(unit: number): number {
  return unit < 128 ? (kinds[unit] ?? 0) : BEYOND;
}

/** A single pair of hexadecimal digits is not a list. */
const MAX_PAIRS = 1;
const MIN_BLOCK_CHARS = 12;
/** Maximum distance between two equal signs with letters between them. */
const MAX_SIGN_DISTANCE = 4;
/** Maximum distance between two single letters: a sign with a space on each side. */
const MAX_GAP = 3;
const MAX_SINGLES = 2;
const SMALL_U = 0x75;

const reader = new UnitReader(8_192);

/** Returns the traits of a text (bits of `TRAIT`). Stages leave texts without their traits unchanged. */
export function traitsOf(text: string): number {
  return quickTraitsOf(text) ?? readTraits(text);
}

/** Same as `traitsOf`, character by character. */
export function readTraits(text: string): number {
  const { length } = text;
  const units = reader.read(text);
  let traits = 0;
  /** Start of a possible Base64 block, start of a possible single letter, number and end of single letters. */
  let block = 0;
  let single = 0;
  let singles = 0;
  let singleEnd = 0;
  let split = -MAX_SIGN_DISTANCE - 1;
  let pairs = 0;
  /** Kind of the character before the word. */
  let before = BETWEEN;
  for (let at = 0; at <= length; at++) {
    const start = at;
    let seen = 0;
    let kind = 0;
    for (; at < length; at++) {
      kind = signKindOf(units[at] ?? 0);
      if ((kind & WORD) === 0) break;
      seen |= kind;
    }
    if (at === length) kind = BETWEEN;
    if ((seen & DIGIT) !== 0) traits |= traitsOfNumber(seen);
    if ((kind & BASE64) === 0) {
      if (at - block >= MIN_BLOCK_CHARS) traits |= TRAIT.block;
      block = at + 1;
    }
    // The most common case: a word before a space or comma.
    if (kind === BETWEEN && at - single > 2) {
      singles = 0;
      singleEnd = at;
      single = at + 1;
      pairs = at - start === 2 && isPair(units, start, before) ? pairs + 1 : 0;
      if (pairs > MAX_PAIRS) traits |= TRAIT.list;
      before = kind;
      continue;
    }
    if ((kind & SINGLE) === 0) {
      if (at > single) {
        singles = at - single > 1 ? 0 : single - singleEnd <= MAX_GAP ? singles + 1 : 1;
        singleEnd = at;
      }
      if (kind === BEYOND) {
        // The character separates letters, or is itself a single letter.
        singles += 1;
        singleEnd = at + 1;
      }
      if (singles > MAX_SINGLES) traits |= TRAIT.singles;
      single = at + 1;
    }
    if ((kind & BETWEEN) !== 0) {
      pairs = at - start === 2 && isPair(units, start, before) ? pairs + 1 : 0;
      if (pairs > MAX_PAIRS) traits |= TRAIT.list;
    }
    if ((kind & PIECES) !== 0) {
      if (at - split <= MAX_SIGN_DISTANCE && units[at] === units[split]) traits |= TRAIT.splits;
      split = at;
    }
    if ((kind & RARE) !== 0) traits |= traitsOfSign(units, length, at, kind);
    before = kind;
  }
  return traits;
}

function traitsOfNumber(seen: number): number {
  const leet = (seen & LEET) !== 0 && (seen & LETTER) !== 0 ? TRAIT.leet : 0;
  return leet | ((seen & SMALL_X) !== 0 ? TRAIT.list : 0);
}

function isPair(units: Uint16Array, at: number, before: number): boolean {
  if ((before & BETWEEN) === 0) return false;
  return (signKindOf(units[at] ?? 0) & signKindOf(units[at + 1] ?? 0) & HEX) !== 0;
}

function traitsOfSign(units: Uint16Array, length: number, at: number, kind: number): number {
  if (kind === BEYOND) return TRAIT.beyond;
  if ((kind & ESCAPE) !== 0) return TRAIT.escape;
  if ((kind & PLUS) !== 0) return at > 0 && ((units[at - 1] ?? 0) | 32) === SMALL_U ? TRAIT.list : 0;
  const next = at + 1 < length ? signKindOf(units[at + 1] ?? 0) : 0;
  const last = at > 0 ? signKindOf(units[at - 1] ?? 0) : 0;
  return (next & (WORD | SINGLE)) !== 0 || (last & LEET) !== 0 ? TRAIT.leet : 0;
}
