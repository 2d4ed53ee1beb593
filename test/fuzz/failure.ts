import type { Driven } from './drive.ts';
import type { SurfaceName } from './surfaces/index.ts';

/** The finding, with the command that repeats it; undefined for none. */
export function failureOf(name: SurfaceName, driven: Driven | undefined): string | undefined {
  if (driven === undefined) return `${name} did not run: the process ended before`;
  const { found, runs } = driven;
  if (found === undefined) return runs === 0 ? `${name} ran no case` : undefined;
  const path = found.path === '' ? '' : ` --path ${found.path}`;
  return `${found.report}\nFAILED; to repeat: npm run fuzz -- --surface ${name} --seed ${String(found.seed)}${path}`;
}
