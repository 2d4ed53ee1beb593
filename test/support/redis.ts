import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';

import { connectRedis, waitUntilReady, type RedisClient } from '../../src/redis/client.ts';
import { startGuard, type Guard } from '../../src/runtime/guard.ts';
import { startRedis } from '../../src/runtime/redis-process.ts';
import { defaultConfig } from './default-config.ts';
import { freePort } from './ports.ts';
import { dockerIsUp, redisProgram } from './parts.ts';
import type { RedisServer, TestRedisOptions } from './redis-options.ts';

export type { TestRedisOptions } from './redis-options.ts';

/** A real Redis for one test file, which a test may stop, freeze and restart. */
export interface TestRedis {
  readonly host: string;
  /** Unchanged by `stop` and `start`. */
  readonly port: number;
  /** `host:port`, as in `redis.addr`. */
  readonly addr: string;
  readonly url: string;
  readonly password: string | undefined;
  /** A client for assertions; works whenever the server is up. */
  readonly client: Redis;
  /** Returns a client as the gateway uses it, connected; `close` ends it. */
  connect(): Promise<RedisClient>;
  /** Ends the server like a crash: all data are lost. */
  stop(): Promise<void>;
  /** Starts it again on the same port, empty. */
  start(): Promise<void>;
  restart(): Promise<void>;
  /** Freezes it: connections stay open, nothing is answered. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  configSet(name: string, value: string): Promise<void>;
  flush(): Promise<void>;
  /** Ends everything; call it in `afterAll`. */
  close(): Promise<void>;
}

/** Starts a Redis before the tests of this file or group, and ends it after them; hooks and tests may use it. */
export function useTestRedis(options: TestRedisOptions = {}): TestRedis {
  const redis = {} as TestRedis;
  beforeAll(async () => void Object.assign(redis, await startTestRedis(options)));
  afterAll(() => redis.close());
  return redis;
}

export async function startTestRedis(options: TestRedisOptions = {}): Promise<TestRedis> {
  const port = await freePort();
  const password = options.password;
  const server = await (dockerIsUp() ? inContainer : asProcess)(port, options);
  await server.start();
  const client = new Redis({
    host: '127.0.0.1',
    port,
    ...(password === undefined ? {} : { password }),
    maxRetriesPerRequest: 20,
    retryStrategy: () => 50,
  });
  client.on('error', () => undefined);
  const connected: RedisClient[] = [];
  const credential = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
  return {
    host: '127.0.0.1',
    port,
    addr: `127.0.0.1:${String(port)}`,
    url: `redis://${credential}127.0.0.1:${String(port)}`,
    password,
    client,
    connect: async () => {
      const settings = { addr: `127.0.0.1:${String(port)}`, ...(password !== undefined && { password }) };
      const one = connectRedis(defaultConfig({ redis: settings }).redis, { name: 'test' });
      connected.push(one);
      await waitUntilReady(one, 5_000);
      return one;
    },
    stop: () => server.stop(),
    start: () => server.start(),
    restart: async () => {
      await server.stop();
      await server.start();
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
    configSet: async (name, value) => {
      await client.config('SET', name, value);
    },
    flush: async () => {
      await client.flushall();
    },
    close: async () => {
      for (const one of [client, ...connected]) one.disconnect();
      await server.resume();
      await server.stop();
      await server.close();
    },
  };
}

let guard: Guard | undefined;

/** Ends the servers of a test process that was killed before it could. */
function testGuard(): Guard {
  guard ??= startGuard();
  return guard;
}

async function asProcess(port: number, options: TestRedisOptions): Promise<RedisServer> {
  const program = await redisProgram();
  const directory = await mkdtemp(join(tmpdir(), 'gw-test-redis-'));
  let running: Awaited<ReturnType<typeof startRedis>> | undefined;
  function signal(name: NodeJS.Signals): Promise<void> {
    if (running !== undefined) process.kill(running.pid, name);
    return Promise.resolve();
  }
  return {
    start: async () => {
      running ??= await startRedis({
        program,
        directory,
        port,
        guard: testGuard(),
        ...(options.password === undefined ? {} : { password: options.password }),
        args: ['--enable-debug-command', 'local', ...(options.args ?? [])],
      });
    },
    stop: async () => {
      const last = running;
      running = undefined;
      await last?.stop();
    },
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Loaded only when used: the library costs a second. */
async function inContainer(port: number, options: TestRedisOptions): Promise<RedisServer> {
  const { containerRedis } = await import('./redis-container.ts');
  return containerRedis(port, options);
}
