import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { cacheDirectory } from '../../src/runtime/program.ts';

export type Candidate = readonly [value: string, description: string];

export interface KeptScope {
  readonly kind: string;
  readonly prefix: string;
  readonly key: string;
  readonly path: string | undefined;
}

/** Lifetime of cached values: long enough for repeated Tabs, short enough to show new keys soon. */
const KEPT_MS = 15_000;
const MAX_FILES = 32;
const PREFIX = 'completion-';

/** Returns candidates from the user's cache, or looks them up and caches them. Failures are also cached. */
export async function keptValues(
  env: Readonly<Record<string, string | undefined>>,
  scope: KeptScope,
  look: () => Promise<readonly Candidate[] | undefined>,
): Promise<readonly Candidate[]> {
  const directory = await cacheDirectory(env).catch(() => undefined);
  if (directory === undefined) return (await look()) ?? [];
  const file = join(directory, `${PREFIX}${nameOf(env, scope)}.json`);
  const kept = await readKept(file);
  if (kept !== undefined) return kept;
  const found = (await look()) ?? [];
  await keep(directory, file, found).catch(() => undefined);
  return found;
}

/** Hashes the scope, because other users may be able to list file names. */
function nameOf(env: Readonly<Record<string, string | undefined>>, scope: KeptScope): string {
  const parts = [
    resolve(scope.path ?? 'gateway.yaml'),
    env['REDIS_ADDR'],
    scope.kind,
    scope.prefix,
    scope.key,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

async function readKept(file: string): Promise<readonly Candidate[] | undefined> {
  try {
    const { mtimeMs } = await stat(file);
    if (Math.abs(Date.now() - mtimeMs) > KEPT_MS) return undefined;
    return JSON.parse(await readFile(file, 'utf8')) as readonly Candidate[];
  } catch {
    return undefined; // missing, or removed by another process
  }
}

async function keep(directory: string, file: string, found: readonly Candidate[]): Promise<void> {
  const others = (await readdir(directory)).filter((name) => name.startsWith(PREFIX));
  if (others.length >= MAX_FILES)
    await Promise.all(others.map((name) => rm(join(directory, name), { force: true })));
  const staging = `${file}.${String(process.pid)}`;
  await writeFile(staging, JSON.stringify(found), { mode: 0o600 });
  await rename(staging, file);
}
