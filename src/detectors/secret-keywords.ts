/** One automaton over many keywords (Aho and Corasick, 1975): a text is read once, whatever their number. */
export interface KeywordAutomaton {
  /** Class of a character code below 128; class 0 is every character that no keyword holds. */
  readonly classes: Uint8Array;
  readonly width: number;
  /** `next[state * width + class]` is the state after that character; state 0 is the beginning. */
  readonly next: Uint16Array;
  /** Per state the indices of the keywords that end there; `undefined` where none does. */
  readonly ends: readonly (readonly number[] | undefined)[];
}

interface Trie {
  readonly next: Uint16Array;
  readonly ends: number[][];
  readonly states: number;
}

/**
 * Builds the automaton of ASCII keywords in lower case; upper-case letters of a text are read as lower-case ones.
 * Throws when the keywords need more states than a 16-bit table holds.
 */
export function buildKeywordAutomaton(keywords: readonly string[]): KeywordAutomaton {
  const classes = new Uint8Array(128);
  let width = 1;
  for (const character of new Set(keywords.join(''))) {
    const code = character.charCodeAt(0);
    if (code > 127 || character !== character.toLowerCase())
      throw new Error(`a keyword must be lower-case ASCII: ${character}`);
    classes[code] = width;
    classes[character.toUpperCase().charCodeAt(0)] = width;
    width += 1;
  }
  const trie = buildTrie(keywords, classes, width);
  linkFailures(trie, width);
  const ends = trie.ends.map((indices) => (indices.length === 0 ? undefined : indices));
  return { classes, width, next: trie.next.slice(0, trie.states * width), ends };
}

function buildTrie(keywords: readonly string[], classes: Uint8Array, width: number): Trie {
  const capacity = keywords.reduce((sum, keyword) => sum + keyword.length, 1);
  if (capacity > 65_535) throw new Error('too many keywords for one automaton');
  const next = new Uint16Array(capacity * width);
  const ends: number[][] = [[]];
  for (const [index, keyword] of keywords.entries()) {
    let state = 0;
    for (let at = 0; at < keyword.length; at += 1) {
      const edge = state * width + (classes[keyword.charCodeAt(at)] ?? 0);
      if (next[edge] === 0) next[edge] = ends.push([]) - 1;
      state = next[edge] ?? 0;
    }
    ends[state]?.push(index);
  }
  return { next, ends, states: ends.length };
}

/** Turns the trie into an automaton: a missing edge goes where the longest other beginning goes on. */
function linkFailures({ next, ends, states }: Trie, width: number): void {
  const failure = new Uint16Array(states);
  const queue = [0];
  for (let head = 0; head < queue.length; head += 1) {
    const state = queue[head] ?? 0;
    const fallback = failure[state] ?? 0;
    for (let edge = 1; edge < width; edge += 1) {
      const child = next[state * width + edge] ?? 0;
      const other = state === 0 ? 0 : (next[fallback * width + edge] ?? 0);
      if (child === 0) {
        next[state * width + edge] = other;
        continue;
      }
      failure[child] = other;
      ends[child]?.push(...(ends[other] ?? []));
      queue.push(child);
    }
  }
}
