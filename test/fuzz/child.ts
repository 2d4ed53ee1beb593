/** The process that runs one surface: `child.ts <surface> <options as JSON>`. It tells its parent how far it is. */
import { drive, type DriveOptions } from './drive.ts';
import { SURFACES, type SurfaceName } from './surfaces/index.ts';

/** A process that stands still says nothing. */
const SAY_EVERY_MS = 500;

const [name = '', json = '{}'] = process.argv.slice(2);
const options = JSON.parse(json) as DriveOptions;
let at = { runs: 0, seed: options.seed };
const timer = setInterval(() => process.send?.({ at }), SAY_EVERY_MS);
const surface = await SURFACES[name as SurfaceName]();
const driven = await drive(surface, { ...options, onRun: (runs, seed) => (at = { runs, seed }) });
clearInterval(timer);
process.send?.({ at, driven });
process.disconnect();
