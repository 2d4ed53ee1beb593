import type { Span } from '../../text/span.ts';
import { FEATURES_VERSION } from './features.ts';
import { Outline } from './outline.ts';
import { ReadFeatures } from './read-features.ts';

/** Weights of a logistic model over hashed features, as `models/injection/train.ts` writes them. */
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
  /** Minimum sum of a stretch's single words for further reading. One in three hundred training attacks lies below. */
  readonly screen: number;
}

/** The score of a text, and its likeliest stretch. */
export interface Judgement {
  /** 0 to 1. */
  readonly score: number;
  /** UTF-16 units, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Words per stretch. Stretches overlap by half. They separate an attack from the rest of a long text. */
const STRETCH_WORDS = [40, 14] as const;

/** Shorter texts are names or confirmations (`run_shell_command`, `Write`, `Continue`), which say too little. */
const LEAST_WORDS = 4;

const NEUTRAL: Judgement = { score: 0, start: 0, end: 0 };

/** Judges the stretch of a text that is most likely an attack. Linear and pure. */
export function judge(model: Model, text: string): Judgement {
  const { likely, count } = likelyStretches(model, text);
  const [first, ...others] = likely;
  if (first === undefined) return NEUTRAL;
  let best = first;
  for (const stretch of others) if (stretch.sum > best.sum) best = stretch;
  return { score: scoreOf(model, best.sum, count), start: best.start, end: best.end };
}

/** Returns every stretch whose score reaches the threshold. They may overlap. Linear and pure. */
export function judgeEach(model: Model, text: string, threshold: number): readonly Judgement[] {
  const { likely, count } = likelyStretches(model, text);
  return likely.flatMap(({ sum, start, end }) => {
    const score = scoreOf(model, sum, count);
    return score < threshold ? [] : [{ score, start, end }];
  });
}

interface ReadStretch extends Span {
  readonly sum: number;
}

/** Reused for the next text. */
const outline = new Outline();
const features = new ReadFeatures(STRETCH_WORDS[0]);

/** Reads single words first, and neighbours only in stretches that may be an attack, and in the likeliest stretch. */
function likelyStretches(
  { weights, screen }: Model,
  text: string,
): { readonly likely: readonly ReadStretch[]; readonly count: number } {
  outline.read(text, weights);
  const { words } = outline;
  if (words < LEAST_WORDS) return { likely: [], count: 0 };
  const { wanted, count } = screened(words, words <= STRETCH_WORDS[0] ? -Infinity : screen);
  const likely: ReadStretch[] = [];
  for (let next = 0; next < wanted.length;) {
    const after = endOfOverlap(wanted, next);
    const together = wanted.slice(next, after);
    const start = together[0]?.start ?? 0;
    features.read(outline, { start, end: Math.max(...together.map(({ end }) => end)) }, weights);
    for (const stretch of together)
      likely.push({ ...outline.spanOf(stretch), sum: features.sumOfDistinct(stretch) });
    next = after;
  }
  return { likely, count };
}

/** Returns the index after the stretches that overlap or touch each other, beginning with `first`. */
function endOfOverlap(stretches: readonly Span[], first: number): number {
  let end = stretches[first]?.end ?? 0;
  let after = first + 1;
  for (let one = stretches[after]; one !== undefined && one.start <= end; one = stretches[after]) {
    end = Math.max(end, one.end);
    after += 1;
  }
  return after;
}

/** Returns the stretches whose words may be an attack, ordered by `start`, and the number of all stretches. */
function screened(
  words: number,
  screen: number,
): { readonly wanted: readonly Span[]; readonly count: number } {
  const wanted: Span[] = [];
  let best: Span = { start: 0, end: words };
  let highest = -Infinity;
  let count = 0;
  eachStretch(words, (start, end) => {
    const sum = outline.sumOfWords(start, end);
    count += 1;
    if (sum >= screen) wanted.push({ start, end });
    if (sum <= highest) return;
    highest = sum;
    best = { start, end };
  });
  if (highest < screen) wanted.push(best);
  return { wanted: wanted.sort((one, other) => one.start - other.start || one.end - other.end), count };
}

/** Visits the stretches of a text with this many words. Offsets count words. */
export function eachStretch(words: number, visit: (start: number, end: number) => void): void {
  for (const [index, size] of STRETCH_WORDS.entries()) {
    if (index > 0 && words <= size) break;
    visit(0, Math.min(words, size));
    for (let start = size / 2; start + size / 2 < words; start += size / 2)
      visit(start, Math.min(words, start + size));
  }
}

/** The odds of texts with more stretches are reduced, since any of them may look like an attack by chance. */
const USUAL_STRETCHES = 32;

/** @param sum of a stretch, in units of the model's scale */
function scoreOf({ scale, bias, slope, offset }: Model, sum: number, stretches: number): number {
  const logOdds = slope * (sum * scale + bias) + offset;
  return 1 / (1 + Math.max(1, stretches / USUAL_STRETCHES) * Math.exp(-logOdds));
}

/**
 * Reads a model's file: a line of JSON, and a byte for each weight.
 * @throws Error for other files, and for a model of other features
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
