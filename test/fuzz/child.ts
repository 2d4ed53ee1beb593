/**
 * The process that runs some surfaces, one after another: `child.ts <surface,surface> <options as JSON>`. It reports
 * its progress and its findings to its parent.
 */
import { drive, type DriveOptions } from './drive.ts';
import { SURFACES, type SurfaceName } from './surfaces/index.ts';

/** A hung process sends nothing. */
const SAY_EVERY_MS = 500;

const [names = '', json = '{}'] = process.argv.slice(2);
const options = JSON.parse(json) as DriveOptions;
for (const name of names.split(',') as SurfaceName[]) {
  let at = { name, runs: 0, seed: options.seed };
  const timer = setInterval(() => process.send?.({ at }), SAY_EVERY_MS);
  const surface = await SURFACES[name]();
  const driven = await drive(surface, { ...options, onRun: (runs, seed) => (at = { name, runs, seed }) });
  clearInterval(timer);
  process.send?.({ at, driven });
}
process.disconnect();
