import { stat } from 'node:fs/promises';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { join } from 'node:path';

import { cacheDirectory } from '../src/runtime/program.ts';

/**
 * Keeps compiled code for the next start, of this process and of its children: it takes half the CPU then. Where no
 * file can be kept, each compiles as it always would.
 */
export async function keepCompiledCode(env: NodeJS.ProcessEnv): Promise<void> {
  if (getCompileCacheDir() !== undefined) return; // NODE_COMPILE_CACHE has said where
  try {
    const cache = await cacheDirectory(env);
    if (!(await isOurs(cache))) return;
    const directory = join(cache, 'compiled');
    enableCompileCache(directory);
    env['NODE_COMPILE_CACHE'] = directory;
  } catch {
    // No home that can be written to, as in a container with a read-only root.
  }
}

/** Whoever can write there decides what we run. */
async function isOurs(directory: string): Promise<boolean> {
  const { uid, mode } = await stat(directory);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}
