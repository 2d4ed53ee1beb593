import { UnitReader } from '../../text/units.ts';
import { WordRuns } from '../../text/word-runs.ts';
import { WordMemo, childOf, createWordTree, type WordTree } from './word-tree.ts';
import { FOLDED, isUnspaced, LINE_END, SENTENCE_END, SEPARATOR, SILENT } from './letters.ts';

/** The words of a text in order. Uses parallel arrays, because there may be a million words. */
export interface Tokens {
  readonly count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Indexes in the vocabulary; 0 for unknown words. */
  readonly words: Uint16Array;
  /** 1 if a sentence or paragraph ends directly before the word. */
  readonly breaks: Uint8Array;
}

type MutableTokens = { -readonly [Name in keyof Tokens]: Tokens[Name] };

/** A letter tree of words. The stem `ignor*` matches every word with this prefix. */
export class Vocabulary {
  readonly #words = new Map<string, number>();
  readonly #roots = new Uint16Array(0x10000);
  readonly #firstChild: number[] = [0];
  readonly #nextSibling: number[] = [0];
  readonly #letter: number[] = [0];
  readonly #wordAt: number[] = [0];
  readonly #stemAt: number[] = [0];

  /** Returns a word's number, and adds new words. Words that differ only in case or accents are the same. */
  add(word: string): number {
    const isStem = word.endsWith('*');
    const letters = foldedUnits(isStem ? word.slice(0, -1) : word);
    if (letters.length === 0) throw new Error(`no letters in ${word}`);
    const key = String.fromCharCode(...letters) + (isStem ? '*' : '');
    const known = this.#words.get(key);
    if (known !== undefined) return known;
    const number = this.#words.size + 1;
    this.#words.set(key, number);
    const node = letters.reduce((parent, unit) => this.#grow(parent, unit), 0);
    (isStem ? this.#stemAt : this.#wordAt)[node] = number;
    return number;
  }

  setOf(words: string): ReadonlySet<number> {
    return new Set(
      words
        .trim()
        .split(/\s+/)
        .map((word) => this.add(word)),
    );
  }

  get size(): number {
    return this.#words.size;
  }

  freeze(): WordTree {
    return createWordTree({
      roots: this.#roots,
      letters: this.#letter,
      wordAt: this.#wordAt,
      stemAt: this.#stemAt,
      childrenOf: (parent) => this.#childrenOf(parent),
    });
  }

  #childrenOf(parent: number): number[] {
    const children: number[] = [];
    for (let child = this.#firstChild[parent] ?? 0; child !== 0; child = this.#nextSibling[child] ?? 0) {
      children.push(child);
    }
    return children;
  }

  #grow(parent: number, unit: number): number {
    if (parent === 0) return (this.#roots[unit] ||= this.#create(unit, 0));
    for (let child = this.#firstChild[parent] ?? 0; child !== 0; child = this.#nextSibling[child] ?? 0)
      if (this.#letter[child] === unit) return child;
    return (this.#firstChild[parent] = this.#create(unit, this.#firstChild[parent] ?? 0));
  }

  #create(unit: number, nextSibling: number): number {
    this.#firstChild.push(0);
    this.#nextSibling.push(nextSibling);
    this.#wordAt.push(0);
    this.#stemAt.push(0);
    return this.#letter.push(unit) - 1;
  }
}

function foldedUnits(word: string): number[] {
  const units: number[] = [];
  for (let at = 0; at < word.length; at++) {
    const unit = FOLDED[word.charCodeAt(at)] ?? 0;
    if (unit > LINE_END) units.push(unit);
  }
  return units;
}

interface LexerState {
  /** Code units of the text, followed by a separator. */
  readonly units: Uint16Array;
  readonly tokens: MutableTokens;
  /** 1 if a sentence has ended since the last word. */
  isBroken: number;
}

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;

/** Shorter texts share arrays. */
const SHORT_CHARS = 32_768;
let shared: { readonly runs: WordRuns; readonly tokens: MutableTokens } | undefined;
const reader = new UnitReader(SHORT_CHARS);
const memos = new WeakMap<WordTree, WordMemo>();

/** Like `lex`, but without new arrays for short texts. The tokens are valid until the next call. */
export function lexOnce(text: string, tree: WordTree): Tokens {
  const { length } = text;
  if (length > SHORT_CHARS) return lex(text, tree);
  shared ??= { runs: new WordRuns(SHORT_CHARS), tokens: createTokens(SHORT_CHARS) };
  const { runs, tokens } = shared;
  tokens.count = 0;
  const state = { units: reader.read(text), tokens, isBroken: 0 };
  if (runs.read(text)) readRuns(runs, state, tree);
  else readTokens(state, tree, 0, length);
  return tokens;
}

/** Splits a text into words and looks them up. Takes linear time, because unspaced words are short. */
export function lex(text: string, tree: WordTree): Tokens {
  const tokens = createTokens(text.length);
  readTokens({ units: reader.read(text), tokens, isBroken: 0 }, tree, 0, text.length);
  return tokens;
}

const createTokens = (length: number): MutableTokens => ({
  count: 0,
  starts: new Int32Array(length),
  ends: new Int32Array(length),
  words: new Uint16Array(length),
  breaks: new Uint8Array(length),
});

/** Reads an ASCII text, whose words are runs of letters and digits, or contain apostrophes. */
function readRuns(runs: WordRuns, state: LexerState, tree: WordTree): void {
  const { units, tokens } = state;
  const { starts, ends, words, breaks } = tokens;
  const { edges } = runs;
  const memo = memoOf(tree);
  const folded = FOLDED;
  let count = 0;
  let at = 0;
  for (let run = 0; run < runs.count; run++) {
    const start = edges[2 * run] ?? 0;
    const end = edges[2 * run + 1] ?? 0;
    if (end <= at) continue;
    breaks[count] = start - at === 1 && units[at] === SPACE ? 0 : breakIn(units, at, start);
    if (folded[units[end] ?? 0] === SILENT) {
      tokens.count = count;
      state.isBroken = breaks[count] ?? 0;
      at = readTokens(state, tree, start, end);
      count = tokens.count;
      continue;
    }
    starts[count] = start;
    ends[count] = end;
    words[count] = memo.wordOf(runs, units, start, end);
    count += 1;
    at = end;
  }
  tokens.count = count;
}

function breakIn(units: Uint16Array, from: number, to: number): number {
  let isBroken = 0;
  for (let at = from; at < to; at++) {
    const unit = foldedAt(units, at);
    if (unit > SILENT && isSentenceEnd(units, at, unit)) isBroken = 1;
  }
  return isBroken;
}

function memoOf(tree: WordTree): WordMemo {
  let memo = memos.get(tree);
  if (memo === undefined) memos.set(tree, (memo = new WordMemo(tree)));
  return memo;
}

/**
 * Reads the words that begin between two offsets. Returns the end of the last word. Splitting this function would
 * double its run time.
 */
function readTokens(state: LexerState, tree: WordTree, from: number, to: number): number {
  const { units, tokens } = state;
  const { starts, ends, words, breaks } = tokens;
  const { roots, stemOf, wordOf } = tree;
  const folded = FOLDED;
  let { count } = tokens;
  let { isBroken } = state;
  let at = from;
  while (at < to) {
    let unit = folded[units[at] ?? 0] ?? SEPARATOR;
    if (unit <= LINE_END) {
      if (unit > SILENT && isSentenceEnd(units, at, unit)) isBroken = 1;
      at += 1;
      continue;
    }
    breaks[count] = isBroken;
    isBroken = 0;
    starts[count] = at;
    if (isUnspaced(unit)) {
      at = readCharacters(state, tree, at, count);
      count += 1;
      continue;
    }
    let last = 0;
    let node = roots[unit] ?? 0;
    let end = ++at;
    for (; node !== 0; at++) {
      unit = folded[units[at] ?? 0] ?? SEPARATOR;
      if (unit > LINE_END && !isUnspaced(unit)) {
        end = at + 1;
        last = node;
        node = childOf(tree, node, unit);
      } else if (unit !== SILENT) break;
    }
    words[count] = (node === 0 ? stemOf[last] : wordOf[node]) ?? 0;
    // No known word is longer, so only the end of the word is needed.
    for (; ; at++) {
      unit = folded[units[at] ?? 0] ?? SEPARATOR;
      if (unit > LINE_END && !isUnspaced(unit)) end = at + 1;
      else if (unit !== SILENT) break;
    }
    ends[count] = end;
    count += 1;
  }
  tokens.count = count;
  state.isBroken = isBroken;
  return at;
}

function foldedAt(units: Uint16Array, at: number): number {
  return FOLDED[units[at] ?? 0] ?? SEPARATOR;
}

/** Recognizes sentence punctuation that no letter follows, and empty lines. */
function isSentenceEnd(units: Uint16Array, at: number, unit: number): boolean {
  if (unit === SENTENCE_END) return foldedAt(units, at + 1) <= LINE_END;
  const isCrLf = units[at] === CR && units[at + 1] === LF;
  return foldedAt(units, isCrLf ? at + 2 : at + 1) === LINE_END;
}

/** Reads the longest known unspaced word, or one character. Returns its end. */
function readCharacters({ units, tokens }: LexerState, tree: WordTree, start: number, index: number): number {
  let node = tree.roots[foldedAt(units, start)] ?? 0;
  let word = 0;
  let end = start + 1;
  for (let at = start + 1; node !== 0; at++) {
    if (tree.wordAt[node] !== 0) {
      word = tree.wordAt[node] ?? 0;
      end = at;
    }
    node = childOf(tree, node, foldedAt(units, at));
  }
  tokens.ends[index] = end;
  tokens.words[index] = word;
  return end;
}
