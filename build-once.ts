/** Builds that are kept in a folder until a source of this checkout changes. */
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = import.meta.dirname;
const BUILT_FROM = 'built-from.txt';

export interface KeptBuild {
  /** Must stay the same, because Node caches compiled code by file name. */
  readonly folder: string;
  /** Globs of everything that the build reads. */
  readonly sources: readonly string[];
  /** Builds into another folder, which exists and is empty. */
  readonly build: (folder: string) => Promise<unknown>;
}

/** Rebuilds the folder if a source has changed. Safe in several processes at the same time. */
export async function buildOnce({ folder, sources, build }: KeptBuild): Promise<void> {
  const digest = digestOf(sources);
  if (builtFrom(folder) === digest) return;
  // Other processes keep using the previous build until the new one is complete.
  const next = `${folder}-${String(process.pid)}`;
  try {
    mkdirSync(next, { recursive: true });
    await build(next);
    writeFileSync(join(next, BUILT_FROM), digest);
    rmSync(folder, { recursive: true, force: true });
    renameSync(next, folder);
  } catch (error) {
    // Another process may have been faster with the same sources.
    if (builtFrom(folder) !== digest) throw error;
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

function builtFrom(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, BUILT_FROM), 'utf8');
  } catch {
    return undefined; // no build yet
  }
}

function digestOf(sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of globSync([...sources], { cwd: ROOT }).toSorted()) {
    hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest('hex');
}
