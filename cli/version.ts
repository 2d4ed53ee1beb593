import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isObject } from '../src/json/is-object.ts';

/** The version and the commit, such as `0.2.0 (3f2a9c1d0b7e)`; the version alone where no commit is known. */
export function versionText(): string {
  // A package and an image carry `build.json`, stamped by the build.
  const { version, commit } = read('../build.json') ?? { ...read('../package.json'), commit: checkedOut() };
  const name = typeof version === 'string' ? version : 'unknown';
  return typeof commit === 'string' ? `${name} (${commit})` : name;
}

function read(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // not built, or not in a checkout
  }
}

/** The commit of a checkout, with `-dirty` where files differ from it. */
function checkedOut(): string | undefined {
  try {
    return commitOf(fileURLToPath(new URL('..', import.meta.url)));
  } catch {
    return undefined; // no git, or no repository
  }
}

/** @throws Error where git or its repository is missing */
export function commitOf(folder: string): string {
  const git = ['describe', '--always', '--dirty', '--exclude=*', '--abbrev=12'];
  return execFileSync('git', git, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}
