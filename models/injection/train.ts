/**
 * `node models/injection/train.ts <injection.public.jsonl.gz>` rebuilds `weights.bin`, byte for byte, from the sets that
 * models/README.md names. Takes several minutes.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { judge, type Model } from '../../src/detectors/learned/model.ts';
import { Outline } from '../../src/detectors/learned/outline.ts';
import { exampleOf, learn, seeded, type Example, type Learned } from './learn.ts';
import { formsOf } from './forms.ts';
import { packModel } from './pack.ts';
import type { Row } from './row.ts';
import { allRows } from './rows.ts';

/** Length of the documents in which attacks are hidden. */
const DOCUMENT_CHARS = 2_000;
/** Every n-th row is hidden in a document. */
const SCREENED_BY = 4;
/** The screen misses one attack in this many; fewer would slow down documents. */
const SCREEN_MISSES_BY = 300;
/** Increase it with every training whose weights are committed. */
const VERSION = 6;
const SEED = 20_261_124;
/** Weight of the model with `texts/` in the mean. A higher weight finds more attacks but raises more alarms on manuals. */
const TEXTS_SHARE = 0.6;
/**
 * Sums that mean scores of 0.5 and 0.9. Of innocent texts of kinds not used in training (messages of other programs,
 * benchmark questions, texts that only sound like attacks), about 2 % exceed the first and less than 1 % the second.
 */
const HALF_AT = 1.65;
const NINE_TENTHS_AT = 2.35;

/** Returns the mean of a model trained with `texts/` and one trained without. */
export function trained(rows: readonly Row[]): Model {
  const slope = Math.log(9) / (NINE_TENTHS_AT - HALF_AT);
  const withoutTexts = learned(rows.filter(({ set }) => !set.startsWith('texts-')));
  const unscreened: Model = {
    name: 'injection',
    version: VERSION,
    ...inBytes(mixed(withoutTexts, learned(rows))),
    slope,
    offset: -slope * HALF_AT,
    screen: -Infinity,
  };
  return { ...unscreened, screen: screenOf(unscreened, rows) };
}

function learned(rows: readonly Row[]): Learned {
  return learn(rows.flatMap(examplesOf), seeded(SEED));
}

function mixed(without: Learned, all: Learned): Learned {
  const between = (one: number, other: number): number => one + TEXTS_SHARE * (other - one);
  return {
    weights: without.weights.map((weight, place) => between(weight, all.weights[place] ?? 0)),
    bias: between(without.bias, all.bias),
  };
}

const outline = new Outline();

/** Returns the value that the screen compares: the sum of the weights of a text's single words. */
function sumOfWords({ weights }: Model, text: string): number {
  outline.read(text, weights);
  return outline.sumOfWords(0, outline.words);
}

/** Returns the sum that the words of attacks inside documents reach, except for one in `SCREEN_MISSES_BY`. */
function screenOf(model: Model, rows: readonly Row[]): number {
  const documents = rows.filter(({ set, text }) => set === 'documents' && text.length >= DOCUMENT_CHARS);
  const attacks = rows.filter(({ isAttack }, index) => isAttack && index % SCREENED_BY === 0);
  const sums = attacks.flatMap(({ text }, index) => {
    const document = documents[index % documents.length]?.text ?? '';
    const middle = DOCUMENT_CHARS / 2;
    const whole = `${document.slice(0, middle)}\n${text}\n${document.slice(middle)}`;
    const found = judge(model, whole);
    return found.score < 0.5 ? [] : [sumOfWords(model, whole.slice(found.start, found.end))];
  });
  return Math.floor(
    sums.toSorted((one, other) => one - other)[Math.floor(sums.length / SCREEN_MISSES_BY)] ?? -Infinity,
  );
}

/** Rows are read once for all models. */
const known = new WeakMap<Row, readonly Example[]>();

function examplesOf(row: Row): readonly Example[] {
  const read = known.get(row) ?? formsOf(row.text).map((form) => exampleOf(form, row.isAttack));
  known.set(row, read);
  return read;
}

/** Stores each weight in one byte; the few largest are clamped. */
function inBytes({ weights, bias }: Learned): Pick<Model, 'weights' | 'scale' | 'bias'> {
  const sizes = weights.map(Math.abs).toSorted();
  const scale = (sizes[Math.floor(sizes.length * 0.9995)] ?? 1) / 127;
  return { weights: Int8Array.from(weights, (weight) => clamped(Math.round(weight / scale))), scale, bias };
}

function clamped(value: number): number {
  return Math.max(-127, Math.min(127, value));
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (file === undefined)
    throw new Error('usage: node models/injection/train.ts <injection.public.jsonl.gz>');
  const rows = allRows(file, seeded(SEED));
  console.log(`${String(rows.length)} rows`);
  const path = join(import.meta.dirname, 'weights.bin');
  writeFileSync(path, packModel(trained(rows)));
  console.log(path);
}
