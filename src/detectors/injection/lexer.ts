import { FOLDED, isUnspaced, LINE_END, SENTENCE_END, SEPARATOR, SILENT } from './letters.ts';

/**
 * The words of a text that a vocabulary knows or skips over, in order; parallel arrays, for a text may hold a million.
 */
export interface Tokens {
  readonly count: number;
  /** UTF-16 units of the text. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Number of the word in the vocabulary, 0 for a word it does not know. */
  readonly words: Uint16Array;
  /** 1 where a sentence or paragraph ended just before the word. */
  readonly breaks: Uint8Array;
}

type MutableTokens = { -readonly [Name in keyof Tokens]: Tokens[Name] };

/** Words as a tree of letters; `ignor*` is a stem and stands for every word that begins so. */
export class Vocabulary {
  readonly #words = new Map<string, number>();
  readonly #roots = new Int32Array(0x10000);
  /** Children of a node are a list: the first one, then each one's next; few have more than two. */
  readonly #firstChild: number[] = [0];
  readonly #nextSibling: number[] = [0];
  readonly #letter: number[] = [0];
  readonly #wordAt: number[] = [0];
  readonly #stemAt: number[] = [0];

  /** Number of a word, which is added when new; words that differ by accents are one. */
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

  /** The numbers of words parted by blanks. */
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

