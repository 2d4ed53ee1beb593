/** What a text has that some stage may have to do with; each is a bit. */
export const TRAIT = {
  /** A sign that escapes begin with. */
  escape: 1,
  /** Bytes or code points one after the other. */
  list: 2,
  /** Twelve letters of Base64 in a row, which a long word has too. */
  block: 4,
  /** Three single letters or digits close to each other. */
  singles: 8,
  /** The same sign twice, close to each other. */
  pieces: 16,
  /** A digit or sign beside a letter. */
  leet: 32,
  /** Anything beyond printable ASCII. */
  beyond: 64,
} as const;

const LETTER = 1;
const DIGIT = 2;
const LEET = 4;
const HEX = 8;
const WORD = LETTER | DIGIT;
/** Beside letters and digits: what Base64 has, what may be a single, what stands between bytes, what parts pieces. */
const BASE64 = 16;
const SINGLE = 32;
const BETWEEN = 64;
const PIECES = 128;
const ESCAPE = 256;
const BEYOND = 512;
const SMALL_X = 1_024;
const PLUS = 2_048;

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

function kindAt(text: string, at: number): number {
  return at < text.length ? (kinds[text.charCodeAt(at)] ?? BEYOND) : 0;
}

/** As many groups of two digits with a sign behind are no list yet. */
const MOST_GROUPS = 2;
const SHORTEST_BLOCK = 12;
/** Two signs with one to three letters between. */
const FARTHEST_SIGN = 4;
/** What may stand between single letters: a sign with a space on either side. */
const WIDEST_GAP = 3;
const MOST_SINGLES = 2;

/**
 * Reads a text once for all stages: a stage without its trait would leave it as it is. Most texts have no more than some
 * long words. A trait says little: it may be there where there is nothing to do.
 */
export function traitsOf(text: string): number {
  let traits = 0;
  // Of Base64, and of what may be single: where it began.
  let block = 0;
  let single = 0;
  let singles = 0;
  let singleEnd = 0;
  let piece = -FARTHEST_SIGN;
  let pieceUnit = 0;
  let groups = 0;
  let groupEnd = -1;
  for (let at = 0; at <= text.length; at++) {
    let kind = kindAt(text, at);
    const start = at;
    let seen = 0;
    for (; (kind & WORD) !== 0; kind = kindAt(text, at)) {
      seen |= kind;
      at++;
    }
    if ((seen & DIGIT) !== 0) {
      if ((seen & LEET) !== 0 && (seen & LETTER) !== 0) traits |= TRAIT.leet;
      if ((seen & SMALL_X) !== 0) traits |= TRAIT.list;
    }
    if ((kind & BASE64) === 0) {
      if (at - block >= SHORTEST_BLOCK) traits |= TRAIT.block;
      block = at + 1;
    }
    if ((kind & SINGLE) === 0) {
      if (at > single) {
        const isSingle = at - single === 1;
        singles = isSingle ? (single - singleEnd <= WIDEST_GAP ? singles + 1 : 1) : 0;
        singleEnd = at;
        if (singles > MOST_SINGLES) traits |= TRAIT.singles;
      }
      single = at + 1;
    } else if (
      (kindAt(text, at + 1) & (WORD | SINGLE)) !== 0 ||
      (at > 0 && (kindAt(text, at - 1) & LEET) !== 0)
    ) {
      traits |= TRAIT.leet;
    }
    if ((kind & BETWEEN) !== 0) {
      const isGroup = at - start >= 2 && (kindAt(text, at - 1) & kindAt(text, at - 2) & HEX) !== 0;
      groups = isGroup ? (at - start === 2 && groupEnd === start - 1 ? groups + 1 : 1) : 0;
      groupEnd = at;
      if (groups > MOST_GROUPS) traits |= TRAIT.list;
    }
    if ((kind & PIECES) !== 0) {
      const unit = text.charCodeAt(at);
      if (at - piece <= FARTHEST_SIGN && unit === pieceUnit) traits |= TRAIT.pieces;
      piece = at;
      pieceUnit = unit;
    }
    if ((kind & (ESCAPE | BEYOND | PLUS)) !== 0) {
      // Letters beyond ASCII may be single ones.
      if ((kind & BEYOND) !== 0) traits |= TRAIT.beyond | TRAIT.singles;
      else if ((kind & ESCAPE) !== 0) traits |= TRAIT.escape;
      else if (at > start && /[Uu]/.test(text.charAt(at - 1))) traits |= TRAIT.list;
    }
  }
  return traits;
}
