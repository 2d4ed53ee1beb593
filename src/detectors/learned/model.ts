import type { Span } from '../../text/span.ts';
import { FEATURES_VERSION, readFeatures } from './features.ts';
import { ReadText } from './read-text.ts';

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
  const read = readText(model, text);
  if (read.words < LEAST_WORDS) return NOTHING_SAID;
  const stretches = stretchesOf(read.words);
  let best = -Infinity;
  let found: Span = { start: 0, end: read.words };
  for (const stretch of stretches) {
    const sum = read.sumOfDistinct(stretch);
    if (sum <= best) continue;
    best = sum;
    found = stretch;
  }
  return { score: scoreOf(model, best, stretches.length), ...read.spanOf(found) };
}

/** Returns every stretch whose score is at least the threshold; they may overlap. Linear in the text, and pure. */
export function judgeEach(model: Model, text: string, threshold: number): readonly Judgement[] {
  const read = readText(model, text);
  if (read.words < LEAST_WORDS) return [];
  const stretches = stretchesOf(read.words);
  return stretches.flatMap((stretch) => {
    const score = scoreOf(model, read.sumOfDistinct(stretch), stretches.length);
    return score < threshold ? [] : [{ score, ...read.spanOf(stretch) }];
  });
}

/** Returns the stretches by which a text of so many words is judged; offsets count words. */
export function stretchesOf(words: number): readonly Span[] {
  const stretches: Span[] = [];
  for (const [index, size] of STRETCH_WORDS.entries()) {
    if (index > 0 && words <= size) break;
    stretches.push({ start: 0, end: Math.min(words, size) });
    for (let start = size / 2; start + size / 2 < words; start += size / 2)
      stretches.push({ start, end: Math.min(words, start + size) });
  }
  return stretches;
}

/** A text of more stretches has more chances to look like an attack by accident, so its odds count for less. */
const USUAL_STRETCHES = 32;

/** @param sum of the likeliest stretch, or of one of them, in units of the model's scale */
function scoreOf({ scale, bias, slope, offset }: Model, sum: number, stretches: number): number {
  const logOdds = slope * (sum * scale + bias) + offset;
  return 1 / (1 + Math.max(1, stretches / USUAL_STRETCHES) * Math.exp(-logOdds));
}

/** The last text that was read, in arrays that the next one uses again. */
const reading = new ReadText();

function readText(model: Model, text: string): ReadText {
  reading.begin(model);
  readFeatures(text, reading);
  return reading;
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
