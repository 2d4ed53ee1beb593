/** ASCII transition table. States are row offsets, starting at 0; the next one is `next[state + classes[code]]`. */
export interface KeywordTable {
  /** Class of each character code below 128, or 0 for characters that no keyword contains. */
  readonly classes: Uint8Array;
  readonly next: Uint16Array | Uint32Array;
  /** The first state in which a keyword ends; all later ones are also endings. */
  readonly firstEnding: number;
  readonly endsOf: (state: number) => readonly number[];
}

/** Builds an Aho-Corasick automaton, which finds all keywords in one pass, in any case. */
export function buildKeywordAutomaton(keywords: readonly string[]): KeywordTable {
  const classes = characterClasses(keywords);
  for (let code = 65; code <= 90; code += 1) {
    if (classes[code] !== 0) throw new Error(`a keyword must be lowercase: ${String.fromCharCode(code)}`);
    classes[code] = classes[code + 32] ?? 0;
  }
  const tree = growTree(keywords, classes);
  linkFailures(tree);
  return tableOf(tree, classes);
}

/** Builds a case-sensitive tree to walk from each possible start. In state 0, no keyword continues. */
export function buildKeywordTree(keywords: readonly string[]): KeywordTable {
  const classes = characterClasses(keywords);
  return tableOf(growTree(keywords, classes), classes);
}

interface Tree {
  readonly width: number;
  /** Next node, by node and class, or 0. */
  readonly next: Uint16Array;
  readonly ends: number[][];
}

function characterClasses(keywords: readonly string[]): Uint8Array {
  const classes = new Uint8Array(128);
  for (const [index, character] of [...new Set(keywords.join(''))].entries()) {
    const code = character.charCodeAt(0);
    if (code > 127) throw new Error(`a keyword must be ASCII: ${character}`);
    classes[code] = index + 1;
  }
  return classes;
}

function growTree(keywords: readonly string[], classes: Uint8Array): Tree {
  const width = Math.max(...classes) + 1;
  const capacity = keywords.reduce((sum, keyword) => sum + keyword.length, 1);
  if (capacity > 65_535) throw new Error('too many keywords for one table');
  const next = new Uint16Array(capacity * width);
  const ends: number[][] = [[]];
  for (const [index, keyword] of keywords.entries()) {
    let node = 0;
    for (let at = 0; at < keyword.length; at += 1) {
      const edge = node * width + (classes[keyword.charCodeAt(at)] ?? 0);
      if (next[edge] === 0) next[edge] = ends.push([]) - 1;
      node = next[edge] ?? 0;
    }
    ends[node]?.push(index);
  }
  return { width, next, ends };
}

/** Turns the tree into an automaton, in which missing edges lead to where the longest proper suffix continues. */
function linkFailures({ width, next, ends }: Tree): void {
  const failure = new Uint16Array(ends.length);
  const queue = [0];
  for (let head = 0; head < queue.length; head += 1) {
    const node = queue[head] ?? 0;
    const fallback = failure[node] ?? 0;
    for (let edge = 1; edge < width; edge += 1) {
      const child = next[node * width + edge] ?? 0;
      const other = node === 0 ? 0 : (next[fallback * width + edge] ?? 0);
      if (child === 0) {
        next[node * width + edge] = other;
        continue;
      }
      failure[child] = other;
      ends[child]?.push(...(ends[other] ?? []));
      queue.push(child);
    }
  }
}

/** Moves nodes that end keywords to the end of the table, so that one comparison identifies them. */
function tableOf({ width, next, ends }: Tree, classes: Uint8Array): KeywordTable {
  const isEnding = (node: number): boolean => ends[node]?.length !== 0;
  const others = [...ends.keys()].filter((node) => !isEnding(node));
  const order = [...others, ...[...ends.keys()].filter(isEnding)];
  const rows = new Uint32Array(ends.length);
  for (const [row, node] of order.entries()) rows[node] = row * width;
  const size = ends.length * width;
  const table = size > 65_536 ? new Uint32Array(size) : new Uint16Array(size);
  for (const [row, node] of order.entries()) {
    for (let edge = 0; edge < width; edge += 1) {
      table[row * width + edge] = rows[next[node * width + edge] ?? 0] ?? 0;
    }
  }
  const endings = order.map((node) => ends[node] ?? []);
  return {
    classes,
    next: table,
    firstEnding: others.length * width,
    endsOf: (state) => endings[state / width] ?? [],
  };
}
