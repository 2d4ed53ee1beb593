import { stat } from 'node:fs/promises';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { join } from 'node:path';

import { cacheDirectory } from '../src/runtime/program.ts';

/** Delay after which most commands have ended, and a gateway has started. */
const PRUNE_AFTER_MS = 10_000;

/**
 * Caches compiled code for later starts and child processes, which halves their CPU use at start. Without a private,
 * writable cache, code is compiled as usual. Commands that run longer than `pruneAfterMs` also prune the cache.
 */
export async function keepCompiledCode(env: NodeJS.ProcessEnv, pruneAfterMs = PRUNE_AFTER_MS): Promise<void> {
  if (getCompileCacheDir() !== undefined) return; // set by NODE_COMPILE_CACHE
  try {
    const cache = await cacheDirectory(env);
    if (!(await isPrivate(cache))) return;
    const directory = join(cache, 'compiled');
    enableCompileCache(directory);
    env['NODE_COMPILE_CACHE'] = directory;
    setTimeout(() => void prune(directory), pruneAfterMs).unref();
  } catch {
    // The home directory is not writable, as in a container with a read-only root.
  }
}

async function prune(directory: string): Promise<void> {
  try {
    const { pruneCompiledCode } = await import('./prune-compiled-code.ts');
    await pruneCompiledCode(directory);
  } catch {
    // The next start tries again.
  }
}

/** Reports whether only this user can write to the cache, which contains code that will be executed. */
async function isPrivate(directory: string): Promise<boolean> {
  const { uid, mode } = await stat(directory);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}
