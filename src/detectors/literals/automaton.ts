/** Called for each pattern that ends at an offset. Returns true to end the search. */
export type OnPattern = (pattern: number, end: number) => boolean;

/** Longer patterns are matched by this many leading symbols. */
export const MAX_PATTERN = 32;

/** Finds many patterns in one pass (Aho-Corasick). Patterns must differ within their first `MAX_PATTERN` symbols. */
export class Automaton {
  /** Index of the pattern that ends in a state, or -1. */
  readonly #patternAt: Int32Array;
  /** The longest proper suffix state in which a pattern ends, or 0. */
  readonly #nextEnding: Int32Array;
  /** 1 if a pattern ends in the state or in a suffix state. */
  readonly #isEnding: Uint8Array;
  readonly #symbols: ReadonlyMap<number, number>;
  readonly #asciiSymbols = new Int32Array(128);
  readonly #steps: Steps;
  readonly #lengths: readonly number[];

  constructor(patterns: readonly (readonly number[])[]) {
    const trie = buildTrie(patterns);
    this.#symbols = trie.symbols;
    for (const [fold, symbol] of trie.symbols) if (fold < 128) this.#asciiSymbols[fold] = symbol;
    this.#patternAt = trie.patternAt;
    this.#lengths = patterns.map((pattern) => Math.min(pattern.length, MAX_PATTERN));
    const fallbacks = fallbacksOf(trie);
    this.#nextEnding = new Int32Array(trie.states);
    this.#isEnding = new Uint8Array(trie.states);
    for (const { state } of trie.inOrder) {
      const fallback = fallbacks[state] ?? 0;
      const next = this.#patternAt[fallback] === -1 ? (this.#nextEnding[fallback] ?? 0) : fallback;
      this.#nextEnding[state] = next;
      if (next !== 0 || this.#patternAt[state] !== -1) this.#isEnding[state] = 1;
    }
    this.#steps = stepsOf(trie, fallbacks);
  }

  lengthOf(pattern: number): number {
    return this.#lengths[pattern] ?? 0;
  }

  search(folds: Int32Array, count: number, onPattern: OnPattern): void {
    const [asciiSymbols, isEnding, steps] = [this.#asciiSymbols, this.#isEnding, this.#steps];
    let state = 0;
    for (let at = 0; at < count; at += 1) {
      const fold = folds[at] ?? 0;
      const symbol = fold < 128 ? (asciiSymbols[fold] ?? 0) : (this.#symbols.get(fold) ?? 0);
      state =
        steps.table === undefined
          ? steps.after(state, symbol)
          : (steps.table[state * steps.width + symbol] ?? 0);
      if (isEnding[state] === 1 && this.#report(state, at, onPattern)) return;
    }
  }

  #report(state: number, at: number, onPattern: OnPattern): boolean {
    let ending = this.#patternAt[state] === -1 ? (this.#nextEnding[state] ?? 0) : state;
    for (; ending !== 0; ending = this.#nextEnding[ending] ?? 0) {
      if (onPattern(this.#patternAt[ending] ?? 0, at)) return true;
    }
    return false;
  }
}

/** Transitions: a full table, or edges with fallbacks if the table would be too large. */
interface Steps {
  readonly table: Int32Array | undefined;
  readonly width: number;
  after(state: number, symbol: number): number;
}

/** Maximum number of table cells, enough for about 10,000 words in one alphabet. */
const MAX_TABLE = 4_194_304;

function stepsOf(trie: Trie, fallbacks: Int32Array): Steps {
  const width = trie.symbols.size + 1;
  const after = (state: number, symbol: number): number => stepFrom(trie, fallbacks, state, symbol);
  if (trie.states * width > MAX_TABLE) return { table: undefined, width, after };
  const table = new Int32Array(trie.states * width);
  for (let symbol = 1; symbol < width; symbol += 1) table[symbol] = trie.edges.get(0, symbol);
  for (const { state } of trie.inOrder) {
    const fallback = fallbacks[state] ?? 0;
    for (let symbol = 1; symbol < width; symbol += 1) {
      const next = trie.edges.get(state, symbol);
      table[state * width + symbol] = next === 0 ? (table[fallback * width + symbol] ?? 0) : next;
    }
  }
  return { table, width, after };
}

function fallbacksOf(trie: Trie): Int32Array {
  const fallbacks = new Int32Array(trie.states);
  for (const { state, parent, symbol } of trie.inOrder) {
    fallbacks[state] = parent === 0 ? 0 : stepFrom(trie, fallbacks, fallbacks[parent] ?? 0, symbol);
  }
  return fallbacks;
}

function stepFrom({ edges }: Trie, fallbacks: Int32Array, from: number, symbol: number): number {
  if (symbol === 0) return 0;
  for (let state = from; state !== 0; state = fallbacks[state] ?? 0) {
    const next = edges.get(state, symbol);
    if (next !== 0) return next;
  }
  return edges.get(0, symbol);
}

interface Trie {
  readonly states: number;
  readonly symbols: ReadonlyMap<number, number>;
  readonly patternAt: Int32Array;
  readonly edges: EdgeTable;
  /** All states except the root, by depth. */
  readonly inOrder: readonly TrieState[];
}

interface TrieState {
  readonly state: number;
  readonly parent: number;
  readonly symbol: number;
  readonly depth: number;
}

function buildTrie(patterns: readonly (readonly number[])[]): Trie {
  const symbols = new Map<number, number>();
  const room = patterns.reduce((sum, pattern) => sum + Math.min(pattern.length, MAX_PATTERN), 1);
  const edges = new EdgeTable(room);
  const patternAt = new Int32Array(room).fill(-1);
  const made: TrieState[] = [];
  for (const [number, pattern] of patterns.entries()) {
    let state = 0;
    for (const [depth, fold] of pattern.slice(0, MAX_PATTERN).entries()) {
      const symbol = symbols.get(fold) ?? symbols.size + 1;
      symbols.set(fold, symbol);
      const next = edges.get(state, symbol);
      if (next === 0) {
        made.push({ state: made.length + 1, parent: state, symbol, depth });
        edges.set(state, symbol, made.length);
      }
      state = next === 0 ? made.length : next;
    }
    patternAt[state] = number;
  }
  const inOrder = made.toSorted((a, b) => a.depth - b.depth);
  return { states: made.length + 1, symbols, patternAt, edges, inOrder };
}

class EdgeTable {
  readonly #froms: Int32Array;
  readonly #symbols: Int32Array;
  readonly #targets: Int32Array;
  readonly #mask: number;

  constructor(edges: number) {
    const slots = 2 ** Math.ceil(Math.log2(edges * 2 + 2));
    this.#froms = new Int32Array(slots);
    this.#symbols = new Int32Array(slots);
    this.#targets = new Int32Array(slots);
    this.#mask = slots - 1;
  }

  get(from: number, symbol: number): number {
    return this.#targets[this.#slotOf(from, symbol)] ?? 0;
  }

  set(from: number, symbol: number, target: number): void {
    const slot = this.#slotOf(from, symbol);
    this.#froms[slot] = from;
    this.#symbols[slot] = symbol;
    this.#targets[slot] = target;
  }

  #slotOf(from: number, symbol: number): number {
    let slot = (Math.imul(from, 0x9e3779b1) ^ Math.imul(symbol, 0x85ebca6b)) >>> 7;
    for (slot &= this.#mask; this.#targets[slot] !== 0; slot = (slot + 1) & this.#mask) {
      if (this.#froms[slot] === from && this.#symbols[slot] === symbol) break;
    }
    return slot;
  }
}
