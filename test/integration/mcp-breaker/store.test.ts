import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedisBreakerStore } from '../../../src/checks/mcp-breaker/redis-store.ts';
import type { RedisBreakerStoreOptions } from '../../../src/checks/mcp-breaker/redis-store.ts';
import type { BreakerStore } from '../../../src/checks/mcp-breaker/store.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import { mcpBreakerKey, mcpFailuresKey } from '../../../src/redis/keys.ts';
import { startTestRedis } from '../../support/redis.ts';
import type { TestRedis } from '../../support/redis.ts';
import { connect } from '../budget/support.ts';
import { breakerStoreContract, newCall, newServer, open, SETTINGS } from './contract.ts';

/** The slot of a key as the client library computes it; the package has no types. */
const calculateSlot = createRequire(import.meta.url)('cluster-key-slot') as (key: string) => number;

const DAY_MS = 86_400_000;

let redis: TestRedis;
let client: RedisClient;

beforeAll(async () => {
  redis = await startTestRedis();
  client = await connect(redis.addr);
});
afterAll(async () => {
  client.disconnect();
  await redis.close();
});

function breakerStore(more: Partial<RedisBreakerStoreOptions> = {}): BreakerStore {
  return createRedisBreakerStore({ client, deadlineMs: 2_500, ...SETTINGS, ...more });
}

describe('circuits in Redis', () => {
  breakerStoreContract((now) => breakerStore({ now }));
});

describe('with two gateways', () => {
  it('failures add up, and 50 that ask at once get one probe', async () => {
    const second = await connect(redis.addr);
    const settings = { threshold: 6, windowMs: 200 };
    const stores = [breakerStore(settings), breakerStore({ ...settings, client: second })];
    const at = (nth: number): BreakerStore => stores[nth % 2] ?? breakerStore();
    const server = newServer();
    const changes = await Promise.all(
      Array.from({ length: 6 }, (_, nth) => at(nth).report(server, newCall(), 'failed')),
    );
    expect(changes.filter((change) => change !== undefined)).toEqual(['opened']);
    for (const store of stores) expect(await store.read(server)).toMatchObject({ kind: 'open' });
    await expect.poll(() => stores[1]?.read(server), { timeout: 5_000 }).toEqual({ kind: 'half_open' });
    const calls = Array.from({ length: 50 }, newCall);
    const results = await Promise.all(calls.map((call, nth) => at(nth).takeProbe(server, call)));
    const taken = results.flatMap(({ kind }, nth) => (kind === 'taken' ? [nth] : []));
    expect(taken).toHaveLength(1);
    // Whichever gateway the probe is reported through, both know of it.
    const [nth = 0] = taken;
    expect(await at(nth + 1).report(server, calls[nth] ?? '', 'succeeded')).toBe('closed');
    for (const store of stores) expect(await store.read(server)).toEqual({ kind: 'closed' });
    second.disconnect();
  });
});

describe('keys', () => {
  it('of a healthy server are none, and all others have a life', async () => {
    const store = breakerStore();
    const server = newServer();
    await store.read(server);
    await store.takeProbe(server, newCall());
    await store.report(server, newCall(), 'succeeded');
    const keys = (): Promise<string[]> => redis.client.keys(`*${server}*`);
    expect(await keys()).toEqual([]);
    await store.report(server, newCall(), 'failed');
    expect(await keys()).toEqual([mcpFailuresKey(server)]);
    const ttlMs = await redis.client.pttl(mcpFailuresKey(server));
    expect(ttlMs > 50_000 && ttlMs <= 60_000).toBe(true);
    await open(store, server);
    expect(await keys()).toEqual([mcpBreakerKey(server)]);
    expect(await redis.client.pttl(mcpBreakerKey(server))).toBeGreaterThan(DAY_MS);
  });

  it('of one server lie in one slot', () => {
    const server = 'a.b-c_d';
    expect(calculateSlot(mcpFailuresKey(server))).toBe(calculateSlot(mcpBreakerKey(server)));
  });

  it('of failures hold no more than open the circuit', async () => {
    const store = breakerStore({ threshold: 3 });
    const server = newServer();
    for (let nth = 0; nth < 2; nth++) await store.report(server, newCall(), 'failed');
    expect(await redis.client.zcard(mcpFailuresKey(server))).toBe(2);
    for (let nth = 0; nth < 20; nth++) await store.report(server, newCall(), 'failed');
    expect(await redis.client.zcard(mcpFailuresKey(server))).toBe(0);
  });
});

describe('when Redis fails', () => {
  it.each<[string, (store: BreakerStore, server: string) => Promise<unknown>]>([
    ['reading', (store, server) => store.read(server)],
    ['taking a probe', (store, server) => store.takeProbe(server, newCall())],
    ['reporting', (store, server) => store.report(server, newCall(), 'failed')],
  ])('%s is redis_unavailable', async (_what, ask) => {
    await redis.pause();
    try {
      await expect(ask(breakerStore({ deadlineMs: 100 }), newServer())).rejects.toMatchObject({
        type: 'redis_unavailable',
      });
    } finally {
      await redis.resume();
    }
  });

  it('a damaged circuit is never read as a closed one', async () => {
    const server = newServer();
    await redis.client.set(mcpBreakerKey(server), 'x');
    await expect(breakerStore().read(server)).rejects.toMatchObject({ type: 'redis_unavailable' });
    const other = newServer();
    await redis.client.hset(mcpBreakerKey(other), 'opened', 'x');
    await expect(breakerStore().read(other)).rejects.toMatchObject({ type: 'redis_unavailable' });
  });
});
