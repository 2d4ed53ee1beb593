import { kindOf, kindArrayLength, kinds, plainOf, type Kind } from './characters.ts';
import { removeAccents } from './accents.ts';
import { flagCodes } from './confusable-data.ts';
import { EditedText } from '../inspect/offset-map.ts';
import { stageResult, unchanged, type StageResult } from './stage.ts';
import { isWord, soundsEnglish } from './english-words.ts';
import { READ_AS } from './leet-letters.ts';

interface Suspect {
  readonly start: number;
  readonly end: number;
  readonly counts: Uint16Array;
  readonly plain: string;
  /** The preceding character. */
  readonly before: string;
  /** Script of the preceding word: 0 none, 1 Latin, 2 another. */
  readonly previous: Script;
  next: Script;
}

type Script = 0 | 1 | 2;

const FLAGS: ReadonlySet<string> = new Set(flagCodes.split(' '));

/** Longer words are split. */
const MAX_WORD_UNITS = 512;

/**
 * Stage 1: replaces lookalikes from other scripts, and mathematical, fullwidth and enclosed letters, with ASCII.
 * Lookalikes are replaced in mixed-script words, and in whole words next to Latin words.
 */
export function resolveConfusables(text: string): StageResult {
  if (!/[^\x00-\x7f]/.test(text)) return unchanged(text);
  const edited = new EditedText(text);
  if (!hasSuspects(text)) {
    removeAccents(text, edited);
    return stageResult(edited, false);
  }
  const found = suspects(text);
  const evidence = {
    mixed:
      found.some((word) => isMixedScript(word) && isEvidentlyMixed(word)) || isDottedEnglish(text, found),
    styled: isStyledText(text, found),
    fullwidth: isFullwidthText(text, found),
  };
  let flagged = evidence.mixed || evidence.styled || evidence.fullwidth;
  for (const word of found) {
    const resolved = resolvedKinds(word, evidence);
    if (resolved.length > 0) rewriteWord(edited, text, word, resolved);
    if (resolved.length > 0 && isWholeLookalike(word)) flagged = true;
  }
  return stageResult(edited, flagged);
}

interface Evidence {
  readonly mixed: boolean;
  readonly styled: boolean;
  readonly fullwidth: boolean;
}

function hasSuspects(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) < 0x100) continue;
    const codePoint = text.codePointAt(at) ?? 0;
    if (plainOf(codePoint) !== undefined) return true;
  }
  return false;
}

function suspects(text: string): Suspect[] {
  const found: Suspect[] = [];
  let previous: Script = 0;
  let waiting: Suspect[] = [];
  for (let at = 0; at < text.length;) {
    const codePoint = text.codePointAt(at) ?? 0;
    const kind = kindOf(codePoint);
    if (!opensWord(kind)) {
      at += codePoint > 0xffff ? 2 : 1;
      continue;
    }
    const plainEnd = kind === kinds.ascii ? endOfAscii(text, at) : at;
    if (plainEnd > at) {
      for (const word of waiting) word.next = 1;
      waiting = [];
      previous = 1;
      at = plainEnd;
      continue;
    }
    const word = readWord(text, at, previous);
    const script = scriptOf(word.counts);
    for (const suspect of waiting) suspect.next = script;
    waiting = [];
    if (isSuspect(word.counts)) {
      found.push(word);
      waiting.push(word);
    }
    if (script !== 0) previous = script;
    at = word.end;
  }
  return found;
}

/** Returns the end of a word of ASCII letters and digits, or `start` if the word has other characters. */
function endOfAscii(text: string, start: number): number {
  let at = start;
  while (at < text.length && isAsciiWord(text.charCodeAt(at))) at++;
  return at < text.length && text.charCodeAt(at) >= 0x80 && kindOf(text.codePointAt(at) ?? 0) !== kinds.other
    ? start
    : at;
}

const isAsciiWord = (unit: number): boolean =>
  unit < 0x80 && (kindOf(unit) === kinds.ascii || kindOf(unit) === kinds.digit);

const opensWord = (kind: Kind): boolean =>
  kind !== kinds.other && kind !== kinds.invisible && kind !== kinds.mark;

function readWord(text: string, start: number, previous: Script): Suspect {
  const counts = new Uint16Array(kindArrayLength);
  let plain = '';
  let at = start;
  let end = start;
  while (at < text.length && at - start < MAX_WORD_UNITS) {
    const codePoint = text.codePointAt(at) ?? 0;
    const kind = kindOf(codePoint);
    if (kind === kinds.other) break;
    at += codePoint > 0xffff ? 2 : 1;
    if (kind === kinds.invisible) continue;
    end = at;
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (kind !== kinds.mark) plain += plainOf(codePoint) ?? String.fromCodePoint(codePoint);
  }
  return { start, end, counts, plain, before: text.charAt(start - 1), previous, next: 0 };
}