  /** The tree as it is now. */
  freeze(): WordTree {
    const nodes = this.#letter.length;
    if (nodes > MAX_NODES)
      throw new Error(`a vocabulary of ${String(nodes)} letters: ${String(MAX_NODES)} at most`);
    const slotBits = Math.ceil(Math.log2(nodes * SLOTS_PER_NODE));
    const slots = { steps: new Int32Array(2 ** slotBits), nodes: new Uint16Array(2 ** slotBits) };
    const tree: WordTree = {
      roots: this.#roots,
      ...slots,
      slotShift: 32 - slotBits,
      wordAt: Uint16Array.from(this.#wordAt),
      stemAt: Uint16Array.from(this.#stemAt),
    };
    for (let parent = 1; parent < nodes; parent++) {
      for (let child = this.#firstChild[parent] ?? 0; child !== 0; child = this.#nextSibling[child] ?? 0) {
        const step = (parent << 16) | (this.#letter[child] ?? 0);
        const slot = slotOf(tree, step);
        slots.steps[slot] = step;
        slots.nodes[slot] = child;
      }
    }
    return tree;
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

/** A node fits into half of a step. */
const MAX_NODES = 0x10000;
/** So that most steps are found, or found missing, at the first look. */
const SLOTS_PER_NODE = 4;

/** A vocabulary as flat arrays by node; 0 is no node and no word. */
export interface WordTree {
  /** Node of a word's first letter. */
  readonly roots: Int32Array;
  /** A hash table: a node and the letter that goes on from it, as one number, or 0; and the node reached. */
  readonly steps: Int32Array;
  readonly nodes: Uint16Array;
  readonly slotShift: number;
  readonly wordAt: Uint16Array;
  readonly stemAt: Uint16Array;
}

/** The slot of a step, or the free one where it would be. */
function slotOf({ steps, slotShift }: WordTree, step: number): number {
  let slot = Math.imul(step, 0x9e3779b1) >>> slotShift;
  for (let other = steps[slot]; other !== step && other !== 0; other = steps[slot]) {
    slot = slot + 1 === steps.length ? 0 : slot + 1;
  }
  return slot;
}

function foldedUnits(word: string): number[] {
  const units: number[] = [];
  for (let at = 0; at < word.length; at++) {
    const unit = FOLDED[word.charCodeAt(at)] ?? 0;
    if (unit > LINE_END) units.push(unit);
  }
  return units;
}

/** The node reached from `node` by a letter, or 0. */
const childOf = (tree: WordTree, node: number, unit: number): number =>
  tree.nodes[slotOf(tree, (node << 16) | unit)] ?? 0;

/** What the words of a text are read from, and where they are written. */
interface LexerState {
  readonly text: string;
  /** `FOLDED` of each unit, and a separator behind the last. */
  readonly units: Uint16Array;
  readonly tokens: MutableTokens;
}

/** Most texts are short: they are read in the same arrays. */
const SHORT_CHARS = 32_768;
let shared: Omit<LexerState, 'text'> | undefined;

/**
 * `lex` for who is done with the words of one text before the next is read: a short text takes no memory of its own.
 */
export function lexOnce(text: string, tree: WordTree): Tokens {
  if (text.length > SHORT_CHARS) return lex(text, tree);
  shared ??= createArrays(SHORT_CHARS);
  shared.tokens.count = 0;
  return readAll({ text, ...shared }, tree);
}

/**
 * Cuts a text into words and looks each up; linear, for a word of a script without spaces is at most a few characters.
 */
export const lex = (text: string, tree: WordTree): Tokens =>
  readAll({ text, ...createArrays(text.length) }, tree);

const createArrays = (length: number): Omit<LexerState, 'text'> => ({
  units: new Uint16Array(length + 1),
  tokens: {
    count: 0,
    starts: new Int32Array(length),
    ends: new Int32Array(length),
    words: new Uint16Array(length),
    breaks: new Uint8Array(length),
  },
});

function readAll(state: LexerState, tree: WordTree): Tokens {
  const { text, units, tokens } = state;
  const { length } = text;
  for (let at = 0; at < length; at++) units[at] = FOLDED[text.charCodeAt(at)] ?? SEPARATOR;
  units[length] = SEPARATOR;
  let isBroken = 0;
  let at = 0;
  while (at < length) {
    const unit = units[at] ?? SEPARATOR;
    if (unit > LINE_END) {
      tokens.breaks[tokens.count] = isBroken;
      isBroken = 0;
      at = isUnspaced(unit) ? readCharacters(state, tree, at) : readWord(state, tree, at);
      continue;
    }
    if (unit > SILENT && isSentenceEnd(state, at, unit)) isBroken = 1;
    at += 1;
  }
  return tokens;
}

/** A full stop before a blank, or a blank line. */
function isSentenceEnd({ text, units }: LexerState, at: number, unit: number): boolean {
  if (unit === SENTENCE_END) return (units[at + 1] ?? SEPARATOR) <= LINE_END;
  return units[text.startsWith('\r\n', at) ? at + 2 : at + 1] === LINE_END;
}

/** Reads a word of letters to its end and says where that is. */
function readWord({ units, tokens }: LexerState, tree: WordTree, start: number): number {
  const { stemAt, wordAt } = tree;
  let node = tree.roots[units[start] ?? 0] ?? 0;
  let stem = 0;
  let at = start + 1;
  let end = at;
  for (; ; at++) {
    const unit = units[at] ?? SEPARATOR;
    if (unit === SILENT) continue;
    if (unit <= LINE_END || (unit > 0xdff && isUnspaced(unit))) break;
    end = at + 1;
    if (node === 0) continue;
    stem = stemAt[node] || stem;
    node = childOf(tree, node, unit);
  }
  push(tokens, start, end, wordAt[node] || stemAt[node] || stem);
  return at;
}

/** Reads the longest known word of a script without spaces, or one character. */
function readCharacters({ units, tokens }: LexerState, tree: WordTree, start: number): number {
  let node = tree.roots[units[start] ?? 0] ?? 0;
  let word = 0;
  let end = start + 1;
  for (let at = start + 1; node !== 0; at++) {
    if (tree.wordAt[node] !== 0) {
      word = tree.wordAt[node] ?? 0;
      end = at;
    }
    node = childOf(tree, node, units[at] ?? SEPARATOR);
  }
  push(tokens, start, end, word);
  return end;
}

function push(tokens: MutableTokens, start: number, end: number, word: number): void {
  const { count } = tokens;
  tokens.starts[count] = start;
  tokens.ends[count] = end;
  tokens.words[count] = word;
  tokens.count = count + 1;
}
