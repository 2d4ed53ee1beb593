import { stat } from 'node:fs/promises';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { join } from 'node:path';

import { cacheDirectory } from '../src/runtime/program.ts';

/**
 * Caches compiled code for later starts and for child processes, which halves their CPU use at start. Without a
 * writable cache, code is compiled as usual.
 */
export async function keepCompiledCode(env: NodeJS.ProcessEnv): Promise<void> {
  if (getCompileCacheDir() !== undefined) return; // set by NODE_COMPILE_CACHE
  try {
    const cache = await cacheDirectory(env);
    if (!(await isOurs(cache))) return;
    const directory = join(cache, 'compiled');
    enableCompileCache(directory);
    env['NODE_COMPILE_CACHE'] = directory;
  } catch {
    // The home directory is not writable, as in a container with a read-only root.
  }
}

/** Any user who can write to the cache decides which code we run. */
async function isOurs(directory: string): Promise<boolean> {
  const { uid, mode } = await stat(directory);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}
