import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { createKeyStateStore } from '../../../src/auth/key-state-store.ts';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import { GatewayError } from '../../../src/errors.ts';
import {
  connectRedis,
  waitUntilReady,
  type RedisClient,
  type RedisSettings,
  type RedisState,
} from '../../../src/redis/client.ts';
import { loadScript } from '../../../src/redis/script.ts';
import { checkServer } from '../../../src/redis/server-check.ts';
import { withRedisDeadline } from '../../../src/redis/unavailable.ts';
import { startTestRedis, type TestRedis, type TestRedisOptions } from '../../support/redis.ts';
import {
  budgetStore,
  newKeyHash,
  redisSettings,
  reservation,
  USD,
  windowStatus,
} from '../checks/budget/support.ts';
import { onLoopback } from '../../support/loopback.ts';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) {
    await undo();
  }
});

async function server(options: TestRedisOptions = {}): Promise<TestRedis> {
  const redis = await startTestRedis(options);
  cleanUp.push(() => redis.close());
  return redis;
}

function open(addr: string, more: Partial<RedisSettings> = {}, states: RedisState[] = []): RedisClient {
  const client = connectRedis(redisSettings(addr, { read_timeout: 300, write_timeout: 300, ...more }), {
    name: 'test',
    onState: (state) => states.push(state),
  });
  cleanUp.push(() => client.disconnect());
  return client;
}

const get = (client: RedisClient) => withRedisDeadline(800, () => client.get('x'));
const UNAVAILABLE = { type: 'redis_unavailable', status: 503 };

describe('while Redis is unreachable', () => {
  it('a command fails at once instead of waiting, and recovers by itself', async () => {
    const redis = await server();
    const states: RedisState[] = [];
    const client = open(redis.addr, {}, states);
    await waitUntilReady(client, 5_000);
    await redis.stop();
    await expect.poll(() => client.status).not.toBe('ready');
    const started = performance.now();
    await expect(get(client)).rejects.toMatchObject(UNAVAILABLE);
    expect(performance.now() - started).toBeLessThan(1_000);
    await redis.start();
    await expect.poll(() => get(client).catch(() => 'down'), { timeout: 10_000 }).toBeNull();
    expect(states).toEqual(['ready', 'down', 'ready']);
  });

  it('the client can start', async () => {
    const redis = await server();
    await redis.stop();
    const client = open(redis.addr);
    await expect(get(client)).rejects.toMatchObject(UNAVAILABLE);
    await expect(waitUntilReady(client, 300)).rejects.toThrow(/ECONNREFUSED/);
    await redis.start();
    await waitUntilReady(client, 10_000);
    expect(await get(client)).toBeNull();
  });

  it('a hung server counts as unreachable: the deadline holds, and nothing queues up behind it', async () => {
    const redis = await server();
    const client = open(redis.addr);
    await waitUntilReady(client, 5_000);
    await redis.pause();
    const started = performance.now();
    await expect(get(client)).rejects.toMatchObject(UNAVAILABLE);
    expect(performance.now() - started).toBeLessThan(1_000);
    await redis.resume();
    await expect.poll(() => get(client).catch(() => 'down'), { timeout: 10_000 }).toBeNull();
  });
});

describe('Redis is unavailable if it refuses:', () => {
  it('read-only', async () => {
    const redis = await server();
    const client = open(redis.addr);
    await waitUntilReady(client, 5_000);
    await redis.client.replicaof('127.0.0.1', 1);
    const write = () => withRedisDeadline(800, () => client.set('x', '1'));
    await expect(write()).rejects.toMatchObject(UNAVAILABLE);
    await redis.client.replicaof('NO', 'ONE');
    await expect.poll(() => write().catch(() => 'down'), { timeout: 10_000 }).toBe('OK');
  });

  it('out of memory: nothing is reserved partially, and held reservations can still be settled', async () => {
    const redis = await server();
    const client = open(redis.addr);
    await waitUntilReady(client, 5_000);
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const held = reservation(keyHash, { daily: 10 * USD }, USD);
    await store.reserve(held);
    await redis.configSet('maxmemory', '1');
    await expect(store.reserve(reservation(keyHash, { daily: 10 * USD }, USD))).rejects.toMatchObject(
      UNAVAILABLE,
    );
    await store.settle({ ...held, costNanoUsd: 5, repeated: false });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 5, reserved: 0 });
  });

  it('out of memory: limits are changed completely or not at all', async () => {
    const redis = await server();
    const client = open(redis.addr);
    await waitUntilReady(client, 5_000);
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    await store.setLimits(keyHash, { weekly: 10 * USD });
    await redis.configSet('maxmemory', '1');
    await expect(store.setLimits(keyHash, { daily: USD, weekly: null })).rejects.toMatchObject(UNAVAILABLE);
    expect(await store.getLimits(keyHash)).toEqual({ weekly: 10 * USD });
    await redis.configSet('maxmemory', '0');
    await store.setLimits(keyHash, { daily: USD, weekly: null });
    expect(await store.getLimits(keyHash)).toEqual({ daily: USD });
  });

  it('with a wrong password, which no error contains', async () => {
    const redis = await server({ password: 'right-password' });
    const client = open(redis.addr, { password: 'wrong-password-4711' });
    const failure = await get(client).catch((error: unknown) => error);
    expect(failure).toMatchObject(UNAVAILABLE);
    const reason: unknown = await waitUntilReady(client, 500).catch((error: unknown) => error);
    expect(String(reason)).toContain('WRONGPASS');
    expect(inspect([failure, reason], { depth: 10, showHidden: true })).not.toContain('4711');
  });

  it('without the required password', async () => {
    const redis = await server({ password: 'right-password' });
    const client = open(redis.addr);
    await expect(get(client)).rejects.toMatchObject(UNAVAILABLE);
  });

  it('sending garbage', async () => {
    const garbage = createServer((socket) => {
      socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    const { addr, close } = await onLoopback(garbage);
    cleanUp.push(close);
    const client = open(addr);
    await expect(get(client)).rejects.toMatchObject(UNAVAILABLE);
  });
});

