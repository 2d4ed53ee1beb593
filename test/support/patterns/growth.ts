import { threadCpuMs } from '../cpu-time.ts';
import { attacksOn } from './attacks.ts';
import { automatonOf, type Automaton } from './automaton.ts';

/** Lengths at which time is measured; close together, since an exponential pattern would never return. */
const FIRST_CHARS = [16, 20, 24, 28, 32, 40, 48, 64, 256, 1_024, 4_096];
const LATER_CHARS = [16_384, 65_536, 262_144, 1_048_576];
/** A search is long from this time on: several ticks of the clock that counts CPU time. */
const LONG_MS = 40;
/** A linear search needs the same time for sixteen texts of a sixteenth; a quadratic one needs 16 times as long for the whole. */
const PARTS = 16;
const MOST_RATIO = 4;
const CLOCK_MS = 5;
const SLOWEST = 4;
const MOST_NEIGHBOURS = 8;

/** A text that is `prefix`, many times `pump`, and `suffix`. */
interface Shape {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

/** A text on which a pattern takes more than linear time. */
export interface Excess extends Shape {
  readonly chars: number;
  readonly cpuMs: number;
  /** Ratio of CPU time to that of sixteen texts of a sixteenth of the length: 1 for a linear pattern. */
  readonly ratio: number;
}

/** Returns a text that takes `pattern` more than linear time, if any, among the worst texts that its structure suggests. */
export function excessOf(pattern: RegExp): Excess | undefined {
  const automaton = automatonOf(pattern);
  const search = searchOf(pattern, automaton);
  const quick: (Shape & { readonly ms: number })[] = [];
  for (const shape of shapesFor(automaton)) {
    const { excess, ms } = climb(search, shape, FIRST_CHARS);
    if (excess !== undefined) return excess;
    quick.push({ ...shape, ms });
  }
  const slowest = quick.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  for (const shape of slowest) {
    const { excess } = climb(search, shape, LATER_CHARS);
    if (excess !== undefined) return excess;
  }
  return undefined;
}

/**
 * Each attack between each two characters that the pattern distinguishes: the character before decides where a
 * search can begin, the one behind whether it fails.
 */
function shapesFor(automaton: Automaton): Shape[] {
  const neighbours = ['', ...automaton.alphabet.slice(0, MOST_NEIGHBOURS)];
  return attacksOn(automaton).flatMap(({ prefix: first, pump }) =>
    [...new Set([first, ...neighbours])].flatMap((prefix) =>
      neighbours.map((suffix) => ({ prefix, pump, suffix })),
    ),
  );
}

type Search = (text: string) => void;

/**
 * Finds all matches in a text. A sticky pattern that reads only a bounded stretch is tried at one
 * position, like its callers do; any other at each, since each position may read the whole rest.
 */
function searchOf(pattern: RegExp, { isEndless }: Automaton): Search {
  if (pattern.sticky && !isEndless) {
    return (text) => {
      pattern.lastIndex = 0;
      pattern.test(text);
    };
  }
  const everywhere = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}g`);
  return (text) => text.replace(everywhere, '');
}

/**
 * Searches longer and longer texts until one takes long. The wall clock is exact enough for a guess, which CPU
 * time confirms: on a busy machine a short text takes long too, and the climb must continue, because a pattern without
 * a finding is later tried with texts on which an exponential one would never end.
 */
function climb(
  search: Search,
  shape: Shape,
  lengths: readonly number[],
): { readonly excess?: Excess; readonly ms: number } {
  let ms = 0;
  for (const chars of lengths) {
    const text = textOf(shape, chars);
    const before = performance.now();
    search(text);
    ms = performance.now() - before;
    if (ms <= LONG_MS) continue;
    const { cpuMs, ratio } = judge(search, shape, chars);
    if (ratio > MOST_RATIO) return { excess: { ...shape, chars, cpuMs, ratio }, ms };
    ms = cpuMs;
    if (cpuMs > LONG_MS) break;
  }
  return { ms };
}

function judge(search: Search, shape: Shape, chars: number): Pick<Excess, 'cpuMs' | 'ratio'> {
  const whole = textOf(shape, chars);
  const part = textOf(shape, chars / PARTS);
  const cpuMs = quickestMs(() => {
    search(whole);
  });
  const partsMs = quickestMs(() => {
    for (let count = 0; count < PARTS; count += 1) search(part);
  });
  return { cpuMs, ratio: cpuMs / Math.max(CLOCK_MS, partsMs) };
}

function quickestMs(work: () => void): number {
  return Math.min(
    ...[1, 2, 3].map(() => {
      const before = threadCpuMs();
      work();
      return threadCpuMs() - before;
    }),
  );
}

function textOf({ prefix, pump, suffix }: Shape, chars: number): string {
  return prefix + pump.repeat(Math.ceil(chars / pump.length)) + suffix;
}
