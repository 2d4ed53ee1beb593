import { endOfMatch, fitsWord, type Element, type Grammar, type Pattern } from './grammar.ts';
import type { Tokens } from './lexer.ts';

interface Branch<Label> {
  readonly next: Element | undefined;
  readonly patterns: readonly Pattern<Label>[];
}

/** A grammar with the maximum distance of a pattern's first two words, which rules out most pairs of words. */
export interface FollowedGrammar<Label> {
  /** Row of each word. Words that begin the same patterns share a row. */
  readonly rows: Uint16Array;
  readonly branches: readonly (readonly Branch<Label>[])[];
  /** Column of each word. Words that continue the same patterns share a column. */
  readonly columns: Uint16Array;
  readonly columnCount: number;
  /** Maximum distance in words, or 0; by row and column. */
  readonly reach: Uint8Array;
  readonly farthest: Uint8Array;
}

/** Reach of patterns that match regardless of the next word: one word, optionally with a sentence end. */
const ANYTHING = 255;

/** Adds distances to a grammar. Gaps in patterns must be far below `ANYTHING`. */
export function followGrammar<Label>(grammar: Grammar<Label>): FollowedGrammar<Label> {
  const { numbers: rows, owners } = groupAlike(patternIds(grammar));
  const branches = owners.map((owner) => branchesOf(grammar[owner] ?? []));
  const { numbers: columns, owners: columnOwners } = groupAlike(followersOf(branches, grammar.length));
  const columnCount = columnOwners.length;
  const reach = new Uint8Array(owners.length * columnCount);
  const farthest = new Uint8Array(owners.length);
  for (const [row, ownBranches] of branches.entries()) {
    const ownReach = reach.subarray(row * columnCount, (row + 1) * columnCount);
    let most = 0;
    for (const { next } of ownBranches) {
      const words = next === undefined || next.isEnd ? ANYTHING : next.gap + 1;
      most = Math.max(most, words);
      if (words === ANYTHING) continue;
      for (const word of next?.words ?? []) {
        const column = columns[word] ?? 0;
        ownReach[column] = Math.max(ownReach[column] ?? 0, words);
      }
    }
    farthest[row] = most;
  }
  return { rows, branches, columns, columnCount, reach, farthest };
}

/** Calls `take` for each pattern's shortest match at a token, with the match's first index and the index after it. */
export function matchAll<Label>(
  grammar: FollowedGrammar<Label>,
  tokens: Tokens,
  take: (label: Label, at: number, next: number) => void,
): void {
  const { words, count } = tokens;
  for (let at = 0; at < count; at++) {
    if (words[at] === 0 || !mayMatch(grammar, tokens, at)) continue;
    for (const { next: second, patterns } of grammar.branches[grammar.rows[words[at] ?? 0] ?? 0] ?? []) {
      if (!isInReach(tokens, second, at + 1)) continue;
      for (const { label, sequence } of patterns) {
        const next = endOfMatch(tokens, sequence, at);
        if (next !== -1) take(label, at, next);
      }
    }
  }
}

function mayMatch<Label>(
  { rows, columns, columnCount, reach, farthest }: FollowedGrammar<Label>,
  { words, breaks, count }: Tokens,
  at: number,
): boolean {
  const row = rows[words[at] ?? 0] ?? 0;
  const most = farthest[row] ?? 0;
  if (most === ANYTHING) return true;
  const last = Math.min(count - 1, at + most);
  for (let token = at + 1; token <= last && breaks[token] !== 1; token++) {
    const column = columns[words[token] ?? 0] ?? 0;
    if ((reach[row * columnCount + column] ?? 0) >= token - at) return true;
  }
  return false;
}

function branchesOf<Label>(patterns: readonly Pattern<Label>[]): readonly Branch<Label>[] {
  const branches = new Map<Element | undefined, Pattern<Label>[]>();
  for (const pattern of patterns) {
    const next = pattern.sequence[1];
    const branch = branches.get(next);
    if (branch === undefined) branches.set(next, [pattern]);
    else branch.push(pattern);
  }
  return [...branches].map(([next, alike]) => ({ next, patterns: alike }));
}

function isInReach(tokens: Tokens, wanted: Element | undefined, at: number): boolean {
  if (wanted === undefined || wanted.isEnd) return true;
  const last = Math.min(tokens.count - 1, at + wanted.gap);
  for (let token = at; token <= last && tokens.breaks[token] !== 1; token++)
    if (fitsWord(wanted, tokens.words[token] ?? 0)) return true;
  return false;
}

/** Returns, for each word, the numbers of the second elements that the word fits. */
function followersOf<Label>(
  branches: readonly (readonly Branch<Label>[])[],
  wordCount: number,
): readonly (readonly number[])[] {
  const seconds = new Map(branches.flat().map(({ next }) => [next?.fits, next]));
  const fitted = Array.from({ length: wordCount }, (): number[] => []);
  for (const [number, second] of [...seconds.values()].entries())
    for (const word of second?.words ?? []) fitted[word]?.push(number);
  return fitted;
}

function patternIds<Label>(grammar: Grammar<Label>): readonly (readonly number[])[] {
  const ids = new Map<Pattern<Label>, number>();
  return grammar.map((patterns) =>
    patterns.map((pattern) => {
      const id = ids.get(pattern) ?? ids.size;
      ids.set(pattern, id);
      return id;
    }),
  );
}

/** Numbers the distinct lists, and returns one word per list. Word 0 has number 0. */
function groupAlike(lists: readonly (readonly number[])[]): {
  readonly numbers: Uint16Array;
  readonly owners: readonly number[];
} {
  const known = new Map<string, number>();
  const owners: number[] = [];
  const numbers = lists.map((list, word) => {
    const key = list.join();
    const number = known.get(key) ?? owners.push(word) - 1;
    known.set(key, number);
    return number;
  });
  return { numbers: Uint16Array.from(numbers), owners };
}
