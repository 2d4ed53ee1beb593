/**
 * `npm run soak -- --minutes N`: requests of all kinds against a real gateway, with one fault after another. Fails on
 * anything left behind, leaked, or charged differently from the provider's count. `--report FILE` keeps the report.
 */
import { parseArgs } from 'node:util';
import { runTool } from '../support/vitest-run.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    report: { type: 'string' },
  },
});
if (!(Number(values.minutes) > 0)) throw new Error('--minutes is a number');
const environment = {
  SOAK_MINUTES: values.minutes,
  SOAK_SEED: values.seed,
  ...(values.report !== undefined && { SOAK_REPORT: values.report }),
};
const command = ['vitest', 'run', '--project', 'load', 'test/e2e/load/endurance.test.ts'] as const;
const run = await runTool(command, { output: 'show', environment });
process.exitCode = run.ok ? 0 : 1;
