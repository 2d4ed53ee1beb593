/**
 * `npm run fuzz -- --surface <name> --minutes N --seed S`: runs cases of one surface, or of each in turn, and prints
 * the smallest failing case with its seed and path. `--path P` repeats only that case.
 */
import { parseArgs } from 'node:util';
import { failureOf } from './failure.ts';
import { runChild } from './run-child.ts';
import { SURFACE_NAMES } from './surfaces/index.ts';

const { values } = parseArgs({
  options: {
    surface: { type: 'string' },
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    path: { type: 'string' },
  },
});
const chosen = SURFACE_NAMES.filter((name) => values.surface === undefined || values.surface === name);
if (chosen.length === 0) throw new Error(`--surface is one of ${SURFACE_NAMES.join(', ')}`);
const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
if (!Number.isInteger(seed) || !(minutes > 0)) throw new Error('--seed and --minutes are numbers');

for (const name of chosen) {
  const results = await runChild([name], { seed, path: values.path, forMs: minutes * 60_000 });
  const driven = results.get(name);
  const turn = `longest turn ${(driven?.longestTurnMs ?? 0).toFixed(0)} ms`;
  process.stdout.write(`${name}: ${String(driven?.runs)} cases from seed ${String(seed)}, ${turn}\n`);
  const failure = failureOf(name, driven);
  if (failure === undefined) continue;
  process.stdout.write(`${failure}\n`);
  process.exitCode = 1;
}
