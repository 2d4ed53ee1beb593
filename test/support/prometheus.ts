import { dirname, join } from 'node:path';
import type { Environment } from '../../src/config/environment.ts';
import { unpackDebianPackages } from '../../src/runtime/debian-package.ts';
import { cacheDirectory, findOnPath, isExecutable, MissingPartError } from '../../src/runtime/program.ts';

const PACKAGE = {
  title: 'Prometheus',
  names: ['prometheus'],
  remedy: 'put prometheus and promtool on PATH (Debian: apt-get install prometheus)',
} as const;

export interface PrometheusPrograms {
  readonly prometheus: string;
  readonly promtool: string;
}

/**
 * Finds Prometheus on PATH, or unpacks Debian's package into the per-user cache.
 * @throws MissingPartError with the remedy
 */
export async function findPrometheus(environment: Environment = process.env): Promise<PrometheusPrograms> {
  const onPath = await findOnPath('promtool', environment);
  const home = join(await cacheDirectory(environment), 'prometheus-debian');
  const found = (await programsIn(onPath && dirname(onPath))) ?? (await programsIn(join(home, 'usr', 'bin')));
  if (found !== undefined) return found;
  await unpackDebianPackages(PACKAGE, home, environment, undefined);
  const unpacked = await programsIn(join(home, 'usr', 'bin'));
  if (unpacked === undefined) {
    throw new MissingPartError(`${PACKAGE.title} from apt-get has no promtool; ${PACKAGE.remedy}`);
  }
  return unpacked;
}

async function programsIn(folder: string | undefined): Promise<PrometheusPrograms | undefined> {
  if (folder === undefined) return undefined;
  const programs = { prometheus: join(folder, 'prometheus'), promtool: join(folder, 'promtool') };
  const areThere = await Promise.all(Object.values(programs).map(isExecutable));
  return areThere.every(Boolean) ? programs : undefined;
}
