import type { Span } from '../../text/span.ts';
import { FEATURES_VERSION } from './features.ts';
import { Outline } from './outline.ts';
import { ReadFeatures } from './read-features.ts';

/** Weights of a logistic model over hashed features, as written by `models/injection/train.ts`. */
export interface Model {
  readonly name: string;
  /** Increased by each training. */
  readonly version: number;
  /** Weights in units of `scale`, by masked hash. Their number is a power of two. */
  readonly weights: Int8Array;
  readonly scale: number;
  readonly bias: number;
  /** Turns a sum into a probability: `1 / (1 + exp(-(slope * sum + offset)))`. */
  readonly slope: number;
  readonly offset: number;
  /**
   * Minimum sum of a stretch's single words for further reading. One in three hundred training attacks falls below it.
   */
  readonly screen: number;
}

/** Score of a text, and its likeliest stretch. */
export interface Judgement {
  /** 0 to 1. */
  readonly score: number;
  /** UTF-16 units, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Number of words per stretch. Stretches overlap by half. They separate an attack from the rest of a long text. */
const STRETCH_WORDS = [40, 14] as const;

/** Shorter texts are names or confirmations (`run_shell_command`, `Write`, `Continue`) with too little information. */
const LEAST_WORDS = 4;

const NEUTRAL: Judgement = { score: 0, start: 0, end: 0 };

/** Judges the stretch of a text that is most likely an attack. Pure; takes linear time. */
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

/** Returns every stretch whose score reaches the threshold. They may overlap. Pure; takes linear time. */
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
const features = new ReadFeatures(STRETCH_WORDS[0]);

/**
 * First reads single words. Reads adjacent words only in stretches that may be an attack, and in the likeliest stretch.
 * @param visit called for these stretches in order of `start`, with offsets in words
 * @returns the number of all stretches; 0 for a text with too few features
 */
function readLikely(
  { weights, screen }: Model,
  text: string,
  visit: (sum: number, start: number, end: number) => void,
): number {
  outline.read(text, weights);
  const { words } = outline;
  if (words < LEAST_WORDS) return 0;
  const { wanted, count } = screened(words, words <= STRETCH_WORDS[0] ? -Infinity : screen);
  for (let next = 0; next < wanted.length;) {
    const start = wanted[next] ?? 0;
    let end = wanted[next + 1] ?? 0;
    let after = next + 2;
    // Stretches that overlap or touch each other are read together.
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

/** Returns the stretches whose words may be an attack, a start and an end each, and the number of all stretches. */
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

/** Merges two lists of stretches, each in order. */
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

/** Visits the stretches of a text with this many words, long ones first. Offsets count words. */
export function eachStretch(words: number, visit: (start: number, end: number, size: 0 | 1) => void): void {
  for (const index of [0, 1] as const) {
    const size = STRETCH_WORDS[index];
    if (index > 0 && words <= size) break;
    visit(0, Math.min(words, size), index);
    for (let start = size / 2; start + size / 2 < words; start += size / 2)
      visit(start, Math.min(words, start + size), index);
  }
}

/** Reduces the odds of texts with more stretches: any of them may look like an attack by chance. */
const USUAL_STRETCHES = 32;

/** @param sum of a stretch, in units of the model's scale */
function scoreOf({ scale, bias, slope, offset }: Model, sum: number, stretches: number): number {
  const logOdds = slope * (sum * scale + bias) + offset;
  return 1 / (1 + Math.max(1, stretches / USUAL_STRETCHES) * Math.exp(-logOdds));
}

/**
 * Reads the file of a model: a line of JSON, followed by one byte per weight.
 * @throws Error for other files, and for a model with other features
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
