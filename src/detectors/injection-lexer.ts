import { FOLDED, isUnspaced, LINE_END, SENTENCE_END, SEPARATOR, SILENT } from './injection-letters.ts';

/** The words of a text that a vocabulary knows or skips over, in order; parallel arrays, for a text may hold a million. */
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
    return {
      roots: this.#roots,
      firstChild: Int32Array.from(this.#firstChild),
      nextSibling: Int32Array.from(this.#nextSibling),
      letter: Uint16Array.from(this.#letter),
      wordAt: Uint16Array.from(this.#wordAt),
      stemAt: Uint16Array.from(this.#stemAt),
    };
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

/** A vocabulary as flat arrays by node; 0 is no node and no word. */
export interface WordTree {
  /** Node of a word's first letter. */
  readonly roots: Int32Array;
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  readonly letter: Uint16Array;
  readonly wordAt: Uint16Array;
  readonly stemAt: Uint16Array;
}

const foldedUnits = (word: string): number[] => {
  const units: number[] = [];
  for (let at = 0; at < word.length; at++) {
    const unit = FOLDED[word.charCodeAt(at)] ?? 0;
    if (unit > LINE_END) units.push(unit);
  }
  return units;
};

/** The node reached from `node` by a letter, or 0. */
const childOf = (tree: WordTree, node: number, unit: number): number => {
  let child = tree.firstChild[node] ?? 0;
  while (child !== 0 && tree.letter[child] !== unit) child = tree.nextSibling[child] ?? 0;
  return child;
};

const foldedAt = (text: string, at: number): number =>
  at < text.length ? (FOLDED[text.charCodeAt(at)] ?? SEPARATOR) : SEPARATOR;

/** Cuts a text into words and looks each up; linear, for a word of a script without spaces is at most a few characters. */
export const lex = (text: string, tree: WordTree): Tokens => {
  const tokens = createTokens(text.length);
  let isBroken = 0;
  let at = 0;
  while (at < text.length) {
    const unit = FOLDED[text.charCodeAt(at)] ?? SEPARATOR;
    if (unit > LINE_END) {
      tokens.breaks[tokens.count] = isBroken;
      isBroken = 0;
      at = isUnspaced(unit) ? readCharacters(text, tree, at, tokens) : readWord(text, tree, at, tokens);
      continue;
    }
    if (unit > SILENT && endsSentence(text, at, unit)) isBroken = 1;
    at += 1;
  }
  return tokens;
};

const createTokens = (length: number): MutableTokens => ({
  count: 0,
  starts: new Int32Array(length),
  ends: new Int32Array(length),
  words: new Uint16Array(length),
  breaks: new Uint8Array(length),
});

/** A full stop before a blank, or a blank line. */
const endsSentence = (text: string, at: number, unit: number): boolean => {
  if (unit === SENTENCE_END) return foldedAt(text, at + 1) <= LINE_END;
  return foldedAt(text, text.startsWith('\r\n', at) ? at + 2 : at + 1) === LINE_END;
};

/** Reads a word of letters to its end and says where that is. */
const readWord = (text: string, tree: WordTree, start: number, tokens: MutableTokens): number => {
  let node = tree.roots[FOLDED[text.charCodeAt(start)] ?? 0] ?? 0;
  let stem = 0;
  let at = start + 1;
  let end = at;
  for (; at < text.length; at++) {
    const unit = FOLDED[text.charCodeAt(at)] ?? SEPARATOR;
    if (unit === SILENT) continue;
    if (unit <= LINE_END || (unit > 0xdff && isUnspaced(unit))) break;
    end = at + 1;
    if (node === 0) continue;
    stem = tree.stemAt[node] || stem;
    node = childOf(tree, node, unit);
  }
  push(tokens, start, end, tree.wordAt[node] || tree.stemAt[node] || stem);
  return at;
};

/** Reads the longest known word of a script without spaces, or one character. */
const readCharacters = (text: string, tree: WordTree, start: number, tokens: MutableTokens): number => {
  let node = tree.roots[text.charCodeAt(start)] ?? 0;
  let word = 0;
  let end = start + 1;
  for (let at = start + 1; node !== 0; at++) {
    if (tree.wordAt[node] !== 0) {
      word = tree.wordAt[node] ?? 0;
      end = at;
    }
    node = childOf(tree, node, foldedAt(text, at));
  }
  push(tokens, start, end, word);
  return end;
};

const push = (tokens: MutableTokens, start: number, end: number, word: number): void => {
  tokens.starts[tokens.count] = start;
  tokens.ends[tokens.count] = end;
  tokens.words[tokens.count] = word;
  tokens.count += 1;
};
