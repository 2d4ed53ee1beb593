import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  connectRedis,
  waitUntilReady,
  type RedisClient,
  type RedisSettings,
} from '../../../src/redis/client.ts';
import { withRedisDeadline } from '../../../src/redis/unavailable.ts';
import { linkToRedis, type RedisLink } from '../../support/redis-link.ts';
import { startTestRedis, useTestRedis } from '../../support/redis.ts';
import {
  budgetStore,
  newKeyHash,
  redisSettings,
  reservation,
  USD,
  windowStatus,
} from '../checks/budget/support.ts';
import { onLoopback } from '../../support/loopback.ts';

const READ_TIMEOUT_MS = 300;
const DEADLINE_MS = READ_TIMEOUT_MS + 500;
/** The longest wait between two attempts, the attempt itself, and a margin for a slow machine. */
const BACK_WITHIN_MS = 10_000;

const redis = useTestRedis({ args: ['--client-query-buffer-limit', '64mb'] });

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

async function link(): Promise<RedisLink> {
  const made = await linkToRedis(redis.port);
  cleanUp.push(() => made.close());
  return made;
}

async function open(
  addr: string,
  more: Partial<RedisSettings> = {},
  mayBeSilent = false,
): Promise<RedisClient> {
  const settings = {
    read_timeout: READ_TIMEOUT_MS,
    write_timeout: READ_TIMEOUT_MS,
    dial_timeout: 500,
    ...more,
  };
  const client = connectRedis(redisSettings(addr, settings), { name: 'test', mayBeSilent });
  cleanUp.push(() => client.disconnect());
  await waitUntilReady(client, 5_000);
  return client;
}

const get = (client: RedisClient): Promise<unknown> => withRedisDeadline(DEADLINE_MS, () => client.get('x'));
const outcome = (client: RedisClient): Promise<unknown> => get(client).catch(() => 'down');
const UNAVAILABLE = { type: 'redis_unavailable' };

describe('a broken connection is closed and replaced', () => {
  it.each([
    ['drips 4 bytes a second', (at: RedisLink) => at.drip(4)],
    ['drips a byte every 20 ms, so that replies come, and late', (at: RedisLink) => at.drip(50)],
    ['hangs', (at: RedisLink) => at.hang()],
  ])('when it %s', async (_what, begin) => {
    const wire = await link();
    const client = await open(wire.addr);
    begin(wire);
    const until = performance.now() + 3_000;
    let answered = 0;
    while (performance.now() < until) {
      const asked = performance.now();
      const results = await Promise.all(Array.from({ length: 50 }, () => outcome(client)));
      answered += results.filter((result) => result !== 'down').length;
      expect(performance.now() - asked).toBeLessThan(DEADLINE_MS + 700);
      await delay(20);
    }
    // At most 150 bytes arrived in all that time.
    expect(answered).toBeLessThan(60);
    // Sequential attempts, each bounded, with increasing waits between them.
    expect(wire.connections()).toBeLessThan(12);
    wire.heal();
    await expect.poll(() => outcome(client), { timeout: BACK_WITHIN_MS, interval: 50 }).toBeNull();
  });

  it('on a node of a cluster too', async () => {
    const node = await startTestRedis({ args: ['--cluster-enabled', 'yes'] });
    cleanUp.push(() => node.close());
    const wire = await linkToRedis(node.port);
    cleanUp.push(() => wire.close());
    const [host = '', port = ''] = wire.addr.split(':');
    await node.configSet('cluster-announce-ip', host);
    await node.configSet('cluster-announce-port', port);
    await node.client.cluster('ADDSLOTSRANGE', 0, 16_383);
    const client = await open(wire.addr, { cluster: { addrs: [wire.addr] } });
    await expect.poll(() => outcome(client), { timeout: BACK_WITHIN_MS }).toBeNull();
    wire.drip(4);
    await expect(get(client)).rejects.toMatchObject(UNAVAILABLE);
    await delay(1_000);
    wire.heal();
    await expect.poll(() => outcome(client), { timeout: BACK_WITHIN_MS, interval: 50 }).toBeNull();
  });

  it('but one that may be silent is closed only during its set-up', async () => {
    const wire = await link();
    const client = await open(wire.addr, {}, true);
    const popped = client.blpop('never', 2);
    expect(await popped).toBeNull();
    expect(wire.connections()).toBe(1);
    wire.cut();
    wire.heal();
    wire.drip(4);
    const before = wire.connections();
    await expect.poll(() => wire.connections(), { timeout: BACK_WITHIN_MS }).toBeGreaterThan(before + 1);
    wire.heal();
    await expect.poll(() => outcome(client), { timeout: BACK_WITHIN_MS, interval: 50 }).toBeNull();
  });

  it('but not because this process was blocked', async () => {
    const wire = await link();
    const client = await open(wire.addr);
    const asked = [client.get('x'), client.get('x')];
    const until = performance.now() + 4 * READ_TIMEOUT_MS;
    while (performance.now() < until);
    expect(await Promise.all(asked)).toEqual([null, null]);
    expect(wire.connections()).toBe(1);
  });
});

