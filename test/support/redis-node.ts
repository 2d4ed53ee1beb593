import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Redis } from 'ioredis';

import { startGuard, type Guard } from '../../src/runtime/guard.ts';
import { REDIS_IMAGE } from '../../src/runtime/redis-server.ts';
import { redisProgram } from './parts.ts';
import { freePort } from './ports.ts';

/** One server of a group, as a process that can be frozen and killed; a single one is `startTestRedis`. */
export interface RedisNode {
  readonly port: number;
  readonly addr: string;
  /** For assertions and commands to this server. */
  readonly client: Redis;
  readonly directory: string;
  /** Ends it like a crash. */
  kill(): Promise<void>;
  /** Starts it again on its port after `kill`. */
  revive(args: readonly string[]): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  close(): Promise<void>;
}

const ANSWERS_WITHIN_MS = 15_000;

let guard: Guard | undefined;

/**
 * Starts a server on a free port.
 * @param args its command line, from its port and its own folder
 */
export async function startRedisNode(
  args: (port: number, directory: string) => Promise<readonly string[]> | readonly string[],
): Promise<RedisNode> {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'gw-test-node-'));
  guard ??= startGuard();
  guard.watchDirectory(directory);
  let running = await launch(await args(port, directory), directory, guard);
  const client = new Redis({ host: '127.0.0.1', port, retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  async function kill(): Promise<void> {
    running.child.kill('SIGKILL');
    await running.exited;
  }
  const node: RedisNode = {
    port,
    addr: `127.0.0.1:${String(port)}`,
    client,
    directory,
    kill,
    revive: async (line) => {
      running = await launch(line, directory, guard);
    },
    signal: (name) => void running.child.kill(name),
    close: async () => {
      client.disconnect();
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
  const answered = await Promise.race([client.ping(), running.exited, delay(ANSWERS_WITHIN_MS)]);
  if (answered === 'PONG') return node;
  await node.close();
  throw new Error(`a Redis server does not answer on port ${String(port)}`);
}

async function launch(
  line: readonly string[],
  directory: string,
  watcher: Guard | undefined,
): Promise<{ readonly child: ChildProcess; readonly exited: Promise<unknown> }> {
  const child = await spawnServer(line, directory);
  const exited = once(child, 'exit');
  watcher?.watch(child.pid ?? 0);
  return { child, exited };
}

/** A container uses the machine's network: servers of a group and clients must reach it at the same address. */
async function spawnServer(args: readonly string[], directory: string): Promise<ChildProcess> {
  const program = await redisProgram();
  if (program.kind === 'docker') {
    const folder = ['-v', `${directory}:${directory}`, '--user', String(process.getuid?.() ?? 0)];
    const run = ['run', '--rm', '--init', '--network', 'host', ...folder, REDIS_IMAGE, 'redis-server'];
    return spawn(program.path, [...run, ...args], { stdio: 'ignore' });
  }
  const env = program.libraryPath === undefined ? undefined : { LD_LIBRARY_PATH: program.libraryPath };
  return spawn(program.path, args, { stdio: 'ignore', env });
}

/** Options of every server that holds data. */
export function dataArgs(port: number, directory: string): string[] {
  return [
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory],
    ...['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'],
    ...['--repl-diskless-sync-delay', '0'],
  ];
}

/** Repeats the check until it holds. */
export async function until(isSo: () => Promise<boolean>, what: string, timeoutMs = 20_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`not within ${String(timeoutMs)} ms: ${what}`);
    await delay(20);
  }
}
