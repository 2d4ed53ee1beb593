import { describe, expect, it } from 'vitest';
import {
  createRedisBreakerStore,
  type RedisBreakerStoreOptions,
  type BreakerStore,
  type CircuitCaller,
} from '../../../../src/checks/mcp-breaker/store.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import {
  mcpBreakerKey,
  mcpFailuresKey,
  mcpKeyBreakerKey,
  mcpKeyFailuresKey,
} from '../../../../src/redis/keys.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { connect, useRedis } from '../budget/support.ts';
import {
  breakerStoreContract,
  CLOSED,
  newCall,
  newCaller,
  newKey,
  OPENED,
  SETTINGS,
} from '../../../contracts/mcp-breaker-store.ts';
import { slotOf } from '../../../support/redis-cluster.ts';

const DAY_MS = 86_400_000;

let redis: TestRedis;
let client: RedisClient;
useRedis((started) => ({ redis, client } = started));

function breakerStore(more: Partial<RedisBreakerStoreOptions> = {}): BreakerStore {
  return createRedisBreakerStore({ client, deadlineMs: 2_500, ...SETTINGS, ...more });
}

describe('circuits in Redis', () => {
  breakerStoreContract((now) => breakerStore({ now }));
});

describe('with two gateways', () => {
  it('failures add up, and of 50 simultaneous calls one becomes the probe', async () => {
    const second = await connect(redis.addr);
    const settings = { threshold: 6, windowMs: 200 };
    const stores = [breakerStore(settings), breakerStore({ ...settings, client: second })];
    const at = (nth: number): BreakerStore => stores[nth % 2] ?? breakerStore();
    const caller = newCaller();
    const changes = await Promise.all(
      Array.from({ length: 6 }, (_, nth) => at(nth).report(caller, newCall(), 'failed')),
    );
    expect(changes.flat()).toEqual(OPENED);
    for (const store of stores) expect(await store.read(caller)).toMatchObject({ kind: 'open' });
    await expect.poll(() => stores[1]?.read(caller), { timeout: 5_000 }).toEqual({ kind: 'half_open' });
    const calls = Array.from({ length: 50 }, newCall);
    const results = await Promise.all(calls.map((call, nth) => at(nth).takeProbe(caller, call)));
    const taken = results.flatMap(({ kind }, nth) => (kind === 'taken' ? [nth] : []));
    expect(taken).toHaveLength(1);
    // Whichever gateway reports the probe, both know of it.
    const [nth = 0] = taken;
    expect(await at(nth + 1).report(caller, calls[nth] ?? '', 'succeeded')).toEqual(CLOSED);
    for (const store of stores) expect(await store.read(caller)).toEqual({ kind: 'closed' });
    second.disconnect();
  });
});

describe('keys', () => {
  const keys = async (server: string): Promise<string[]> =>
    (await redis.client.keys(`*${server}*`)).toSorted();

  it('do not exist for a healthy server, and all others expire', async () => {
    const store = breakerStore();
    const caller = newCaller();
    const { server, keyHash } = caller;
    await store.read(caller);
    await store.takeProbe(caller, newCall());
    await store.report(caller, newCall(), 'succeeded');
    expect(await keys(server)).toEqual([]);
    await store.report(caller, newCall(), 'failed');
    const failures = [mcpFailuresKey(server), mcpKeyFailuresKey(server, keyHash)];
    expect(await keys(server)).toEqual(failures.toSorted());
    for (const key of failures) {
      const ttlMs = await redis.client.pttl(key);
      expect(ttlMs > 50_000 && ttlMs <= 60_000).toBe(true);
    }
    for (let nth = 0; nth < 5; nth++) await store.report(caller, newCall(), 'unreachable');
    const circuits = [mcpBreakerKey(server), mcpKeyBreakerKey(server, keyHash)];
    expect(await keys(server)).toEqual(circuits.toSorted());
    for (const key of circuits) expect(await redis.client.pttl(key)).toBeGreaterThan(DAY_MS);
  });

  it('of one server are in one slot for all callers', () => {
    const server = 'a.b-c_d';
    const all = [
      mcpFailuresKey(server),
      mcpKeyBreakerKey(server, newKey()),
      mcpKeyFailuresKey(server, newKey()),
    ];
    for (const key of all) expect(slotOf(key)).toBe(slotOf(mcpBreakerKey(server)));
  });

  it('of failures hold no more than needed to open a circuit', async () => {
    const store = breakerStore({ threshold: 7 });
    const caller = newCaller();
    const { server, keyHash } = caller;
    for (let nth = 0; nth < 6; nth++) await store.report(caller, newCall(), 'failed');
    expect(await redis.client.zcard(mcpKeyFailuresKey(server, keyHash))).toBe(6);
    expect(await redis.client.zcard(mcpFailuresKey(server))).toBe(3);
    for (let nth = 0; nth < 20; nth++) await store.report(caller, newCall(), 'failed');
    expect(await redis.client.zcard(mcpKeyFailuresKey(server, keyHash))).toBe(0);
    expect(await redis.client.zcard(mcpFailuresKey(server))).toBe(3);
    for (let nth = 0; nth < 20; nth++) await store.report(newCaller(server), newCall(), 'failed');
    expect(await redis.client.zcard(mcpFailuresKey(server))).toBe(0);
  });

  it.each([1, 2])(
    'with a threshold of %i, it takes three keys or that many lost connections',
    async (threshold) => {
      const store = breakerStore({ threshold });
      const { server } = newCaller();
      const shut = { circuit: 'server', change: 'opened' };
      for (let nth = 0; nth < 2; nth++) {
        const caller = newCaller(server);
        for (let failure = 0; failure < threshold; failure++)
          expect(await store.report(caller, newCall(), 'failed')).not.toContainEqual(shut);
        expect(await store.read(caller)).toMatchObject({ kind: 'open' });
      }
      expect(await store.read(newCaller(server))).toEqual({ kind: 'closed' });
      expect(await store.report(newCaller(server), newCall(), 'failed')).toContainEqual(shut);
      const other = newCaller();
      const told = [];
      for (let nth = 0; nth < threshold; nth++) told.push(...(await store.report(other, newCall(), 'lost')));
      expect(told).toEqual([shut, ...OPENED]);
    },
  );
});

describe('when Redis fails', () => {
  it.each<[string, (store: BreakerStore, caller: CircuitCaller) => Promise<unknown>]>([
    ['reading', (store, caller) => store.read(caller)],
    ['taking a probe', (store, caller) => store.takeProbe(caller, newCall())],
    ['reporting', (store, caller) => store.report(caller, newCall(), 'failed')],
  ])('%s is redis_unavailable', async (_what, ask) => {
    await redis.pause();
    try {
      await expect(ask(breakerStore({ deadlineMs: 100 }), newCaller())).rejects.toMatchObject({
        type: 'redis_unavailable',
      });
    } finally {
      await redis.resume();
    }
  });

  it('a damaged circuit is never read as a closed one', async () => {
    for (const keyOf of [
      ({ server }: CircuitCaller) => mcpBreakerKey(server),
      ({ server, keyHash }: CircuitCaller) => mcpKeyBreakerKey(server, keyHash),
    ]) {
      const caller = newCaller();
      await redis.client.set(keyOf(caller), 'x');
      await expect(breakerStore().read(caller)).rejects.toMatchObject({ type: 'redis_unavailable' });
      const other = newCaller();
      await redis.client.hset(keyOf(other), 'opened', 'x');
      await expect(breakerStore().read(other)).rejects.toMatchObject({ type: 'redis_unavailable' });
    }
  });
});
