/** Traits of a text, one bit each. */
export const TRAIT = {
  /** A sign that starts escapes. */
  escape: 1,
  /** Bytes or code points in a row. */
  list: 2,
  /** Twelve Base64 letters in a row. */
  block: 4,
  /** Three single letters, digits or leet signs close together. */
  singles: 8,
  /** The same sign twice, close together. */
  splits: 16,
  /** A digit or sign next to a letter. */
  leet: 32,
  /** Any character other than printable ASCII. */
  beyond: 64,
} as const;

/** Longer texts are read character by character. */
const MAX_CHARS = 8_192;
const LANE = 32;

/** The text, followed by spaces that end its last word. */
const ascii = Buffer.alloc(MAX_CHARS + 2 * LANE);
const SPACE = 0x20;

/** Character kinds. A number has one byte per kind, and each byte has one bit per character. */
const LETTER = 0;
const HEX = 8;
const BASE64 = 16;
const SIGN = 24;
const KINDS = kindsOf([
  [LETTER, /[A-Za-z]/],
  [HEX, /[0-9A-Fa-f]/],
  [BASE64, /[A-Za-z0-9+/_-]/],
  [SIGN, /[._\-*|~%\\&@$!+]|[^\t\n\v\f\r\x20-\x7e]/],
]);
/** Sign kinds. `OTHER` requires reading character by character. */
const PLAIN = 0;
const ESCAPE = 1;
const OTHER = 2;
const SIGN_KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const sign = String.fromCharCode(unit);
  if (/[%\\&]/.test(sign)) return ESCAPE;
  return /[._\-*|~]/.test(sign) ? PLAIN : OTHER;
});

function kindsOf(kinds: readonly (readonly [shift: number, of: RegExp])[]): Int32Array {
  return Int32Array.from({ length: 128 }, (_, unit) =>
    kinds.reduce((bits, [shift, of]) => (of.test(String.fromCharCode(unit)) ? bits | (1 << shift) : bits), 0),
  );
}

/**
 * Reads the traits of a text, 32 characters at a time. Returns undefined if the text is too long or not ASCII, or may
 * have other traits.
 */
export function quickTraitsOf(text: string): number | undefined {
  const { length } = text;
  if (length > MAX_CHARS || Buffer.byteLength(text) !== length) return undefined;
  ascii.write(text, 'latin1');
  ascii.fill(SPACE, length, length + 2 * LANE);
  let traits = 0;
  // Bits of the previous lane, one per character or word end.
  let letters0 = 0;
  let digits0 = 0;
  let hex0 = 0;
  let singles0 = 0;
  let chained0 = 0;
  let pairs0 = 0;
  let signs0 = 0;
  let base0 = 0;
  let two0 = 0;
  let four0 = 0;
  for (let at = 0; at <= length; at += LANE) {
    const first = eight(at);
    const second = eight(at + 8);
    const third = eight(at + 16);
    const fourth = eight(at + 24);

    const signs = lane(first, second, third, fourth, SIGN);
    if (signs !== 0) {
      const kinds = signKindsIn(signs, at);
      if (kinds >= OTHER) return undefined;
      if (kinds === ESCAPE) traits |= TRAIT.escape;
    }
    if ((signs & (shifted(signs, signs0, 1) | near(signs, signs0))) !== 0) return undefined;
    signs0 = signs;

    const letters = lane(first, second, third, fourth, LETTER);
    const hex = lane(first, second, third, fourth, HEX);
    const base = lane(first, second, third, fourth, BASE64);
    const digits = hex & ~letters;
    const besideLetters = digits & shifted(letters, letters0, 1);
    const besideDigits = letters & shifted(digits, digits0, 1);
    if ((besideLetters | besideDigits) !== 0) return undefined;

    const words = letters | digits;
    const words0 = letters0 | digits0;
    const isOne = ~words & shifted(words, words0, 1);
    const singles = isOne & ~shifted(words, words0, 2);
    const chained = singles & near(singles, singles0);
    if ((chained & near(chained, chained0)) !== 0) return undefined;

    const twoHex = ~words & shifted(hex, hex0, 1) & shifted(hex, hex0, 2);
    const pairs = twoHex & ~shifted(words, words0, 3);
    if ((pairs & shifted(pairs, pairs0, 3)) !== 0) return undefined;

    const two = base & shifted(base, base0, 1);
    const four = two & shifted(two, two0, 2);
    const eightInRow = four & shifted(four, four0, 4);
    if ((eightInRow & shifted(four, four0, 8)) !== 0) traits |= TRAIT.block;

    letters0 = letters;
    digits0 = digits;
    hex0 = hex;
    singles0 = singles;
    chained0 = chained;
    pairs0 = pairs;
    base0 = base;
    two0 = two;
    four0 = four;
  }
  return traits;
}

/** Returns the kinds of eight characters, in eight bits per kind. */
function eight(at: number): number {
  return (
    (KINDS[ascii[at] ?? 0] ?? 0) |
    ((KINDS[ascii[at + 1] ?? 0] ?? 0) << 1) |
    ((KINDS[ascii[at + 2] ?? 0] ?? 0) << 2) |
    ((KINDS[ascii[at + 3] ?? 0] ?? 0) << 3) |
    ((KINDS[ascii[at + 4] ?? 0] ?? 0) << 4) |
    ((KINDS[ascii[at + 5] ?? 0] ?? 0) << 5) |
    ((KINDS[ascii[at + 6] ?? 0] ?? 0) << 6) |
    ((KINDS[ascii[at + 7] ?? 0] ?? 0) << 7)
  );
}

function signKindsIn(signs: number, at: number): number {
  let kinds = PLAIN;
  for (let left = signs; left !== 0; left &= left - 1) {
    const bit = LANE - 1 - Math.clz32(left & -left);
    kinds |= SIGN_KINDS[ascii[at + bit] ?? 0] ?? OTHER;
  }
  return kinds;
}

function lane(first: number, second: number, third: number, fourth: number, shift: number): number {
  return (
    ((first >>> shift) & 0xff) |
    (((second >>> shift) & 0xff) << 8) |
    (((third >>> shift) & 0xff) << 16) |
    ((fourth >>> shift) << 24)
  );
}

/** Returns, for each character, the bit of the character `chars` before it. */
function shifted(bits: number, before: number, chars: number): number {
  return (bits << chars) | (before >>> (LANE - chars));
}

/** Returns, for each character, the combined bits of the characters two to four before it. */
function near(bits: number, before: number): number {
  return shifted(bits, before, 2) | shifted(bits, before, 3) | shifted(bits, before, 4);
}
