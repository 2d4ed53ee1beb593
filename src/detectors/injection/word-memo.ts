import { MAX_KEY_CHARS, type WordRuns } from '../../text/word-runs.ts';
import { childOf, type WordTree } from './word-tree.ts';

const SLOT_BITS = 12;
const KEYS = 3;
const TO_LOWER = 0x20;

/** Caches the vocabulary word of each short ASCII run, since texts repeat words. */
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
