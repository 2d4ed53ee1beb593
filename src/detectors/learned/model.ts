import type { Span } from '../../text/span.ts';
import { FEATURES_VERSION } from './features.ts';
import { Outline } from './outline.ts';
import { ReadFeatures } from './read-features.ts';

/** Weights of a logistic model over hashed features, as written by `models/injection/train.ts`. */
export interface Model {
  readonly name: string;
  /** Incremented by each training. */
  readonly version: number;
  /** In units of `scale`, indexed by masked hash. The length must be a power of two. */
  readonly weights: Int8Array;
  readonly scale: number;
  readonly bias: number;
  /** With `offset`, maps a sum to a probability: `1 / (1 + exp(-(slope * sum + offset)))`. */
  readonly slope: number;
  readonly offset: number;
  /** Windows with a lower sum of single words are skipped, which misses one in 300 training attacks. */
  readonly screen: number;
}

export interface Judgement {
  /** 0 to 1. */
  readonly score: number;
  /** Offsets in UTF-16 code units; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Words per long and short window. Windows overlap by half. They isolate an attack in a long text. */
const WINDOW_WORDS = [40, 14] as const;

/** Shorter texts are names or confirmations (`run_shell_command`, `Write`, `Continue`) with too little information. */
const MIN_WORDS = 4;

const NEUTRAL: Judgement = { score: 0, start: 0, end: 0 };

/** Scores the window that is most likely an attack. Pure; takes linear time. */
export function judge(model: Model, text: string): Judgement {
  let highest = -Infinity;
  let likeliest: Span = NEUTRAL;
  const count = readLikely(model, text, (sum, start, end) => {
    if (sum <= highest) return;
    highest = sum;
    likeliest = { start, end };
  });
  return count === 0 ? NEUTRAL : { score: scoreOf(model, highest, count), ...outline.spanOf(likeliest) };
}

/** Returns all windows whose score reaches the threshold. They may overlap. Pure; takes linear time. */
export function judgeEach(model: Model, text: string, threshold: number): readonly Judgement[] {
  const likely: { readonly sum: number; readonly span: Span }[] = [];
  const count = readLikely(model, text, (sum, start, end) =>
    likely.push({ sum, span: outline.spanOf({ start, end }) }),
  );
  return likely.flatMap(({ sum, span }) => {
    const score = scoreOf(model, sum, count);
    return score < threshold ? [] : [{ score, ...span }];
  });
}

/** Reused for each text. */
const outline = new Outline();
const features = new ReadFeatures(WINDOW_WORDS[0]);

/**
 * Sums single words first, then reads adjacent words in windows that may be an attack, or else in the likeliest one.
 * @param visit called for these windows in order of `start`, with offsets in words
 * @returns the number of all windows; 0 for a text with too few words
 */
function readLikely(
  { weights, screen }: Model,
  text: string,
  visit: (sum: number, start: number, end: number) => void,
): number {
  outline.read(text, weights);
  const { words } = outline;
  if (words < MIN_WORDS) return 0;
  const { wanted, count } = screened(words, words <= WINDOW_WORDS[0] ? -Infinity : screen);
  for (let next = 0; next < wanted.length;) {
    const start = wanted[next] ?? 0;
    let end = wanted[next + 1] ?? 0;
    let after = next + 2;
    for (; after < wanted.length && (wanted[after] ?? 0) <= end; after += 2)
      end = Math.max(end, wanted[after + 1] ?? 0);
    features.read(outline, { start, end }, weights);
    for (; next < after; next += 2) {
      const from = wanted[next] ?? 0;
      const to = wanted[next + 1] ?? 0;
      visit(features.sumOfDistinct(from, to), from, to);
    }
  }
  return count;
}

/** Returns the windows that may be an attack (alternating starts and ends), and the number of all windows. */
function screened(
  words: number,
  screen: number,
): { readonly wanted: readonly number[]; readonly count: number } {
  const wanted: [number[], number[]] = [[], []];
  let best: number[] = [];
  let highest = -Infinity;
  let count = 0;
  eachStretch(words, (start, end, size) => {
    const sum = outline.sumOfWords(start, end);
    count += 1;
    if (sum >= screen) wanted[size].push(start, end);
    if (sum <= highest) return;
    highest = sum;
    best = [start, end];
  });
  return { wanted: highest < screen ? best : merged(...wanted), count };
}

/** Merges two ordered lists of windows. */
function merged(one: readonly number[], other: readonly number[]): readonly number[] {
  const all: number[] = [];
  let next = 0;
  for (let at = 0; at < one.length; at += 2) {
    const start = one[at] ?? 0;
    const end = one[at + 1] ?? 0;
    for (; next < other.length; next += 2) {
      const otherStart = other[next] ?? 0;
      const otherEnd = other[next + 1] ?? 0;
      if (otherStart > start || (otherStart === start && otherEnd >= end)) break;
      all.push(otherStart, otherEnd);
    }
    all.push(start, end);
  }
  for (; next < other.length; next += 2) all.push(other[next] ?? 0, other[next + 1] ?? 0);
  return all;
}

/** Visits the windows of a text, long ones first. Offsets are in words. */
export function eachStretch(words: number, visit: (start: number, end: number, size: 0 | 1) => void): void {
  for (const index of [0, 1] as const) {
    const size = WINDOW_WORDS[index];
    if (index > 0 && words <= size) break;
    visit(0, Math.min(words, size), index);
    for (let start = size / 2; start + size / 2 < words; start += size / 2)
      visit(start, Math.min(words, start + size), index);
  }
}

/** Texts with more windows have lower odds, because any window may look like an attack by chance. */
const USUAL_WINDOWS = 32;

/** @param sum window sum in units of the model's scale */
function scoreOf({ scale, bias, slope, offset }: Model, sum: number, windows: number): number {
  const logOdds = slope * (sum * scale + bias) + offset;
  return 1 / (1 + Math.max(1, windows / USUAL_WINDOWS) * Math.exp(-logOdds));
}

/**
 * Parses a model file: a line of JSON, followed by one byte per weight.
 * @throws Error if the file is malformed or its features have another version
 */
export function unpackModel(file: Buffer): Model {
  const end = file.indexOf(10);
  const { features, count, ...head } = JSON.parse(file.toString('utf8', 0, end)) as Omit<Model, 'weights'> & {
    features: number;
    count: number;
  };
  const weights = new Int8Array(file.subarray(end + 1));
  const isWhole = weights.length === count && (count & (count - 1)) === 0 && typeof head.screen === 'number';
  if (features !== FEATURES_VERSION || !isWhole)
    throw new Error(`the model ${head.name} does not fit this version: train it again (models/README.md)`);
  return { ...head, weights };
}
