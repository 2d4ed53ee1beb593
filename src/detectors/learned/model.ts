import type { Span } from '../../text/span.ts';
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
const STRETCH_WORDS = [64, 20];

/** Fewer are a name or a nod (`run_shell_command`, `Write`, `Continue`): too little to be sure of. */
const LEAST_WORDS = 4;

const NOTHING_SAID: Judgement = { score: 0, start: 0, end: 0 };

/** Judges the stretch of a text that is most likely an attack. Linear in the text, and pure. */
export function judge(model: Model, text: string): Judgement {
  const { starts, ends, firsts, features } = readText(text, model.weights.length - 1);
  const words = starts.length;
  if (words < LEAST_WORDS) return NOTHING_SAID;
  let best = -Infinity;
  let found: Span = { start: 0, end: words };
  for (const stretch of stretchesOf(words)) {
    const sum = sumOfDistinct(
      model,
      features,
      firsts[stretch.start] ?? 0,
      firsts[stretch.end] ?? features.length,
    );
    if (sum <= best) continue;
    best = sum;
    found = stretch;
  }
  return {
    score: probability(model, best + model.bias),
    start: starts[found.start] ?? 0,
    end: ends[found.end - 1] ?? text.length,
  };
}

/** Returns every stretch whose score is at least the threshold; they may overlap. Linear in the text, and pure. */
export function judgeEach(model: Model, text: string, threshold: number): readonly Judgement[] {
  const { starts, ends, firsts, features } = readText(text, model.weights.length - 1);
  const words = starts.length;
  if (words < LEAST_WORDS) return [];
  const found: Judgement[] = [];
  for (const stretch of stretchesOf(words)) {
    const from = firsts[stretch.start] ?? 0;
    const to = firsts[stretch.end] ?? features.length;
    const score = probability(model, sumOfDistinct(model, features, from, to) + model.bias);
    if (score < threshold) continue;
    found.push({ score, start: starts[stretch.start] ?? 0, end: ends[stretch.end - 1] ?? text.length });
  }
  return found;
}

/** The stretches by which a text of so many words is judged; offsets count words. */
export function* stretchesOf(words: number): Generator<Span> {
  for (const [index, size] of STRETCH_WORDS.entries()) {
    if (index > 0 && words <= size) return;
    yield { start: 0, end: Math.min(words, size) };
    for (let start = size / 2; start + size / 2 < words; start += size / 2)
      yield { start, end: Math.min(words, start + size) };
  }
}

function probability({ slope, offset }: Model, sum: number): number {
  return 1 / (1 + Math.exp(-(slope * sum + offset)));
}

interface ReadText {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Where the features of the n-th word begin. */
  readonly firsts: readonly number[];
  /** Places of weights. */
  readonly features: readonly number[];
}

function readText(text: string, mask: number): ReadText {
  const starts: number[] = [];
  const ends: number[] = [];
  const firsts: number[] = [];
  const features: number[] = [];
  readFeatures(text, {
    word(start, end) {
      starts.push(start);
      ends.push(end);
      firsts.push(features.length);
    },
    feature: (hash) => features.push(hash & mask),
  });
  return { starts, ends, firsts, features };
}

/** Marks what a stretch has been counted for; a mark of an earlier stretch is none. */
let marks = new Uint32Array(0);
let mark = 0;

/** Adds up the weights of some features, each once: what a table or a list repeats says no more than the first time. */
function sumOfDistinct(
  { weights, scale }: Model,
  features: readonly number[],
  from: number,
  to: number,
): number {
  if (marks.length < weights.length || mark === 0xffffffff) {
    marks = new Uint32Array(weights.length);
    mark = 0;
  }
  mark += 1;
  let sum = 0;
  let count = 0;
  for (let index = from; index < to; index += 1) {
    const place = features[index] ?? 0;
    if (marks[place] === mark) continue;
    marks[place] = mark;
    sum += weights[place] ?? 0;
    count += 1;
  }
  return (sum * scale) / Math.sqrt(Math.max(1, count));
}

/**
 * Reads the file of a model: a line of JSON, and a byte for each weight.
 * @throws Error where it is none, or was trained for other features
 */
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
