import { MAX_KEY_CHARS, type WordRuns } from '../../text/word-runs.ts';

/** A vocabulary as flat arrays, indexed by node. 0 means no node or no word. */
export interface WordTree {
  readonly roots: Uint16Array;
  /**
   * Double array for the letters a to z. A node's row begins at its entry in `rows`; rows fill each other's gaps. A
   * cell contains a node and the next node in one number, or 0.
   */
  readonly rows: Uint16Array;
  readonly cells: Int32Array;
  /** Hash table for other letters: a node and a letter in one number, or 0. `nodes` contains the next nodes. */
  readonly steps: Int32Array;
  readonly nodes: Uint16Array;
  readonly slotShift: number;
  readonly wordAt: Uint16Array;
  /** Longest stem that ends at or before a node. */
  readonly stemOf: Uint16Array;
  /** The word at a node, or else its stem. */
  readonly wordOf: Uint16Array;
}

interface Letters {
  readonly roots: Uint16Array;
  readonly letters: readonly number[];
  readonly wordAt: readonly number[];
  readonly stemAt: readonly number[];
  readonly childrenOf: (node: number) => readonly number[];
}

/** A node must fit into half a cell. */
const MAX_NODES = 0x8000;
/** With this many slots, most lookups end at the first slot. */
const SLOTS_PER_NODE = 4;
const LETTER_A = 0x61;
const LETTERS = 26;

/** @throws Error if there are too many letters */
export function createWordTree({ roots, letters, wordAt, stemAt, childrenOf }: Letters): WordTree {
  const count = letters.length;
  if (count > MAX_NODES)
    throw new Error(`too many letters in the vocabulary: ${String(count)}, maximum ${String(MAX_NODES)}`);
  const inRows: Family[] = [];
  const others: { readonly parent: number; readonly child: number }[] = [];
  for (let parent = 0; parent < count; parent++) {
    const children: number[] = [];
    for (const child of childrenOf(parent)) {
      if (isLetter(letters[child] ?? 0)) children.push(child);
      else others.push({ parent, child });
    }
    if (children.length > 0) inRows.push({ parent, children });
  }
  const slotBits = Math.ceil(Math.log2((others.length + 1) * SLOTS_PER_NODE));
  const tree: WordTree = {
    roots,
    ...placeRows(inRows, letters),
    steps: new Int32Array(2 ** slotBits),
    nodes: new Uint16Array(2 ** slotBits),
    slotShift: 32 - slotBits,
    wordAt: Uint16Array.from(wordAt),
    ...wordSlots(childrenOf, wordAt, stemAt),
  };
  for (const { parent, child } of others) {
    const step = (parent << 16) | (letters[child] ?? 0);
    const slot = slotOfStep(tree, step);
    tree.steps[slot] = step;
    tree.nodes[slot] = child;
  }
  return tree;
}

interface Family {
  readonly parent: number;
  readonly children: readonly number[];
}

/** Places rows in gaps, largest first. Rows of the same size are not tried again where one did not fit. */
function placeRows(
  families: readonly Family[],
  letters: readonly number[],
): Pick<WordTree, 'rows' | 'cells'> {
  const rows = new Uint16Array(letters.length);
  const cells = new Int32Array(letters.length + MAX_NODES);
  let end = LETTERS;
  let firstGap = 0;
  let [lastSize, lastRow] = [0, 0];
  for (const { parent, children } of families.toSorted((a, b) => b.children.length - a.children.length)) {
    const offsets = children.map((child) => (letters[child] ?? 0) - LETTER_A);
    while (cells[firstGap] !== 0) firstGap += 1;
    let row = Math.max(0, firstGap - (offsets[0] ?? 0));
    if (offsets.length > 1 && offsets.length === lastSize) row = Math.max(row, lastRow);
    while (offsets.some((offset) => cells[row + offset] !== 0)) row += 1;
    for (const child of children) cells[row + (letters[child] ?? 0) - LETTER_A] = (parent << 16) | child;
    rows[parent] = row;
    [lastSize, lastRow] = [offsets.length, row];
    end = Math.max(end, row + LETTERS);
  }
  return { rows, cells: cells.slice(0, end) };
}

/** Parents must precede their children. */
function wordSlots(
  childrenOf: Letters['childrenOf'],
  wordAt: readonly number[],
  stemAt: readonly number[],
): Pick<WordTree, 'stemOf' | 'wordOf'> {
  const stemOf = Uint16Array.from(stemAt);
  for (const parent of stemOf.keys())
    for (const child of childrenOf(parent)) stemOf[child] ||= stemOf[parent] ?? 0;
  return { stemOf, wordOf: stemOf.map((stem, node) => wordAt[node] || stem) };
}

function isLetter(unit: number): boolean {
  return unit >= LETTER_A && unit < LETTER_A + LETTERS;
}

export function childOf(tree: WordTree, node: number, unit: number): number {
  const letter = unit - LETTER_A;
  if (letter >>> 0 >= LETTERS) return tree.nodes[slotOfStep(tree, (node << 16) | unit)] ?? 0;
  const cell = tree.cells[(tree.rows[node] ?? 0) + letter] ?? 0;
  return cell >>> 16 === node ? cell & 0xffff : 0;
}

function slotOfStep({ steps, slotShift }: WordTree, step: number): number {
  let slot = Math.imul(step, 0x9e3779b1) >>> slotShift;
  for (let other = steps[slot]; other !== step && other !== 0; other = steps[slot]) {
    slot = slot + 1 === steps.length ? 0 : slot + 1;
  }
  return slot;
}

const SLOT_BITS = 12;
const KEYS = 3;
const TO_LOWER = 0x20;

/** Caches the vocabulary word of each short ASCII run, because texts repeat words. */
export class WordMemo {
  readonly #tree: WordTree;
  readonly #keys = new Int32Array(KEYS << SLOT_BITS);
  readonly #words = new Uint16Array(1 << SLOT_BITS);

  constructor(tree: WordTree) {
    this.#tree = tree;
  }

  wordOf(runs: WordRuns, units: Uint16Array, start: number, end: number): number {
    const chars = end - start;
    if (chars > MAX_KEY_CHARS) return this.#lookUp(units, start, end);
    const first = runs.firstKey(start, chars);
    const second = runs.secondKey(start, chars);
    const third = runs.thirdKey(start, chars);
    const mixed = first ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0x27d4eb2f);
    const slot = Math.imul(mixed, 0x9e3779b1) >>> (32 - SLOT_BITS);
    const keys = this.#keys;
    const at = KEYS * slot;
    if (keys[at] === first && keys[at + 1] === second && keys[at + 2] === third)
      return this.#words[slot] ?? 0;
    const word = this.#lookUp(units, start, end);
    keys[at] = first;
    keys[at + 1] = second;
    keys[at + 2] = third;
    this.#words[slot] = word;
    return word;
  }

  #lookUp(units: Uint16Array, start: number, end: number): number {
    const tree = this.#tree;
    let last = 0;
    let node = tree.roots[(units[start] ?? 0) | TO_LOWER] ?? 0;
    for (let at = start + 1; node !== 0 && at < end; at++) {
      last = node;
      node = childOf(tree, node, (units[at] ?? 0) | TO_LOWER);
    }
    return (node === 0 ? tree.stemOf[last] : tree.wordOf[node]) ?? 0;
  }
}
