import { stat } from 'node:fs/promises';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { join } from 'node:path';

import { cacheDirectory } from '../src/runtime/program.ts';

/** Most commands have ended by then, and a gateway has started. */
const PRUNE_AFTER_MS = 10_000;

/**
 * Caches compiled code for later starts and for child processes, which halves their CPU use at start. Without a
 * writable cache, code is compiled as usual. A command that goes on prunes the cache once.
 */
export async function keepCompiledCode(env: NodeJS.ProcessEnv, pruneAfterMs = PRUNE_AFTER_MS): Promise<void> {
  if (getCompileCacheDir() !== undefined) return; // set by NODE_COMPILE_CACHE
  try {
    const cache = await cacheDirectory(env);
    if (!(await isOurs(cache))) return;
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
    // The cache is only a help: the next gateway tries again.
  }
}

/** Any user who can write to the cache decides which code we run. */
async function isOurs(directory: string): Promise<boolean> {
  const { uid, mode } = await stat(directory);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}
