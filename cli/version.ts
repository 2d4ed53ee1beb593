import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import type { BuildInfo } from '../src/admin/metrics.ts';
import { isObject } from '../src/json/is-object.ts';

/** Returns the version with the commit, such as `0.2.0 (3f2a9c1d0b7e)`, or without it if the commit is unknown. */
export function versionText(): string {
  const { version, commit } = buildInfo();
  return commit === undefined ? version : `${version} (${commit})`;
}

/** Returns the version, or `unknown`, and the commit if known. */
export function buildInfo(): BuildInfo {
  // Packages and images contain `build.json`, which the build writes.
  const { version, commit } = read('../build.json') ?? { ...read('../package.json'), commit: checkedOut() };
  return {
    version: typeof version === 'string' ? version : 'unknown',
    ...(typeof commit === 'string' && { commit }),
  };
}

function read(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // not built, or not in a checkout
  }
}

/** Returns the commit of a checkout, with `-dirty` if it has local changes. */
function checkedOut(): string | undefined {
  try {
    return commitOf(fileURLToPath(new URL('..', import.meta.url)));
  } catch {
    return undefined; // no git, or no repository
  }
}

/** @throws Error if git or its repository is missing */
export function commitOf(folder: string): string {
  const git = ['describe', '--always', '--dirty', '--exclude=*', '--abbrev=12'];
  return execFileSync('git', git, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}