const countOf = (counts: Uint16Array, kind: Kind): number => counts[kind] ?? 0;

const lookalikes = (counts: Uint16Array): number =>
  countOf(counts, kinds.strict) + countOf(counts, kinds.loose);

const isSuspect = (counts: Uint16Array): boolean =>
  lookalikes(counts) +
    countOf(counts, kinds.latinLookalike) +
    countOf(counts, kinds.styled) +
    countOf(counts, kinds.raised) +
    countOf(counts, kinds.regional) +
    countOf(counts, kinds.fullwidth) >
  0;

function scriptOf(counts: Uint16Array): Script {
  if (countOf(counts, kinds.foreign) + countOf(counts, kinds.cjk) > 0) {
    return countOf(counts, kinds.ascii) > 0 ? 1 : 2;
  }
  return countOf(counts, kinds.ascii) + countOf(counts, kinds.latin) > 0 ? 1 : 0;
}

/** Recognizes words that consist only of ASCII characters and lookalikes, with at least one of each. */
function isMixedScript({ counts, before, previous, next }: Suspect): boolean {
  const alike = lookalikes(counts) + countOf(counts, kinds.latinLookalike);
  const ascii = countOf(counts, kinds.ascii);
  if (alike === 0 || ascii + countOf(counts, kinds.digit) === 0 || ascii + alike < 2) return false;
  if (countOf(counts, kinds.foreign) + countOf(counts, kinds.cjk) + countOf(counts, kinds.latin) > 0)
    return false;
  // Phonetic transcriptions begin with a slash, a bracket or a stress mark.
  if (countOf(counts, kinds.latinLookalike) > 0 && /[/[\u02c8\u02cc]/.test(before)) return false;
  // A word with more lookalikes in text of another script is a typo.
  return !(alike > ascii && previous === 2 && next !== 1);
}

/** Reports whether a mixed-script word proves obfuscation. Next to other scripts (name endings), it must be known. */
function isEvidentlyMixed({ counts, plain, previous, next }: Suspect): boolean {
  if (lookalikes(counts) === 0) return isWord(plain, 4);
  // Initials with an ending from another script.
  if (plain.length < 3 || /^[A-Z]{2,}[^A-Z]{1,3}$/.test(plain)) return false;
  if (previous === 2 || next === 2) return isWord(plain, 4);
  if (countOf(counts, kinds.strict) === 0) return isWord(plain) || (plain.length > 4 && soundsEnglish(plain));
  return (
    soundsEnglish(unleet(plain)) ||
    (plain.length > 5 && countOf(counts, kinds.ascii) > 0 && lookalikes(counts) > 1)
  );
}

const unleet = (plain: string): string => plain.replace(/[013457]/g, (digit) => READ_AS[digit] ?? digit);

/** Recognizes a word spelled in ASCII letters and lookalikes that one repeated sign separates. */
function isDottedEnglish(text: string, found: readonly Suspect[]): boolean {
  if (!found.some((word) => isWholeLookalike(word) && word.plain.length === 1)) return false;
  for (const [chain] of text.matchAll(/(?<![\p{L}\p{N}])\p{L}([._\-*|/~+])\p{L}(?:\1\p{L}){2,30}/gu)) {
    const letters = [...chain].filter((_, at) => at % 2 === 0);
    const plain = letters.map((letter) => plainOf(letter.codePointAt(0) ?? 0) ?? letter).join('');
    const hasAscii = letters.some((letter) => letter < '\x80');
    if (hasAscii && letters.some((letter) => letter > '\x7f') && soundsEnglish(plain)) return true;
  }
  return false;
}

const isWholeLookalike = ({ counts }: Suspect): boolean =>
  countOf(counts, kinds.strict) > 0 &&
  countOf(counts, kinds.ascii) +
    countOf(counts, kinds.latin) +
    countOf(counts, kinds.foreign) +
    countOf(counts, kinds.cjk) ===
    0 &&
  countOf(counts, kinds.loose) === 0;

function resolvedKinds(word: Suspect, evidence: Evidence): Kind[] {
  const resolved: Kind[] = [];
  if (isMixedScript(word) && (evidence.mixed || isEvidentlyMixed(word))) {
    resolved.push(kinds.strict, kinds.loose, kinds.latinLookalike);
  } else if (isAmongLatin(word)) {
    if (isWholeLookalike(word) && isWord(word.plain)) resolved.push(kinds.strict);
    if (evidence.mixed && countOf(word.counts, kinds.foreign) === 0) resolved.push(kinds.strict, kinds.loose);
  }
  if (evidence.styled) resolved.push(kinds.styled, kinds.raised, kinds.regional, kinds.strict, kinds.loose);
  if (evidence.fullwidth || isWideWord(word)) resolved.push(kinds.fullwidth);
  return resolved.some((kind) => countOf(word.counts, kind) > 0) ? resolved : [];
}

/** Recognizes words with at least two fullwidth characters, with a letter or digit, and without CJK characters. */
const isWideWord = ({ counts, plain }: Suspect): boolean =>
  countOf(counts, kinds.fullwidth) > 1 && countOf(counts, kinds.cjk) === 0 && /[A-Za-z0-9]/.test(plain);

const isAmongLatin = ({ previous, next }: Suspect): boolean =>
  previous !== 2 && next !== 2 && (previous === 1 || next === 1);

/**
 * Recognizes at least four styled letters in readable or long words, or spelled one by one. Single letters in formulas,
 * flags, emoji letters and ordinal endings are not evidence.
 */
function isStyledText(text: string, found: readonly Suspect[]): boolean {
  let letters = 0;
  let chain = '';
  for (const [index, word] of found.entries()) {
    const styled = styledLetters(word);
    if (styled === 0) continue;
    const plain = word.plain.replace(/[^A-Za-z]/g, '');
    if (plain.length >= 3 && styled >= 2 && (soundsEnglish(plain) || plain.length >= 6)) letters += styled;
    const linked = index > 0 && isLink(text.slice(found[index - 1]?.end ?? 0, word.start));
    chain = linked ? chain + plain : plain;
    if (chain.length >= 4 && soundsEnglish(chain) && chain !== plain) letters += chain.length;
    if (letters >= 4) return true;
  }
  return false;
}

const isLink = (between: string): boolean =>
  between.length > 0 && between.length <= 3 && !/[\p{L}\p{N},=()]/u.test(between);

/** Counts a word's styled letters, except flags. */
function styledLetters({ counts, plain }: Suspect): number {
  // Phonetic text has small capitals.
  if (countOf(counts, kinds.latin) + countOf(counts, kinds.latinLookalike) > 0) return 0;
  const styled = countOf(counts, kinds.styled);
  const raised = countOf(counts, kinds.raised);
  const regional = countOf(counts, kinds.regional);
  const pairs = plain.match(/../g) ?? [];
  const isFlags = regional === plain.length && regional % 2 === 0 && pairs.every((pair) => FLAGS.has(pair));
  return styled + (raised >= 4 ? raised : 0) + (isFlags ? 0 : regional);
}

/** Recognizes at least four fullwidth letters or digits outside CJK text, one of them a letter. */
function isFullwidthText(text: string, found: readonly Suspect[]): boolean {
  let letters = 0;
  let hasLetter = false;
  for (const word of found) {
    if (countOf(word.counts, kinds.fullwidth) === 0) continue;
    const wide = word.plain.replace(/[^A-Za-z0-9]/g, '').length;
    if (wide < 2 || isNearCjk(text, word)) continue;
    letters += wide;
    hasLetter ||= /[A-Za-z]/.test(word.plain);
    if (letters >= 4 && hasLetter) return true;
  }
  return false;
}

function isNearCjk(text: string, { start, end, counts }: Suspect): boolean {
  if (countOf(counts, kinds.cjk) > 0) return true;
  const around = text.slice(Math.max(0, start - 60), start) + text.slice(end, end + 60);
  for (const character of around) if (kindOf(character.codePointAt(0) ?? 0) === kinds.cjk) return true;
  return false;
}

function rewriteWord(edited: EditedText, text: string, word: Suspect, resolved: readonly Kind[]): void {
  for (let at = word.start; at < word.end;) {
    const codePoint = text.codePointAt(at) ?? 0;
    const length = codePoint > 0xffff ? 2 : 1;
    const plain = resolved.includes(kindOf(codePoint)) ? plainOf(codePoint) : undefined;
    // Punctuation of a Chinese sentence is not part of a Latin word.
    const isPunctuation = countOf(word.counts, kinds.cjk) > 0 && !/[A-Za-z0-9]/.test(plain ?? '');
    if (plain !== undefined && !isPunctuation) edited.replace(at, at + length, plain);
    at += length;
  }
}
