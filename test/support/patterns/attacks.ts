import type { Automaton } from './automaton.ts';

/** A pattern without an unbounded part is linear; some texts suffice to show that its bounds are narrow enough. */
const MOST_ON_BOUNDED = 16;

/** A text on which a matcher may repeat its work: its prefix, and its repeated part. */
export interface Attack {
  readonly prefix: string;
  readonly pump: string;
}

/**
 * Texts that could take a matcher more than linear time: a pump that leads from one loop of the pattern (or from the
 * search for its start) both back into it and on into another, so that each repetition may be read by either. Without
 * such a pump, the pattern is linear.
 */
export function attacksOn(automaton: Automaton): Attack[] {
  const loops = loopsOf(automaton);
  const reach = reachOf(automaton);
  const attacks = new Map<string, Attack>();
  for (const [from, loop] of loops) {
    for (const [to, other] of loops) {
      if (!reach[from]?.has(to)) continue;
      if (!automaton.isEndless && attacks.size >= MOST_ON_BOUNDED) return [...attacks.values()];
      for (const isReversed of [false, true]) {
        const pump =
          from === to
            ? twoWays(automaton, from, loop)
            : pumpOf(automaton, { from, loop, to, other, reach, isReversed });
        if (pump === undefined) continue;
        const prefix = wordTo(automaton, from);
        attacks.set(JSON.stringify([prefix, pump]), { prefix, pump });
      }
    }
  }
  return [...attacks.values()];
}

type Loops = ReadonlyMap<number, ReadonlySet<number>>;

/** Each position that can recur, with all those on a way back to it. */
function loopsOf(automaton: Automaton): Loops {
  const reach = reachOf(automaton);
  return new Map(
    automaton.positions.flatMap((_, at) => {
      if (!reach[at]?.has(at)) return [];
      return [[at, new Set([...reach[at]].filter((other) => reach[other]?.has(at)))] as const];
    }),
  );
}

/** Everything reachable from each position by reading at least one character. */
function reachOf({ positions }: Automaton): Set<number>[] {
  return positions.map(({ follow }) => {
    const reached = new Set(follow);
    for (const at of reached) for (const next of positions[at]?.follow ?? []) reached.add(next);
    return reached;
  });
}

interface Pair {
  readonly from: number;
  readonly loop: ReadonlySet<number>;
  readonly to: number;
  readonly other: ReadonlySet<number>;
  readonly reach: readonly ReadonlySet<number>[];
  readonly isReversed: boolean;
}

/** The shortest text that leads from `from` to itself, from `from` to `to`, and from `to` to itself. */
function pumpOf(
  automaton: Automaton,
  { from, loop, to, other, reach, isReversed }: Pair,
): string | undefined {
  const { positions } = automaton;
  const size = positions.length;
  const queue = [{ back: from, on: from, there: to, word: '' }];
  const seen = new Set<number>();
  for (const { back, on, there, word } of queue) {
    for (const nextBack of positions[back]?.follow ?? []) {
      if (!loop.has(nextBack)) continue;
      for (const nextThere of positions[there]?.follow ?? []) {
        const both = reads(automaton, nextBack) & reads(automaton, nextThere);
        if (both === 0n || !other.has(nextThere)) continue;
        for (const nextOn of positions[on]?.follow ?? []) {
          const all = both & reads(automaton, nextOn);
          if (all === 0n || (nextOn !== to && !reach[nextOn]?.has(to))) continue;
          const key = (nextBack * size + nextOn) * size + nextThere;
          if (seen.has(key)) continue;
          seen.add(key);
          const longer = word + characterOf(automaton, all, isReversed);
          if (nextBack === from && nextOn === to && nextThere === to) return longer;
          queue.push({ back: nextBack, on: nextOn, there: nextThere, word: longer });
        }
      }
    }
  }
  return undefined;
}

/** A text that leads from `from` to itself over a step that can be taken in more than one way. */
function twoWays(automaton: Automaton, from: number, loop: ReadonlySet<number>): string | undefined {
  const isTwice = automaton.positions[from]?.twice.some((next) => loop.has(next)) === true;
  return isTwice ? wordTo(automaton, from, from) : undefined;
}

/** The shortest text that leads to `target`, from the start or from another position. */
function wordTo(automaton: Automaton, target: number, from = 0): string {
  const queue = [{ at: from, word: '' }];
  const seen = new Set<number>();
  for (const { at, word } of queue) {
    if (at === target && (word !== '' || from === 0)) return word;
    for (const next of automaton.positions[at]?.follow ?? []) {
      if (seen.has(next) || reads(automaton, next) === 0n) continue;
      seen.add(next);
      queue.push({ at: next, word: word + characterOf(automaton, reads(automaton, next), false) });
    }
  }
  return '';
}

const reads = ({ positions }: Automaton, at: number): bigint => positions[at]?.reads ?? 0n;

function characterOf({ alphabet }: Automaton, bits: bigint, isReversed: boolean): string {
  const digits = bits.toString(2);
  return alphabet[isReversed ? digits.length - 1 : digits.length - 1 - digits.lastIndexOf('1')] ?? '';
}
