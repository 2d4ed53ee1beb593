import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Environment } from '../config/environment.ts';
import { findOnPath, lastLine, MissingPartError, runFile, type TellProgress } from './program.ts';

export interface DebianPackages {
  readonly title: string;
  readonly names: readonly string[];
  readonly remedy: string;
}

/**
 * Unpacks Debian packages and their missing dependencies into the folder `home`. Installs nothing on the system.
 * @throws MissingPartError with the remedy
 */
export async function unpackDebianPackages(
  packages: DebianPackages,
  home: string,
  environment: Environment,
  progress: TellProgress | undefined,
): Promise<void> {
  const aptGet = await findOnPath('apt-get', environment);
  if (aptGet === undefined) throw new MissingPartError(`${packages.title} is missing; ${packages.remedy}`);
  const staging = `${home}.${String(process.pid)}-${randomBytes(4).toString('hex')}`;
  await mkdir(join(staging, 'partial'), { recursive: true, mode: 0o700 });
  try {
    progress?.(`Fetching ${packages.title} with apt-get (once; it is not installed as a service) …`);
    await download(packages, aptGet, staging, progress);
    await unpack(packages, staging);
    // Another process may have been faster; its copy is equivalent.
    await rename(staging, home).catch(() => undefined);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function download(
  { title, names, remedy }: DebianPackages,
  aptGet: string,
  into: string,
  progress: TellProgress | undefined,
): Promise<void> {
  const args = ['install', '-y', '--no-install-recommends', '--download-only', '--reinstall'];
  const options = ['-o', 'Debug::NoLocking=true', '-o', `Dir::Cache::archives=${into}`];
  const attempt = (): ReturnType<typeof runFile> =>
    runFile(aptGet, [...args, ...options, ...names], { timeoutMs: 300_000 });
  if ((await attempt()).ok) return;
  // A new system has no package lists yet.
  progress?.('Refreshing the package lists …');
  await runFile(aptGet, ['update'], { timeoutMs: 300_000 });
  const result = await attempt();
  if (!result.ok) {
    throw new MissingPartError(
      `${title} could not be fetched with apt-get (${lastLine(result.stderr)}); ${remedy}`,
    );
  }
}

async function unpack({ remedy }: DebianPackages, directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.endsWith('.deb')) continue;
    const archive = join(directory, name);
    const result = await runFile('dpkg-deb', ['-x', archive, directory], { timeoutMs: 60_000 });
    if (!result.ok) throw new MissingPartError(`${name} could not be unpacked; ${remedy}`);
    await rm(archive);
  }
}
