import { kindOf, kinds, plainOf } from '../../normalize/characters.ts';
import type { Span } from '../../text/span.ts';
import { isIgnoredAt, isLetterAt, type Letters } from './letters.ts';
import { gapBetween, MIN_OBFUSCATED, pieceOf, type Literal } from './literal.ts';

/** Longest run of separators between two letters of a spelled-out word. */
const MAX_GAP = 6;
/** Minimum length at which a split or joined word is unlikely to be another word. */
const LONG = 6;
/** Minimum length at which a match is not accidental, even inside a longer word. */
const VERY_LONG = 8;

interface Obfuscation {
  /** Number of digits and signs that replace letters, or letters that replace digits. */
  leet: number;
  /** Number of letters from another script or font. */
  lookalikes: number;
  accents: number;
  /** Number of letters whose accents are missing in the text. */
  unaccented: number;
  /** Separators that the literal does not have. */
  splits: string[];
  /** Number of the literal's own separators that are missing. */
  joined: number;
  replaced: number;
}

/**
 * Returns the span if the letters from `first` spell a literal, in any case or with an obfuscation that does not occur
 * by chance. Short obfuscated literals must stand alone.
 * @param isDecoded whether the text was decoded, in which short words occur by chance
 */
export function literalAt(
  literal: Literal,
  letters: Letters,
  first: number,
  isDecoded: boolean,
): Span | undefined {
  const plain = plainAt(literal, letters, first);
  const isAnywhere = literal.reading === 'obfuscated' && (!isDecoded || literal.folds.length >= LONG);
  if (plain !== undefined && isAnywhere) return plain;
  if (plain !== undefined) return standsAlone(letters.text, plain) ? plain : undefined;
  const last = first + literal.folds.length - 1;
  if (literal.reading === 'whole' || literal.folds.length < MIN_OBFUSCATED || last >= letters.count) {
    return undefined;
  }
  const obfuscation = obfuscationOf(literal, letters, first);
  if (obfuscation === undefined) return undefined;
  const span = spanWithSigns(literal, letters, first, last);
  return span !== undefined && isIntended(literal, letters, span, obfuscation) ? span : undefined;
}

function plainAt(
  { raw, lower, lead, folds }: Literal,
  { text, starts }: Letters,
  first: number,
): Span | undefined {
  const start = (starts[first] ?? 0) - lead.length;
  if (start < 0) return undefined;
  const end = start + raw.length;
  const there = text.slice(start, end);
  if (there === raw) return { start, end };
  if (there.toLowerCase() !== lower) return undefined;
  return folds.length < SHORT && isInEncoded(text, start) ? undefined : { start, end };
}

/** Shorter words occur by chance in encoded data. */
const SHORT = 5;
/** Runs of at least this length are encoded data. */
const ENCODED_RUN = 128;
const ENCODED = /[A-Za-z0-9+/_=-]/;

function isInEncoded(text: string, at: number): boolean {
  let start = at;
  while (at - start < ENCODED_RUN && start > 0 && ENCODED.test(text.charAt(start - 1))) start -= 1;
  let end = at;
  while (end - start < ENCODED_RUN && ENCODED.test(text.charAt(end))) end += 1;
  return end - start >= ENCODED_RUN;
}

/** Returns the span with the literal's leading and trailing signs, or undefined if the text has other signs. */
function spanWithSigns(
  { lead, tail }: Literal,
  { text, starts, ends }: Letters,
  first: number,
  last: number,
): Span | undefined {
  const start = (starts[first] ?? 0) - lead.length;
  const lettersEnd = endOfMarks(text, ends[last] ?? 0);
  const end = lettersEnd + tail.length;
  if (start < 0 || end > text.length) return undefined;
  const isThere =
    isAlike(text.slice(start, start + lead.length), lead) && isAlike(text.slice(lettersEnd, end), tail);
  return isThere ? { start, end } : undefined;
}

function endOfMarks(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) >= 0x300 && /^\p{M}/u.test(text.slice(end, end + 2))) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return end;
}

function isAlike(one: string, other: string): boolean {
  return one === other || one.normalize('NFKC') === other.normalize('NFKC');
}

