import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { cacheDirectory } from '../runtime/program.ts';
import type { Environment } from '../runtime/program.ts';
import { createRunDirectory } from '../runtime/run-directory.ts';
import type { RunDirectory } from '../runtime/run-directory.ts';

/**
 * A private folder (0700) of one run for an agent's settings. Under the user's home where that can be written to: some
 * agents take no settings from below a folder that others can write to, such as the temporary one.
 */
export async function createPrivateFolder(environment: Environment): Promise<RunDirectory> {
  let path: string;
  try {
    path = await mkdtemp(join(await cacheDirectory(environment), 'exec-'));
  } catch {
    return createRunDirectory(environment);
  }
  return {
    path,
    file: (name) => join(path, name),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}
