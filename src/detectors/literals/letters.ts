import { grown } from '../../text/grown.ts';
import { LEET_DIGITS, LEET_SIGNS } from '../../normalize/leet-letters.ts';
import { kindOf, kinds, plainOf } from '../../normalize/characters.ts';

/**
 * Folds characters to compare obfuscated words: lookalikes, styled and accented letters become ASCII letters, capitals
 * become lowercase, and digits become the letters that they replace.
 */

const SEPARATOR = 0;
/** Invisible characters, and marks on the preceding letter. */
const IGNORED = 1;

/** Letters that digits can replace. `i` and `l` share one fold, because `1` replaces both. */
const DIGITS: Readonly<Record<string, string>> = { ...LEET_DIGITS, 2: 'z' };
const SIGNS: Readonly<Record<string, string>> = {
  ...LEET_SIGNS,
  '<': 'c',
  '€': 'e',
  '£': 'l',
  '¥': 'y',
  '¡': 'l',
};
/** Letters that Unicode does not decompose. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
};

/** Characters that expand to more letters are not folded. */
const MAX_LETTERS = 4;

function asciiFold(character: string): number {
  const letter = DIGITS[character] ?? character.toLowerCase();
  if (!/^[a-z]$/.test(letter)) return SEPARATOR;
  return (letter === 'i' ? 'l' : letter).charCodeAt(0);
}

/** Folds of ASCII characters, by code. */
const ASCII_FOLDS: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (unit < 0x09 || (unit > 0x0d && unit < 0x20) || unit === 0x7f) return IGNORED;
  return asciiFold(String.fromCharCode(unit));
});

/** The letter that a sign replaces, or 0; by code unit below 256. */
const SIGN_FOLDS: Uint8Array = new Uint8Array(256);
for (const [sign, letter] of Object.entries(SIGNS)) {
  if (sign.charCodeAt(0) < 256) SIGN_FOLDS[sign.charCodeAt(0)] = letter.charCodeAt(0);
}

const known = new Map<number, readonly number[]>();
const MAX_KNOWN = 8_192;

const NOTHING = [IGNORED];
const APART = [SEPARATOR];

/** Returns the folds of a non-ASCII code point; several for ligatures. */
function foldsOf(codePoint: number): readonly number[] {
  const cached = known.get(codePoint);
  if (cached !== undefined) return cached;
  if (known.size >= MAX_KNOWN) known.clear();
  const folds = foldsBeyondAscii(codePoint);
  known.set(codePoint, folds);
  return folds;
}

function foldsBeyondAscii(codePoint: number): readonly number[] {
  const kind = kindOf(codePoint);
  if (kind === kinds.invisible || kind === kinds.mark) return NOTHING;
  const written = String.fromCodePoint(codePoint);
  const plain = plainOf(codePoint) ?? plainOf(written.toLowerCase().codePointAt(0) ?? 0);
  if (plain !== undefined) return [ASCII_FOLDS[plain.charCodeAt(0)] ?? SEPARATOR];
  if (!/[\p{L}\p{N}]/u.test(written)) return isMark(written) ? NOTHING : APART;
  const letters = [...spelled(written)].filter((letter) => !isMark(letter));
  const folds = letters.map(letterFold).filter((fold) => fold !== SEPARATOR);
  return folds.length === 0 || folds.length > MAX_LETTERS ? [codePoint] : folds;
}

function spelled(written: string): string {
  const lower = written.toLowerCase();
  return (SPELLED[lower] ?? lower.normalize('NFKC').toLowerCase()).normalize('NFD');
}

function letterFold(letter: string): number {
  const codePoint = letter.codePointAt(0) ?? 0;
  if (codePoint < 128) return ASCII_FOLDS[codePoint] ?? SEPARATOR;
  const plain = plainOf(codePoint);
  if (plain !== undefined) return ASCII_FOLDS[plain.charCodeAt(0)] ?? SEPARATOR;
  return /[\p{L}\p{N}]/u.test(letter) ? codePoint : SEPARATOR;
}

function isMark(text: string): boolean {
  return /^\p{M}+$/u.test(text);
}

/** Folded letters and digits of a text, with offsets. The arrays are reused for the next text. */
export class Letters {
  text = '';
  count = 0;
  folds = new Int32Array(1_024);
  starts = new Int32Array(1_024);
  ends = new Int32Array(1_024);

  /** @param readsSigns whether signs such as `$` count as letters if next to a letter, digit or another such sign */
  read(text: string, readsSigns: boolean): void {
    this.text = text;
    this.count = 0;
    this.#makeRoom(text.length);
    for (let at = 0; at < text.length;) {
      const unit = text.charCodeAt(at);
      if (unit < 0x80) {
        const fold = ASCII_FOLDS[unit] ?? SEPARATOR;
        if (fold > IGNORED) {
          this.folds[this.count] = fold;
          this.starts[this.count] = at;
          this.ends[this.count] = at + 1;
          this.count += 1;
        } else if (readsSigns && SIGN_FOLDS[unit] !== 0) this.#addSign(unit, at);
        at += 1;
        continue;
      }
      if (readsSigns && unit < 0x100 && SIGN_FOLDS[unit] !== 0) this.#addSign(unit, at);
      at = this.#addBeyondAscii(at);
    }
  }

  #addBeyondAscii(at: number): number {
    const codePoint = this.text.codePointAt(at) ?? 0;
    const end = at + (codePoint > 0xffff ? 2 : 1);
    for (const fold of foldsOf(codePoint)) if (fold > IGNORED) this.#add(fold, at, end);
    return end;
  }

  #addSign(unit: number, at: number): void {
    const isTouched = isWordUnit(this.text.charCodeAt(at - 1)) || isWordUnit(this.text.charCodeAt(at + 1));
    if (isTouched) this.#add(SIGN_FOLDS[unit] ?? SEPARATOR, at, at + 1);
  }

  #add(fold: number, start: number, end: number): void {
    this.#makeRoom(this.count + 1);
    this.folds[this.count] = fold;
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.count += 1;
  }

  #makeRoom(needed: number): void {
    if (needed <= this.folds.length) return;
    const room = Math.max(needed, this.folds.length * 2);
    this.folds = grown(this.folds, room);
    this.starts = grown(this.starts, room);
    this.ends = grown(this.ends, room);
  }
}

const SIGN_BESIDE_LETTER = /[\p{L}\p{N}][@$!|(+<¥£¡]|[@$!|(+<¥£¡][\p{L}\p{N}]/u;

/** Reports whether a sign is next to a letter or digit and may represent a letter. */
export function mayHoldSigns(text: string): boolean {
  return SIGN_BESIDE_LETTER.test(text);
}

function isWordUnit(unit: number): boolean {
  if (unit < 0x80) return (ASCII_FOLDS[unit] ?? 0) > IGNORED || SIGN_FOLDS[unit] !== 0;
  return unit >= 0x80;
}

const OUTSIDE: readonly number[] = [];

/** Returns the folds of the code point that contains the code unit at `at`. */
function foldsAt(text: string, at: number): readonly number[] {
  if (at < 0 || at >= text.length) return OUTSIDE;
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return [ASCII_FOLDS[unit] ?? SEPARATOR];
  const isLow = unit >= 0xdc00 && unit < 0xe000 && at > 0;
  return foldsOf(text.codePointAt(isLow ? at - 1 : at) ?? 0);
}

export function isLetterAt(text: string, at: number): boolean {
  return foldsAt(text, at).some((fold) => fold > IGNORED);
}

export function isIgnoredAt(text: string, at: number): boolean {
  return foldsAt(text, at)[0] === IGNORED;
}
