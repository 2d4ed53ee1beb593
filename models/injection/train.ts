/**
 * `node models/injection/train.ts <injection.public.jsonl.gz>`: makes `weights.bin` again, byte for byte, from the sets
 * that models/README.md names. Takes some minutes.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readWords } from '../../src/detectors/learned/features.ts';
import { judge, type Model } from '../../src/detectors/learned/model.ts';
import { ReadText } from '../../src/detectors/learned/read-text.ts';
import { exampleOf, learn, seeded, type Example, type Learned } from './learn.ts';
import { formsOf } from './forms.ts';
import { packModel } from './pack.ts';
import type { Row } from './row.ts';
import { allRows } from './rows.ts';

/** Some 64 words and more: shorter texts are not screened. */
const LONG_CHARS = 300;
/** Count it up with every training whose weights are committed. */
const VERSION = 2;
const SEED = 20_261_124;
/**
 * Sums that are scores of 0.5 and of 0.9. Of innocent texts of kinds that are not trained on (messages of other programs,
 * questions of benchmarks, texts that only sound like attacks) some 2 % are above the first, under 1 % above the other.
 */
const HALF_AT = 1.4;
const NINE_TENTHS_AT = 2.4;

export function trained(rows: readonly Row[]): Model {
  const examples = rows.flatMap(examplesOf);
  const slope = Math.log(9) / (NINE_TENTHS_AT - HALF_AT);
  const unscreened: Model = {
    name: 'injection',
    version: VERSION,
    ...inBytes(learn(examples, seeded(SEED))),
    slope,
    offset: -slope * HALF_AT,
    screen: -Infinity,
  };
  return { ...unscreened, screen: screenOf(unscreened, rows) };
}

function sumOfWords(model: Model, text: string): number {
  const read = new ReadText();
  read.begin(model);
  readWords(text, read);
  return read.sumOfDistinct({ start: 0, end: read.words });
}

/** Of four hundred long attacks that are found, one has words that add up to less. */
function screenOf(model: Model, rows: readonly Row[]): number {
  const sums: number[] = [];
  for (const { text, isAttack } of rows) {
    if (!isAttack || text.length < LONG_CHARS) continue;
    const found = judge(model, text);
    if (found.score >= 0.5) sums.push(sumOfWords(model, text.slice(found.start, found.end)));
  }
  const lowest = sums.toSorted((one, other) => one - other)[Math.floor(sums.length / 400)];
  return Math.floor(lowest ?? -Infinity);
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
