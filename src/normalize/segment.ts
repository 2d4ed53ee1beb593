import { words } from './english-words.ts';

const ALPHABET_SIZE = 26;
const FIRST_LETTER = 0x61;

/** Excludes other single letters, which could split anything. */
const LEARNT = [...words].filter((word) => /^[a-z]{2,}$|^[ai]$/.test(word));
/** One root, and at most one node per letter. */
const MAX_NODES = 1 + LEARNT.join('').length;
/** Tree of known words: the next node at `node * ALPHABET_SIZE + letter`, or 0. */
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

for (const word of LEARNT) learnWord(word);

/**
 * Splits letters A to Z into as few known words as possible; returns undefined if impossible. Takes linear time,
 * because words are short.
 */
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
      node = after(node, text.charCodeAt(at) - FIRST_LETTER);
      if (node === 0) break;
      if (endsWord[node] === 0 || count >= (fewest[at + 1] ?? 0)) continue;
      fewest[at + 1] = count;
      from[at + 1] = start;
    }
  }
  return fewest[text.length] === Infinity ? undefined : segmentsOf(letters, from);
}

const after = (node: number, letter: number): number =>
  letter >= 0 && letter < ALPHABET_SIZE ? (following[node * ALPHABET_SIZE + letter] ?? 0) : 0;

/** @param from start of the word that ends at each position */
function segmentsOf(letters: string, from: readonly number[]): string[] {
  const cuts: string[] = [];
  for (let end = letters.length; end > 0; end = from[end] ?? 0) cuts.push(letters.slice(from[end] ?? 0, end));
  return cuts.reverse();
}
