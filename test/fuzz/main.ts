/**
 * `npm run fuzz -- --surface <name> --minutes N --seed S`: runs cases of one surface, or of each in turn, and prints
 * the smallest case that fails with its seed and path. `--path P` repeats that case alone.
 */
import { parseArgs } from 'node:util';
import { runChild } from './run-child.ts';
import { SURFACE_NAMES, type SurfaceName } from './surfaces/index.ts';

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
for (const name of chosen) await fuzz(name);

async function fuzz(name: SurfaceName): Promise<void> {
  const seed = Number(values.seed);
  const { path } = values;
  const { runs, found, longestTurnMs } = await runChild(name, {
    seed,
    path,
    forMs: Number(values.minutes) * 60_000,
  });
  const turn = `longest turn ${longestTurnMs.toFixed(0)} ms`;
  process.stdout.write(`${name}: ${String(runs)} cases from seed ${String(seed)}, ${turn}\n`);
  if (found === undefined) return;
  const again = `npm run fuzz -- --surface ${name} --seed ${String(found.seed)}`;
  process.stdout.write(`${found.report}\nFAILED; to repeat: ${again} --path ${found.path || '0'}\n`);
  process.exitCode = 1;
}
