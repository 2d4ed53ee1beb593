import { lstat, readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Size that triggers pruning: room for several builds of about 12 MB each. */
const MAX_BYTES = 67_108_864;
/** Size after pruning, with room for further builds. */
const KEPT_BYTES = 33_554_432;

interface CompiledFile {
  readonly path: string;
  readonly bytes: number;
  readonly usedMs: number;
}

/**
 * Removes the least recently used compiled code, such as that of earlier builds and Node versions, once the cache
 * exceeds 64 MiB. Safe while other processes read, write or prune, because Node recompiles missing code.
 * @param directory as passed to `enableCompileCache`; contains one folder per Node version
 */
export async function pruneCompiledCode(
  directory: string,
  { maxBytes = MAX_BYTES, keptBytes = KEPT_BYTES } = {},
): Promise<void> {
  const folders = (await readdir(directory, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && entry.name.startsWith('v'))
    .map(({ name }) => join(directory, name));
  const files: CompiledFile[] = [];
  for (const folder of folders) files.push(...(await filesIn(folder)));
  let left = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (left <= maxBytes) return;
  for (const { path, bytes } of files.sort((one, other) => one.usedMs - other.usedMs)) {
    if (left <= keptBytes) break;
    await unlink(path).catch(ignoreMissing);
    left -= bytes;
  }
  // Fails harmlessly for folders that still contain files.
  for (const folder of folders) await rmdir(folder).catch(() => undefined);
}

/** Stats one file at a time, so that a running gateway stays responsive. */
async function filesIn(folder: string): Promise<readonly CompiledFile[]> {
  const files: CompiledFile[] = [];
  for (const name of (await readdir(folder).catch(ignoreMissing)) ?? []) {
    const path = join(folder, name);
    const found = await lstat(path).catch(ignoreMissing);
    if (found?.isFile() !== true) continue;
    files.push({ path, bytes: found.size, usedMs: Math.max(found.mtimeMs, found.atimeMs) });
  }
  return files;
}

/** Ignores files that another process has removed. */
function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
