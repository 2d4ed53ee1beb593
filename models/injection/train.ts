/**
 * `node models/injection/train.ts <injection.public.jsonl.gz>`: makes `weights.bin` again, byte for byte, from the sets
 * that models/README.md names. Takes some minutes.
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

/** Of a document in which an attack is looked for. */
const DOCUMENT_CHARS = 2_000;
/** One row in so many is put into one. */
const SCREENED_BY = 4;
/** One attack in so many is lost to the screen: fewer would cost time in documents. */
const SCREEN_MISSES_BY = 300;
/** Count it up with every training whose weights are committed. */
const VERSION = 6;
const SEED = 20_261_124;
/** Weight of the model with `texts/` in the mean: more finds more, and alarms more often on manuals. */
const TEXTS_SHARE = 0.6;
/**
 * Sums that are scores of 0.5 and of 0.9. Of innocent texts of kinds that are not trained on (messages of other programs,
 * questions of benchmarks, texts that only sound like attacks) some 2 % are above the first, under 1 % above the other.
 */
const HALF_AT = 1.65;
const NINE_TENTHS_AT = 2.35;

/** The mean of a model that learns from `texts/` and of one that does not. */
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

/** What the screen compares: the weights of a text's words by themselves. */
function sumOfWords({ weights }: Model, text: string): number {
  outline.read(text, weights);
  return outline.sumOfWords(0, outline.words);
}

/** What the words of attacks in the middle of documents add up to, all but one in `SCREEN_MISSES_BY`. */
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

/** Rows are read once, however many models learn from them. */
const known = new WeakMap<Row, readonly Example[]>();

function examplesOf(row: Row): readonly Example[] {
  const read = known.get(row) ?? formsOf(row.text).map((form) => exampleOf(form, row.isAttack));
  known.set(row, read);
  return read;
}

/** A byte a weight: the few that are larger than most are cut. */
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