function obfuscationOf(literal: Literal, letters: Letters, first: number): Obfuscation | undefined {
  const { folds, pieces, gaps } = literal;
  const obfuscation: Obfuscation = {
    leet: 0,
    lookalikes: 0,
    accents: 0,
    unaccented: 0,
    splits: [],
    joined: 0,
    replaced: 0,
  };
  for (let index = 0; index < folds.length; index += 1) {
    const at = first + index;
    if (letters.folds[at] !== folds[index]) return undefined;
    if (!addLetter(obfuscation, pieces[index] ?? '', letters, at)) return undefined;
    if (index === 0) continue;
    const gap = gapBetween(letters.text, letters.ends[at - 1] ?? 0, letters.starts[at] ?? 0);
    if (!addGap(obfuscation, gaps[index - 1] ?? '', gap)) return undefined;
  }
  return obfuscation;
}

/** Returns false for a different letter that has the same fold. */
function addLetter(obfuscation: Obfuscation, wanted: string, letters: Letters, at: number): boolean {
  const [start = 0, end = 0] = [letters.starts[at], letters.ends[at]];
  const there = pieceOf(letters.text, start, end);
  if (there === wanted) return true;
  if (!isPlainCharacter(wanted)) {
    if (isSeveralLetters(wanted) || isSeveralLetters(there) || isAccentedAlike(there, wanted))
      obfuscation.lookalikes += 1;
    else if (unfolded(there).charAt(0) === unfolded(wanted).charAt(0)) obfuscation.unaccented += 1;
    else return false;
    return true;
  }
  const base = there.normalize('NFD').charAt(0);
  if (base === wanted) obfuscation.accents += 1;
  else if (base < '\x80') {
    const isLetterForLetter = /[a-z]/.test(base) && /[a-z]/.test(wanted);
    if (isLetterForLetter && !isOddlyCased(letters.text, start)) return false;
    if (/\d/.test(base) && /\d/.test(wanted)) return false;
    obfuscation.leet += 1;
  } else if (/[a-z]/.test(wanted) && /\d/.test(unfolded(there))) obfuscation.leet += 1;
  else obfuscation.lookalikes += 1;
  return true;
}

function isPlainCharacter(piece: string): boolean {
  return piece.length === 1 && piece < '\x80';
}

/** Returns a character with its marks, as close to ASCII as possible. */
function unfolded(piece: string): string {
  const [base = '', ...marks] = piece.normalize('NFD');
  return (plainOf(base.codePointAt(0) ?? 0) ?? base.normalize('NFKC')).toLowerCase() + marks.join('');
}

/** Reports whether both pieces are the same letter and `there` has at least the wanted accents. */
function isAccentedAlike(there: string, wanted: string): boolean {
  const [base, ...marks] = unfolded(wanted);
  const letter = unfolded(there);
  return letter.charAt(0) === base && marks.every((mark) => letter.includes(mark));
}

/** Recognizes `ß` and ligatures, which represent several letters. */
function isSeveralLetters(piece: string): boolean {
  return /[ßæœþ]|[\ufb00-\ufb06]/u.test(piece);
}

/** Recognizes a capital `I` among lowercase letters, or a lowercase `l` among capitals. */
function isOddlyCased(text: string, at: number): boolean {
  const beside = text.charAt(at - 1) + text.charAt(at + 1);
  return text.charAt(at) === 'I'
    ? /[a-z]/.test(beside) && !/[A-Z]/.test(beside)
    : text.charAt(at) === 'l' && /[A-Z]/.test(beside) && !/[a-z]/.test(beside);
}

/** Characters between two words of a name that may be missing or replaced. */
const SOFT = "\\s_./·'’‐‑–—-";
const SOFT_GAP = new RegExp(`^(?:\\s+|[${SOFT}]|\\s?[-–—_/&+]\\s?)$`);
const SOFT_SIGNS = new RegExp(`[${SOFT}]`, 'g');