describe('a command sent on it', () => {
  it('is charged once, whether Redis ran it or not, and whether it runs it late', async () => {
    const wire = await link();
    const client = await open(wire.addr);
    const store = budgetStore(client, { deadlineMs: DEADLINE_MS });
    const keyHash = newKeyHash();
    const reservations = Array.from({ length: 20 }, () => reservation(keyHash, { daily: 1_000 * USD }, USD));
    await Promise.all(reservations.slice(0, 10).map((held) => store.reserve(held)));
    wire.hang();
    // Ten settlements and ten reservations are in transit, and run when the connection recovers.
    const settled = reservations
      .slice(0, 10)
      .map((held) => store.settle({ ...held, costNanoUsd: 7, repeated: false }));
    const reserved = reservations.slice(10).map((held) => store.reserve(held));
    const results = await Promise.allSettled([...settled, ...reserved]);
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 'rejected'));
    wire.heal();
    await expect.poll(() => outcome(client), { timeout: BACK_WITHIN_MS, interval: 50 }).toBeNull();
    for (const held of reservations.slice(0, 10))
      await store.settle({ ...held, costNanoUsd: 7, repeated: true });
    for (const held of reservations.slice(10))
      await store.settle({ ...held, costNanoUsd: 0, repeated: true });
    const own = budgetStore(redis.client);
    expect(await windowStatus(own, keyHash, 'daily')).toMatchObject({ spent: 70, reserved: 0 });
  });

  it('is not sent again once no caller waits for it', async () => {
    const wire = await link();
    const client = await open(wire.addr);
    wire.breakAt(1, 'go away');
    const lost = client.incr('counted');
    lost.catch(() => undefined);
    await expect.poll(() => client.status).not.toBe('ready');
    // Back within the time for one more attempt, and so slow that no attempt completes.
    wire.heal();
    wire.drip(4);
    await expect(lost).rejects.toThrow();
    wire.heal();
    await expect.poll(() => outcome(client), { timeout: BACK_WITHIN_MS, interval: 50 }).toBeNull();
    await delay(500);
    expect(await redis.client.get('counted')).toBeNull();
  });
});

describe('redis.write_timeout', () => {
  const BIG = 'x'.repeat(10 * 1024 * 1024);

  it('closes a connection that accepts no more bytes, long before a reply is due', async () => {
    const wire = await link();
    const client = await open(wire.addr, { read_timeout: 60_000, write_timeout: 300 });
    wire.hang();
    const asked = performance.now();
    await expect(withRedisDeadline(60_500, () => client.set('big', BIG))).rejects.toMatchObject(UNAVAILABLE);
    expect(performance.now() - asked).toBeLessThan(10_000);
    wire.heal();
    await expect.poll(() => outcome(client), { timeout: BACK_WITHIN_MS, interval: 50 }).toBeNull();
  });

  it('does not apply to an accepted command whose reply is pending', async () => {
    let connections = 0;
    const { addr, close } = await onLoopback(createServer(() => (connections += 1)));
    cleanUp.push(close);
    const settings = redisSettings(addr, { read_timeout: 60_000, write_timeout: 100 });
    const client = connectRedis(settings, { name: 'test' });
    cleanUp.push(() => client.disconnect());
    await delay(1_500);
    expect(connections).toBe(1);
  });

  it('keeps a slow reader that accepts everything within the time', async () => {
    const wire = await link();
    const client = await open(wire.addr, { read_timeout: 60_000, write_timeout: 30_000 });
    const connections = wire.connections();
    wire.hang();
    const written = client.set('big', BIG);
    await delay(1_000);
    wire.heal();
    expect(await written).toBe('OK');
    expect(wire.connections()).toBe(connections);
  });
});
