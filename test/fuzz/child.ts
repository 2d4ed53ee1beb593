/**
 * The process that runs some surfaces, one after the other: `child.ts <surface,surface> <options as JSON>`. It tells
 * its parent how far it is, and what it found.
 */
import { drive, type DriveOptions } from './drive.ts';
import { SURFACES, type SurfaceName } from './surfaces/index.ts';

/** A process that stands still says nothing. */
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