describe('scripts', () => {
  it('continue after the script cache was flushed', async () => {
    const redis = await server();
    const client = open(redis.addr);
    await waitUntilReady(client, 5_000);
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    await store.reserve(reservation(keyHash, {}, 1));
    await redis.client.script('FLUSH');
    const results = await Promise.all(
      Array.from({ length: 20 }, () => store.reserve(reservation(keyHash, {}, 1))),
    );
    expect(results.every(({ kind }) => kind === 'reserved')).toBe(true);
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ reserved: 21 });
  });

  it('that fail count as unavailable too, with Redis’s error as the cause', async () => {
    const redis = await server();
    const client = open(redis.addr);
    await waitUntilReady(client, 5_000);
    const script = loadScript(new URL('fail.lua', import.meta.url));
    const failure: unknown = await withRedisDeadline(800, () => script.run(client, ['k'], [])).catch(
      (e: unknown) => e,
    );
    expect(failure).toMatchObject(UNAVAILABLE);
    expect(failure instanceof GatewayError && String(failure.cause)).toContain('broken on purpose');
  });

  it('do not charge twice when the connection breaks during them', async () => {
    const redis = await server();
    const client = open(redis.addr);
    await waitUntilReady(client, 5_000);
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    let reserved = 0;
    for (let round = 0; round < 20; round++) {
      const results = Promise.allSettled(
        Array.from({ length: 20 }, async () => {
          const held = reservation(keyHash, {}, 1);
          const settle = () => store.settle({ ...held, costNanoUsd: 1, repeated: true });
          await store.reserve(held);
          await settle().catch(settle);
        }),
      );
      await redis.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      reserved += (await results).filter(({ status }) => status === 'fulfilled').length;
      await waitUntilReady(client, 5_000);
    }
    const { spent, reserved: left } = await windowStatus(store, keyHash, 'daily');
    expect(spent).toBeGreaterThanOrEqual(reserved);
    expect(spent + left).toBeLessThanOrEqual(400);
  });
});

describe('the check of the server', () => {
  it('accepts Redis 7 without eviction', async () => {
    const redis = await server();
    const client = open(redis.addr);
    await waitUntilReady(client, 5_000);
    expect(await checkServer(client)).toEqual({
      version: expect.stringMatching(/^[78]\./),
      maxmemoryPolicy: 'noeviction',
      problems: [],
    });
  });

  it('names eviction and its remedy', async () => {
    const redis = await server({ args: ['--maxmemory-policy', 'allkeys-lru'] });
    const client = open(redis.addr);
    await waitUntilReady(client, 5_000);
    const { problems } = await checkServer(client);
    expect(problems).toEqual([expect.stringContaining('CONFIG SET maxmemory-policy noeviction')]);
  });
});

describe('on a cluster', () => {
  it('every script runs in one slot, and keys of several slots are read in parallel', async () => {
    const redis = await server({
      args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1'],
    });
    await redis.client.cluster('ADDSLOTSRANGE', 0, 16_383);
    const client = open(redis.addr, { cluster: { addrs: [redis.addr] } });
    await waitUntilReady(client, 10_000);
    const store = budgetStore(client);
    const keyHash = newKeyHash();
    const held = reservation(keyHash, { daily: 10 * USD }, USD);
    await expect
      .poll(() => store.reserve(held).catch(String), { timeout: 5_000 })
      .toMatchObject({ kind: 'reserved' });
    expect(await store.renew(keyHash, [held.operationId])).toEqual([]);
    await store.settle({ ...held, costNanoUsd: 7, repeated: false });
    await store.setLimits(keyHash, { daily: 1, hourly: null });
    expect(await store.getLimits(keyHash)).toEqual({ daily: 1 });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 7, reserved: 0 });
    const sessions = createRedisSessionStore({
      client,
      deadlineMs: 2_500,
      ttlMs: 60_000,
      maxPerKey: 0,
      maxLive: 1,
    });
    for (const sessionId of ['one', 'two']) {
      const step = { keyHash, sessionId, operationId: sessionId, maxSteps: 3, budgetNanoUsd: 5 };
      const result = await sessions.open(step);
      if (result.kind !== 'opened') throw new Error(`the store said ${result.kind}`);
      await sessions.noteAnswered(step, result.session.createdAt, 'the first request');
      await sessions.finish(step, result.session.createdAt);
    }
    expect((await sessions.list(keyHash)).map(({ id }) => id)).toEqual(['two']);
    expect((await redis.client.keys('*:one*')).length).toBe(0);
    const keys = createKeyStateStore({ client, deadlineMs: 2_500 });
    expect(await keys.readKeyState('sha256:none')).toBeUndefined();
    const others = await Promise.all(['a', 'b', 'c'].map((name) => client.get(name)));
    expect(others).toEqual([null, null, null]);
  });
});
