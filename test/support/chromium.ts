import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { chromium, type Browser } from 'playwright-core';

import type { Environment } from '../../src/config/environment.ts';
import { unpackDebianPackages } from '../../src/runtime/debian-package.ts';
import { cacheDirectory, findOnPath, MissingPartError } from '../../src/runtime/program.ts';

const PACKAGE = {
  title: 'Chromium',
  names: ['chromium-headless-shell'],
  remedy: 'put chromium on PATH (Debian: apt-get install chromium)',
} as const;

const NAMES = ['chromium', 'chromium-headless-shell', 'chromium-browser', 'google-chrome'] as const;

interface ChromiumProgram {
  readonly path: string;
  /** Set for an unpacked package, whose libraries and fonts are not the system's. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a headless Chromium. The caller closes it. */
export async function startChromium(environment: Environment = process.env): Promise<Browser> {
  const { path, env } = await findChromium(environment);
  return chromium.launch({
    executablePath: path,
    // Containers have neither a user namespace for the sandbox nor a large /dev/shm. Only our own pages are opened.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    env: { ...environment, ...env },
  });
}

/**
 * Finds Chromium on PATH, or unpacks Debian's package into the per-user cache.
 * @throws MissingPartError with the remedy
 */
async function findChromium(environment: Environment = process.env): Promise<ChromiumProgram> {
  for (const name of NAMES) {
    const path = await findOnPath(name, environment);
    if (path !== undefined) return { path, env: {} };
  }
  const home = join(await cacheDirectory(environment), 'chromium-debian');
  const cached = programIn(home);
  if (cached !== undefined) return cached;
  await unpackDebianPackages(PACKAGE, home, environment, undefined);
  const unpacked = programIn(home);
  if (unpacked === undefined) {
    throw new MissingPartError(`${PACKAGE.title} from apt-get has no headless shell; ${PACKAGE.remedy}`);
  }
  return unpacked;
}

function programIn(home: string): ChromiumProgram | undefined {
  const [program] = globSync('usr/lib/chromium*/*headless*shell', { cwd: home });
  if (program === undefined) return undefined;
  const libraries = globSync('{usr/,}lib/*-linux-gnu{,/pulseaudio}', { cwd: home }).map((folder) =>
    join(home, folder),
  );
  const path = join(home, program);
  return { path, env: { LD_LIBRARY_PATH: [dirname(path), ...libraries].join(':') } };
}
