import { hasSingles } from './alphabet-runs.ts';
import { isWord, soundsEnglish, words } from './english-words.ts';
import { READ_AS } from './leet-letters.ts';
import { EditedText } from '../inspect/offset-map.ts';
import { stageResult, unchanged, type StageResult } from './stage.ts';

const ALPHABET_SIZE = 26;
const FIRST_LETTER = 0x61;

/** Excludes single letters other than `a` and `i`, which could split anything. */
const LEARNED = [...words].filter((word) => /^[a-z]{2,}$|^[ai]$/.test(word));
/** One root, and at most one node per letter. */
const MAX_NODES = 1 + LEARNED.join('').length;
/** Trie of known words: the next node at `node * ALPHABET_SIZE + letter`, or 0. */
const following = new Uint16Array(MAX_NODES * ALPHABET_SIZE);
const endsWord = new Uint8Array(MAX_NODES);

let nodes = 1;

function learnWord(word: string): void {
  let node = 0;
  for (let at = 0; at < word.length; at++) {
    const slot = node * ALPHABET_SIZE + word.charCodeAt(at) - FIRST_LETTER;
    following[slot] ||= nodes++;
    node = following[slot] ?? 0;
  }
  endsWord[node] = 1;
}

for (const word of LEARNED) learnWord(word);

/** Splits letters A to Z into as few known words as possible, or returns undefined. Takes linear time. */
export function segment(letters: string): string[] | undefined {
  const text = letters.toLowerCase();
  const fewest: number[] = new Array<number>(text.length + 1).fill(Infinity);
  const from: number[] = new Array<number>(text.length + 1).fill(0);
  fewest[0] = 0;
  for (let start = 0; start < text.length; start++) {
    const count = (fewest[start] ?? Infinity) + 1;
    if (count === Infinity) continue;
    let node = 0;
    for (let at = start; at < text.length; at++) {
      node = childOf(node, text.charCodeAt(at) - FIRST_LETTER);
      if (node === 0) break;
      if (endsWord[node] === 0 || count >= (fewest[at + 1] ?? 0)) continue;
      fewest[at + 1] = count;
      from[at + 1] = start;
    }
  }
  return fewest[text.length] === Infinity ? undefined : segmentsOf(letters, from);
}

const childOf = (node: number, letter: number): number =>
  letter >= 0 && letter < ALPHABET_SIZE ? (following[node * ALPHABET_SIZE + letter] ?? 0) : 0;

/** @param from start of the word that ends at each offset */
function segmentsOf(letters: string, from: readonly number[]): string[] {
  const cuts: string[] = [];
  for (let end = letters.length; end > 0; end = from[end] ?? 0) cuts.push(letters.slice(from[end] ?? 0, end));
  return cuts.reverse();
}

