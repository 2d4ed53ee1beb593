import { MAX_FEATURES, writeFeatures } from '../../src/detectors/learned/features.ts';
import { eachStretch } from '../../src/detectors/learned/model.ts';
import { Outline } from '../../src/detectors/learned/outline.ts';

/** The number of weights is 2 to this power: 512 KiB. */
const BITS = 19;
const WEIGHTS = 2 ** BITS;

const EPOCHS = 4;
const RATE = 0.3;
const DECAY = 1e-6;
/** Share of features that a step leaves out at random, so that no phrase depends on one rare word. */
const DROPPED = 0.3;
/** Shorter stretches keep all their features. */
const LEAST_DROPPED_FROM = 8;
/** Number of models to average: a single one depends on the order of its examples. */
const MODELS = 3;
/** Maximum number of stretches of an innocent document per pass. */
const MAX_STRETCHES = 16;

/** A text as the stretches by which it is judged. Each stretch lists the positions of its features' weights. */
export interface Example {
  readonly stretches: readonly Int32Array[];
  readonly isAttack: boolean;
}

export interface Learned {
  readonly weights: Float32Array;
  bias: number;
}

const outline = new Outline();
const unknown = new Int8Array(1);
const hashes = new Int32Array(MAX_FEATURES);

export function exampleOf(text: string, isAttack: boolean): Example {
  outline.read(text, unknown);
  const features: number[] = [];
  const firsts: number[] = [];
  for (let word = 0; word < outline.words; word += 1) {
    firsts.push(features.length);
    const count = writeFeatures(outline, word, hashes);
    for (const hash of hashes.subarray(0, count)) features.push(hash & (WEIGHTS - 1));
  }
  const stretches: Int32Array[] = [];
  eachStretch(outline.words, (start, end) =>
    stretches.push(Int32Array.from(new Set(features.slice(firsts[start] ?? 0, firsts[end])))),
  );
  return { stretches: stretches.filter(({ length }) => length > 0), isAttack };
}

/** Returns the sum of a stretch. Values over 0 indicate an attack. */
function sumOf({ weights, bias }: Learned, places: Int32Array): number {
  let sum = 0;
  for (const place of places) sum += weights[place] ?? 0;
  return bias + sum / Math.sqrt(Math.max(1, places.length));
}

/** Returns the mean of several models, a model of the same size. */
export function learn(examples: readonly Example[], random: () => number): Learned {
  const mean: Learned = { weights: new Float32Array(WEIGHTS), bias: 0 };
  for (let model = 0; model < MODELS; model += 1) {
    const { weights, bias } = learnOnce(examples, random);
    for (const [place, weight] of weights.entries())
      mean.weights[place] = (mean.weights[place] ?? 0) + weight / MODELS;
    mean.bias += bias / MODELS;
  }
  return mean;
}

/**
 * Logistic regression by stochastic gradients (AdaGrad). Trains on the most suspicious stretch of an attack, since the
 * rest of a long text may be innocent, and on all stretches of an innocent text.
 */
function learnOnce(examples: readonly Example[], random: () => number): Learned {
  const learned: Learned = { weights: new Float32Array(WEIGHTS), bias: 0 };
  const squares = new Float32Array(WEIGHTS).fill(0.01);
  let biasSquares = 1;
  const order = examples.map((_, index) => index);
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    shuffle(order, random);
    for (const index of order) {
      const example = examples[index];
      if (example === undefined) continue;
      const learntFrom = chosen(learned, example, random);
      // A document counts for more than a sentence, but not for each of its stretches.
      const share = 1 / Math.sqrt(learntFrom.length);
      for (const all of learntFrom) {
        const places = thinned(all, random);
        if (places.length === 0) continue;
        const off = share * (1 / (1 + Math.exp(-sumOf(learned, places))) - (example.isAttack ? 1 : 0));
        step(learned.weights, squares, places, off / Math.sqrt(places.length));
        biasSquares += off * off;
        learned.bias -= (0.1 * RATE * off) / Math.sqrt(biasSquares);
      }
    }
  }
  return learned;
}

/** Reused by the next step. */
let kept = new Int32Array(0);

function thinned(places: Int32Array, random: () => number): Int32Array {
  if (places.length <= LEAST_DROPPED_FROM) return places;
  if (places.length > kept.length) kept = new Int32Array(places.length);
  let count = 0;
  for (const place of places) {
    if (random() < DROPPED) continue;
    kept[count] = place;
    count += 1;
  }
  return kept.subarray(0, count);
}

function step(weights: Float32Array, squares: Float32Array, places: Int32Array, gradient: number): void {
  for (const place of places) {
    const slope = gradient + DECAY * (weights[place] ?? 0);
    const square = (squares[place] ?? 0) + slope * slope;
    squares[place] = square;
    weights[place] = (weights[place] ?? 0) - (RATE * slope) / Math.sqrt(square);
  }
}

function chosen(
  learned: Learned,
  { stretches, isAttack }: Example,
  random: () => number,
): readonly Int32Array[] {
  if (stretches.length <= 1) return stretches;
  if (isAttack) {
    const sums = stretches.map((places) => sumOf(learned, places));
    return stretches.slice(sums.indexOf(Math.max(...sums))).slice(0, 1);
  }
  if (stretches.length <= MAX_STRETCHES) return stretches;
  const from = Math.floor(random() * (stretches.length - MAX_STRETCHES));
  return stretches.slice(from, from + MAX_STRETCHES);
}

function shuffle(order: number[], random: () => number): void {
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
  }
}

/** Returns numbers from 0 to 1, reproducible by seed (Numerical Recipes' linear congruential generator). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