function addGap(obfuscation: Obfuscation, wanted: string, there: string): boolean {
  if (there === wanted) return true;
  if (there.length > MAX_GAP * (1 + wanted.length)) return false;
  if (wanted === '') obfuscation.splits.push(there);
  else if (!hasSigns(there, wanted.replace(SOFT_SIGNS, ''))) return false;
  else if (there === '') obfuscation.joined += 1;
  else if (SOFT_GAP.test(there)) obfuscation.replaced += 1;
  else obfuscation.splits.push(there);
  return true;
}

function hasSigns(gap: string, signs: string): boolean {
  return [...signs].every((sign) => gap.includes(sign));
}

/** Reports whether an obfuscation is intended. Rejects other words, code and numbers that look alike. */
function isIntended({ folds }: Literal, letters: Letters, span: Span, obfuscation: Obfuscation): boolean {
  const { leet, lookalikes, accents, unaccented, splits, joined, replaced } = obfuscation;
  const { length } = folds;
  const { text } = letters;
  if (length < SHORT && isInEncoded(text, span.start)) return false;
  if (splits.length > 0 && !isSplitWord(length, text, span, splits)) return false;
  if (joined > 0 && length < LONG) return false;
  // Some languages have words that differ only in accents.
  if (unaccented > 0 && length < VERY_LONG) return false;
  if (leet > 0 && !isLeet(length, text, span, leet)) return false;
  const isSure =
    splits.length + joined + replaced + unaccented === 0 &&
    (length >= VERY_LONG || (leet + accents === 0 && length >= LONG) || leet + lookalikes + accents === 0);
  return isSure || standsAlone(text, span);
}

/** Recognizes a word spelled out by letters or syllables, or a long word divided by signs other than spaces. */
function isSplitWord(length: number, text: string, span: Span, splits: readonly string[]): boolean {
  const groups = splits.length + 1;
  if (length < 5)
    return groups === length && splits.every((gap) => gap.length <= 3) && !isInLetterRow(text, span);
  if (length / groups <= 2) return true;
  return length >= LONG && splits.every((gap) => DIVIDING.test(gap));
}

/** Signs that divide a word, a hyphen at the end of a line, or the gap between two concatenated strings. */
const DIVIDING = /^(?:[-_.·•*~|+\u2010-\u2015]{1,3}|[-\u2010]\r?\n\s*|["'`]\s?[+.]\s?["'`])$/;

/** Recognizes single letters next to the word, as in a row of initials or variables. */
function isInLetterRow(text: string, { start, end }: Span): boolean {
  const before = text.slice(Math.max(0, start - MAX_GAP), start);
  const after = text.slice(end, end + MAX_GAP);
  return (
    /(?<![\p{L}\p{N}])[\p{L}\p{N}][^\p{L}\p{N}]{1,4}$/u.test(before) ||
    /^[^\p{L}\p{N}]{1,4}[\p{L}\p{N}](?![\p{L}\p{N}])/u.test(after)
  );
}

/** Rejects numbers, codes and sizes, which have few letters. */
function isLeet(length: number, text: string, span: Span, leet: number): boolean {
  const written = text.slice(span.start, span.end);
  const plain = length - leet;
  // A bracket or `$` at the edge of a word is punctuation, and `5` after a word is a number.
  if (leet < 3 && /^[!|(+<]|[!|(+<]$/.test(written)) return false;
  if (leet === 1 && /[5$]$/.test(written)) return false;
  if (length === MIN_OBFUSCATED) return leet === 1 && /^\p{L}|^[^a-z]+$/u.test(written);
  if (length === 4) return plain >= 2;
  return plain >= 1 && (plain >= 2 || length < LONG);
}

function standsAlone(text: string, { start, end }: Span): boolean {
  return isEdge(text, start, -1) && isEdge(text, end - 1, 1);
}

/** Reports whether no letter is adjacent in direction `step`. Chinese and Japanese words need no boundary. */
function isEdge(text: string, at: number, step: -1 | 1): boolean {
  let beside = at + step;
  while (isIgnoredAt(text, beside)) beside += step;
  if (!isLetterAt(text, beside)) return true;
  return (
    kindOf(text.codePointAt(beside) ?? 0) === kinds.cjk && kindOf(text.codePointAt(at) ?? 0) === kinds.cjk
  );
}