/** Single characters with one sign between them (i.g.n.o.r.e, i - g - n) or one space (i g n o r e). */
const CHAINS =
  /(?<![\p{L}\p{N}])(?:[\p{L}\p{N}@$!]([ \t]?[._\-*|/\\~+:;,=#^\u2022\u00b7][ \t]?)[\p{L}\p{N}@$!](?![\p{L}\p{N}])(?:\1(?:[\p{L}\p{N}@$!](?![\p{L}\p{N}])|['"?{}()[\]]))*|[\p{L}\p{N}@$!] [\p{L}\p{N}@$!](?![\p{L}\p{N}])(?: [^\s](?!\S))*)/gu;

/** A word in parts of one to three letters: ig_no_re. */
const SPLIT_WORD =
  /(?<![A-Za-z0-9])[A-Za-z]{1,3}([._\-*|~])[A-Za-z]{1,3}(?:\1[A-Za-z]{1,3}){1,8}(?![A-Za-z0-9])/g;

/** Fast test. Starts with the sign, because most texts contain few signs. */
const MAY_HAVE_PIECES = /([._\-*|~])[A-Za-z]{1,3}\1[A-Za-z]/;

interface Chain {
  readonly start: number;
  readonly end: number;
  readonly sign: string;
  readonly letters: string;
}

/** Stage 5, first part: joins letters separated by one sign into words, but not initials, lists, paths or formulas. */
export function collapseDelimiters(text: string): StageResult {
  const found = [...chainsOf(text), ...splitWordsOf(text)].sort((a, b) => a.start - b.start);
  if (found.length === 0) return unchanged(text);
  const signs = new Set(evidentSigns(found));
  if (signs.size === 0) return unchanged(text);
  const edited = new EditedText(text);
  let done = 0;
  for (const chain of found) {
    if (chain.start < done || !signs.has(chain.sign)) continue;
    const isGap = done > 0 && /^ {2,}$/.test(text.slice(done, chain.start));
    edited.replace(isGap ? done : chain.start, chain.end, (isGap ? ' ' : '') + spaced(chain.letters));
    done = chain.end;
  }
  return stageResult(edited, true);
}

function chainsOf(text: string): Chain[] {
  if (!hasSingles(text)) return [];
  return Array.from(text.matchAll(CHAINS), (match) => {
    const [chain, sign = ' '] = match;
    const end = match.index + chain.length;
    return { start: match.index, end, sign: sign.trim() || ' ', letters: chain.split(sign).join('') };
  });
}

/** Finds parts that form a word only when joined. */
function splitWordsOf(text: string): Chain[] {
  if (!MAY_HAVE_PIECES.test(text)) return [];
  const found: Chain[] = [];
  for (const match of text.matchAll(SPLIT_WORD)) {
    const [source, sign = ''] = match;
    const parts = source.split(sign);
    const letters = parts.join('');
    if (parts.every((part) => part.length === 1) || !isWord(letters, 5)) continue;
    if (parts.every((part) => isWord(part, 2))) continue;
    found.push({ start: match.index, end: match.index + source.length, sign: `${sign}split`, letters });
  }
  return found;
}

/** Returns the signs whose chains have at least two points. */
function evidentSigns(found: readonly Chain[]): string[] {
  const points = new Map<string, number>();
  for (const chain of found) points.set(chain.sign, (points.get(chain.sign) ?? 0) + chainPoints(chain));
  return [...points].filter(([, sum]) => sum >= 2).map(([sign]) => sign);
}

/**
 * Two points are evidence. A known word of six or more letters and a sentence score two; shorter words and English
 * sounds score one.
 */
function chainPoints({ letters, sign }: Chain): number {
  if (letters.length < MIN_WORD_LETTERS || isPattern(letters)) return 0;
  const word = unleet(letters.replace(/[^\p{L}\p{N}@$!]/gu, '')).replace(/[^A-Za-z]/g, '');
  if (isAlphabetical(word)) return 0;
  if (isWord(word, 6)) return 2;
  if (sign === ' ' && word.length >= 8) return isSentence(word) ? 2 : 0;
  if (word.length > 24) return isSentence(word) ? 2 : 0;
  const isShouted = word === word.toUpperCase();
  if (isWord(word, MIN_WORD_LETTERS)) return isShouted && sign === '.' ? 0 : 1;
  return word.length >= 5 && !isShouted && soundsEnglish(word) ? 1 : 0;
}

const MIN_WORD_LETTERS = 3;

/** Recognizes numbers, and eight or more characters of which at most two are distinct. */
function isPattern(letters: string): boolean {
  if (/^[0-9]+$/.test(letters)) return true;
  const other = /^(.)\1*(.)/.exec(letters)?.[2];
  if (letters.length < MIN_PATTERN_LETTERS || other === undefined) return false;
  for (let at = 1; at < letters.length; at++) {
    const letter = letters.charAt(at);
    if (letter !== other && letter !== letters.charAt(0)) return false;
  }
  return true;
}

const MIN_PATTERN_LETTERS = 8;

const isSentence = (letters: string): boolean =>
  segment(letters.slice(0, MAX_SENTENCE_LETTERS)) !== undefined ||
  (letters.length >= 12 && soundsEnglish(letters.slice(0, 20)));

const MAX_SENTENCE_LETTERS = 400;

function isAlphabetical(word: string): boolean {
  for (let at = 1; at < word.length; at++) if (word.charAt(at) <= word.charAt(at - 1)) return false;
  return true;
}

const unleet = (word: string): string => word.replace(/[013457@$!]/g, (sign) => READ_AS[sign] ?? sign);

function spaced(letters: string): string {
  const core = /^[A-Za-z]{10,400}$/.test(letters) && !isWord(letters) ? segment(letters) : undefined;
  return core === undefined ? letters : core.join(' ');
}
