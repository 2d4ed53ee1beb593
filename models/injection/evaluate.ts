/**
 * `node models/injection/evaluate.ts <injection.public.jsonl.gz> [<more>.jsonl.gz …]` reports what the model finds in sets
 * that it was not trained on, with and without the rules. Trains again without the public sets, without the rules of a
 * guard, and without each of two languages. Judges packages that are only measured, and other files, by the committed
 * weights.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { findPromptInjection } from '../../src/detectors/injection/prompt-injection.ts';
import { judge, unpackModel, type Model } from '../../src/detectors/learned/model.ts';
import { formsOf } from './forms.ts';
import { seeded } from './learn.ts';
import { MEASURED_PACKAGES } from './measured-packages.ts';
import { packageRows } from './packages.ts';
import type { Row } from './row.ts';
import { allRows } from './rows.ts';
import { lines } from './sources.ts';
import { trained } from './train.ts';

const OPENING_CHARS = 80;
const ALARMS = [0.001, 0.005, 0.01] as const;
/** Detectors of the `safety` preset. */
const THRESHOLDS = [0.5, 0.9] as const;

const [file, ...others] = process.argv.slice(2);
if (file === undefined)
  throw new Error('usage: node models/injection/evaluate.ts <public set> [<other set> …]');

const rows = allRows(file, seeded(1));
/** Rows left out of one training: a public set, or all own rows of one language. */
const leftOut: readonly (readonly string[])[] = [
  ...['s-labs', 'neuralchemy', 'spikee', 'agent-threat-rules'].map((set) => [set]),
  ...['it', 'zh'].map((language) =>
    ['own', 'texts', 'prose', 'manuals'].map((kind) => `${kind}-${language}`),
  ),
];
console.log(
  [
    'set',
    'attacks',
    'innocent',
    ...ALARMS.map((share) => `at ${percent(share)}`),
    'model',
    'with rules',
  ].join(' | '),
);
for (const sets of leftOut) {
  const model = trained(rows.filter(({ set }) => !sets.includes(set)));
  for (const set of sets) {
    // Some rows occur more than once.
    const measured = [...new Set(rows.filter((row) => row.set === set))];
    if (measured.some(({ isAttack }) => isAttack)) reportWithClear(`${set}, left out`, model, measured);
  }
}
const heldBack = rows.filter(({ isHeldBack }) => isHeldBack);
const inSample = trained(rows.filter(({ isHeldBack }) => !isHeldBack));
for (const set of new Set(heldBack.map((row) => row.set)))
  reportWithClear(
    `${set}, its held-back part`,
    inSample,
    heldBack.filter((row) => row.set === set),
  );
for (const [name, prefix] of [
  ['phrases', 'own-'],
  ['texts', 'texts-'],
] as const)
  for (const surface of ['alone', 'among others', 'in a document'])
    report(
      `${name}, held back, ${surface}`,
      inSample,
      heldBack.filter((row) => row.surface === surface && row.set.startsWith(prefix)),
    );
const shipped = unpackModel(readFileSync(join(import.meta.dirname, 'weights.bin')));
const onlyMeasured = packageRows(MEASURED_PACKAGES);
for (const set of new Set(onlyMeasured.map((row) => row.set)))
  report(
    set,
    shipped,
    onlyMeasured.filter((row) => row.set === set),
  );
for (const other of others) report(basename(other), shipped, labelledRows(other));

/** Drops innocent rows that begin like an attack of the same set: one template with both labels. */
function clearlyLabelled(measured: readonly Row[]): readonly Row[] {
  const openings = new Set(measured.filter(({ isAttack }) => isAttack).map(openingOf));
  return measured.filter(
    (row) => row.isAttack || row.text.length < OPENING_CHARS || !openings.has(openingOf(row)),
  );
}

/** Reports the public sets again without the rows that have both labels. */
function reportWithClear(name: string, model: Model, measured: readonly Row[]): void {
  report(name, model, measured);
  if (measured.some(({ surface }) => surface !== undefined)) return;
  const clear = clearlyLabelled(measured);
  if (clear.length < measured.length) report(`${name}, clearly labelled`, model, clear);
}

function openingOf({ text }: Row): string {
  return text.slice(0, OPENING_CHARS);
}

function labelledRows(path: string): readonly Row[] {
  const content = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(content) : content).toString();
  return lines<{ text: string; expect: { detect: boolean } }>(text).map(({ text, expect }) => ({
    set: path,
    text,
    isAttack: expect.detect,
    isHeldBack: true,
  }));
}

function report(name: string, model: Model, measured: readonly Row[]): void {
  const scored = measured.map(({ text, isAttack }) => ({
    isAttack,
    score: Math.max(...formsOf(text).map((form) => judge(model, form).score)),
    isByRules: formsOf(text).some((form) => findPromptInjection(form).length > 0),
  }));
  const attacks = scored.filter(({ isAttack }) => isAttack);
  const innocent = scored.filter(({ isAttack }) => !isAttack);
  const byScore = innocent.map(({ score }) => score).toSorted((a, b) => b - a);
  const found = ALARMS.map((share) => {
    const limit = byScore[Math.floor(byScore.length * share)];
    return limit === undefined ? '-' : shareOf(attacks, ({ score }) => score > limit);
  });
  const byThreshold = THRESHOLDS.map(
    (limit) =>
      `${shareOf(attacks, ({ score }) => score >= limit)} / ${shareOf(innocent, ({ score }) => score >= limit)}`,
  );
  const together = THRESHOLDS.map(
    (limit) =>
      `${shareOf(attacks, (one) => one.isByRules || one.score >= limit)} / ${shareOf(innocent, (one) => one.isByRules || one.score >= limit)}`,
  );
  const rules = `${shareOf(attacks, (one) => one.isByRules)} / ${shareOf(innocent, (one) => one.isByRules)}`;
  console.log(
    [
      name,
      attacks.length,
      innocent.length,
      ...found,
      byThreshold.join(', '),
      `${together.join(', ')} (rules ${rules})`,
    ].join(' | '),
  );
}

function shareOf<T>(list: readonly T[], test: (one: T) => boolean): string {
  return list.length === 0 ? '-' : percent(list.filter(test).length / list.length);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
