import { spawn, type ChildProcess } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import {
  cacheDirectory,
  dockerAnswers,
  findOnPath,
  isExecutable,
  MissingPartError,
  runFile,
  versionAtLeast,
  type TellProgress,
} from './program.ts';
import type { Environment } from '../config/environment.ts';
import { unpackDebianPackages } from './debian-package.ts';

const MIN_REDIS_VERSION = '7.0.0';

export const REDIS_IMAGE = 'redis:7';

export type RedisProgram =
  | { readonly kind: 'binary'; readonly path: string; readonly libraryPath?: string }
  | { readonly kind: 'docker'; readonly path: string };

const REMEDY = 'install redis-server 7 or newer and put it on PATH, or start docker';

/**
 * Finds a Redis server on PATH, in docker, or as a Debian package that is unpacked into the per-user cache.
 * @throws MissingPartError with the remedy
 */
export async function findRedisServer(
  environment: Environment,
  progress?: TellProgress,
): Promise<RedisProgram> {
  const onPath = await findOnPath('redis-server', environment);
  if (onPath !== undefined) {
    const version = await redisVersion(onPath);
    if (version !== undefined && versionAtLeast(version, MIN_REDIS_VERSION)) {
      return { kind: 'binary', path: onPath };
    }
    progress?.(
      `redis-server on PATH is ${version ?? 'of unknown version'}; ${MIN_REDIS_VERSION} or newer is needed`,
    );
  }
  if (await dockerAnswers(environment)) {
    return { kind: 'docker', path: (await findOnPath('docker', environment)) ?? 'docker' };
  }
  return fromDebianPackage(environment, progress);
}

async function redisVersion(path: string, libraryPath?: string): Promise<string | undefined> {
  const result = await runFile(path, ['--version'], {
    timeoutMs: 10_000,
    ...(libraryPath === undefined ? {} : { env: { LD_LIBRARY_PATH: libraryPath } }),
  });
  return /v=(\d+\.\d+\.\d+)/.exec(result.stdout)?.[1];
}

export async function fromDebianPackage(
  environment: Environment,
  progress: TellProgress | undefined,
): Promise<RedisProgram> {
  const home = join(await cacheDirectory(environment), 'redis-debian');
  const cached = await unpacked(home);
  if (cached !== undefined) return cached;

  // redis-tools contains the binary.
  const packages = { title: 'Redis', names: ['redis-server', 'redis-tools'], remedy: REMEDY };
  await unpackDebianPackages(packages, home, environment, progress);
  const program = await unpacked(home);
  if (program === undefined) {
    throw new MissingPartError(`the redis-server from apt-get is older than 7 or does not run; ${REMEDY}`);
  }
  progress?.('redis-server is ready');
  return program;
}

async function unpacked(home: string): Promise<RedisProgram | undefined> {
  const path = join(home, 'usr', 'bin', 'redis-server');
  if (!(await isExecutable(path))) return undefined;
  const libraries = join(home, 'usr', 'lib');
  const folders = await readdir(libraries).catch(() => []);
  const libraryPath = folders
    .filter((name) => name.includes('-linux-'))
    .map((name) => join(libraries, name))
    .join(':');
  const version = await redisVersion(path, libraryPath);
  if (version === undefined || !versionAtLeast(version, MIN_REDIS_VERSION)) return undefined;
  return { kind: 'binary', path, libraryPath };
}

/** Starts the server on loopback. A binary keeps its data in `directory`. */
export function spawnRedis(
  program: RedisProgram,
  options: { readonly port: number; readonly directory: string; readonly args: readonly string[] },
): ChildProcess {
  const port = String(options.port);
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  if (program.kind === 'docker') {
    const publish = ['-p', `127.0.0.1:${port}:6379`];
    const server = ['redis-server', ...options.args];
    const name = ['--name', containerName(options.port)];
    const args = ['run', '--rm', ...name, ...publish, REDIS_IMAGE, ...server];
    return spawn(program.path, args, { stdio, detached: true });
  }
  const own = ['--port', port, '--bind', '127.0.0.1', '--dir', options.directory];
  return spawn(program.path, [...own, ...options.args], {
    stdio,
    // In a separate process group, because Ctrl-C must reach only this process: Redis stops last.
    detached: true,
    env: program.libraryPath === undefined ? undefined : { LD_LIBRARY_PATH: program.libraryPath },
  });
}

export function containerName(port: number): string {
  return `ai-firewall-gateway-redis-${String(process.pid)}-${String(port)}`;
}
