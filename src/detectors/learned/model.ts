import { FEATURES_VERSION, readFeatures } from './features.ts';

/** Weights of a logistic model over hashed features, as `models/injection/train.ts` writes them. */
export interface Model {
  readonly name: string;
  /** Counts up with each training. */
  readonly version: number;
  /** Weights in units of `scale`, one for each hash that is left after masking; a power of two of them. */
  readonly weights: Int8Array;
  readonly scale: number;
  readonly bias: number;
  /** Turns a sum into a probability: `1 / (1 + exp(-(slope * sum + offset)))`. */
  readonly slope: number;
  readonly offset: number;
}

/** How likely a text is what the model looks for, and the stretch of it that says so. */
export interface Judgement {
  /** 0 to 1. */
  readonly score: number;
  /** UTF-16 units, end exclusive. */
  readonly start: number;
  readonly end: number;
}

/** An attack in a long text is judged apart from what surrounds it: by stretches of so many words, which overlap by half. */
export const WINDOW_WORDS = 64;
const STRIDE = WINDOW_WORDS / 2;

const NO_WORDS: Judgement = { score: 0, start: 0, end: 0 };

/** Judges the stretch of a text that is most likely an attack. Linear in the text, and pure. */
export function judge(model: Model, text: string): Judgement {
  const { starts, ends, sums, counts } = addUp(model, text);
  const words = starts.length;
  if (words === 0) return NO_WORDS;
  let best = -Infinity;
  let first = 0;
  for (const from of windowStarts(words)) {
    const to = Math.min(words, from + WINDOW_WORDS);
    const count = (counts[to] ?? 0) - (counts[from] ?? 0);
    const sum = ((sums[to] ?? 0) - (sums[from] ?? 0)) / Math.sqrt(Math.max(1, count));
    if (sum <= best) continue;
    best = sum;
    first = from;
  }
  return {
    score: probability(model, best + model.bias),
    start: starts[first] ?? 0,
    end: ends[Math.min(words, first + WINDOW_WORDS) - 1] ?? text.length,
  };
}

/** The first words of the stretches by which a text of so many words is judged. */
export function* windowStarts(words: number): Generator<number> {
  yield 0;
  for (let from = STRIDE; from + STRIDE < words; from += STRIDE) yield from;
}

function probability({ slope, offset }: Model, sum: number): number {
  return 1 / (1 + Math.exp(-(slope * sum + offset)));
}

interface Sums {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Of the weights, and of the features, of all words before the n-th. */
  readonly sums: readonly number[];
  readonly counts: readonly number[];
}

function addUp({ weights, scale }: Model, text: string): Sums {
  const mask = weights.length - 1;
  const starts: number[] = [];
  const ends: number[] = [];
  const sums: number[] = [];
  const counts: number[] = [];
  let sum = 0;
  let count = 0;
  readFeatures(text, {
    word(start, end) {
      starts.push(start);
      ends.push(end);
      sums.push(sum * scale);
      counts.push(count);
    },
    feature(hash) {
      sum += weights[hash & mask] ?? 0;
      count += 1;
    },
  });
  sums.push(sum * scale);
  counts.push(count);
  return { starts, ends, sums, counts };
}

/** The file of a model: a line of JSON, and a byte for each weight. */
export function packModel({ weights, ...head }: Model): Buffer {
  const line = JSON.stringify({ ...head, features: FEATURES_VERSION, count: weights.length });
  return Buffer.concat([Buffer.from(`${line}\n`), Buffer.from(weights.buffer, weights.byteOffset, weights.length)]);
}

/** @throws Error where the file is none of these, or was trained for other features */
export function unpackModel(file: Buffer): Model {
  const end = file.indexOf(10);
  const { features, count, ...head } = JSON.parse(file.toString('utf8', 0, end)) as Omit<Model, 'weights'> & {
    features: number;
    count: number;
  };
  const weights = new Int8Array(file.subarray(end + 1));
  if (features !== FEATURES_VERSION || weights.length !== count || (count & (count - 1)) !== 0)
    throw new Error(`the model ${head.name} does not fit this version: train it again (models/README.md)`);
  return { ...head, weights };
}
