import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedisBreakerStore } from '../../../src/checks/mcp-breaker/store.ts';
import { createRedisRiskStore } from '../../../src/risk/redis-store.ts';
import { createRedisEscalationStore } from '../../../src/escalation/redis-store.ts';
import { createAcknowledgement } from '../../../src/redis/acknowledged.ts';
import { connectRedis, waitUntilReady, type RedisClient } from '../../../src/redis/client.ts';
import { scanForms } from '../../../src/redis/form-scan.ts';
import { quarantineKey, riskProfileKey, spendKey } from '../../../src/redis/keys.ts';
import { subscribe } from '../../../src/redis/subscribe.ts';
import { checkServer } from '../../../src/redis/server-check.ts';
import { moveSlot, slotOf, startTestCluster, type TestCluster } from '../../support/redis-cluster.ts';
import { until } from '../../support/redis-node.ts';
import { walkStores } from '../../support/redis-walk.ts';
import { newEscalation } from '../../support/new-escalation.ts';
import { DEFAULTS, describeRiskStore } from '../../contracts/risk-store.ts';
import {
  budgetStore,
  newKeyHash,
  redisSettings,
  reservation,
  USD,
  windowStatus,
} from '../checks/budget/support.ts';
import { breakerStoreContract, SETTINGS } from '../../contracts/mcp-breaker-store.ts';

const DEADLINE_MS = 2_500;

let cluster: TestCluster;
let client: RedisClient;

beforeAll(async () => {
  cluster = await startTestCluster();
  client = connectRedis(redisSettings(cluster.addrs[0] ?? '', { cluster: { addrs: [...cluster.addrs] } }), {
    name: 'cluster-test',
  });
  await waitUntilReady(client, 10_000);
});
afterAll(async () => {
  client.disconnect();
  await cluster.close();
});

/** A key whose state is on that master. */
function keyHashOn(master: number): string {
  for (;;) {
    const keyHash = newKeyHash();
    if (cluster.ownerOf(riskProfileKey(keyHash)) === master) return keyHash;
  }
}

describe('on a cluster of three masters', () => {
  describe('circuits', () => {
    breakerStoreContract((now) =>
      createRedisBreakerStore({ client, deadlineMs: DEADLINE_MS, ...SETTINGS, now }),
    );
  });

  describeRiskStore('risk and locks', (settings, clock) =>
    createRedisRiskStore({ client, deadlineMs: DEADLINE_MS, settings, now: () => clock.now }),
  );

  it.each([0, 1, 2])('every store works for a key whose state is on master %i', async (master) => {
    await walkStores(client, keyHashOn(master));
  });

  it('requests that wait for approval are opened, listed and answered on any master', async () => {
    const store = createRedisEscalationStore({ client, deadlineMs: DEADLINE_MS });
    const limits = { waitMs: 30_000, maxPending: 6, maxPendingPerKey: 2 };
    const keys = Array.from({ length: 6 }, (_, n) => ({ key_hash: `sha256:${String(n)}` }));
    const opened = await Promise.all(keys.map((key) => store.open(newEscalation(key), limits)));
    const waiting = opened.flatMap((one) => (one.kind === 'opened' ? [one.escalation] : []));
    expect((await store.list()).map(({ id }) => id).toSorted()).toEqual(
      waiting.map(({ id }) => id).toSorted(),
    );
    expect(await store.open(newEscalation(), limits)).toEqual({ kind: 'full' });
    for (const asked of waiting) {
      const { id, expiry } = asked;
      expect(await store.answer(id, 'yes', 30_000, '')).toBe('yes');
      expect(await store.poll([id])).toEqual([{ waits: true, answer: 'yes' }]);
      expect(await store.take(id, expiry)).toBe('taken');
      await store.close(asked, { type: 'escalation.resolved', id, outcome: 'approved' });
    }
    expect(await store.list()).toEqual([]);
  });

  it('a lock waits for the replica of its own master, and is refused without one', async () => {
    const settings = redisSettings('127.0.0.1:1', {
      cluster: { addrs: [...cluster.addrs] },
      wait_replicas: 1,
      wait_timeout: 300,
    });
    const acknowledgement = createAcknowledgement(settings, 'test');
    const risks = createRedisRiskStore({
      client,
      deadlineMs: DEADLINE_MS,
      settings: DEFAULTS,
      acknowledgement,
    });
    const locked = (keyHash: string) => risks.lock(keyHash, 60_000, 'one', { kind: 'operator' });
    try {
      for (const master of [0, 1, 2]) {
        let keyHash = newKeyHash();
        while (cluster.ownerOf(quarantineKey(keyHash)) !== master) keyHash = newKeyHash();
        if (master === 0) expect(await locked(keyHash)).toMatchObject({ ttlMs: 60_000 });
        else await expect(locked(keyHash)).rejects.toMatchObject({ type: 'redis_unavailable' });
      }
    } finally {
      acknowledgement?.close();
    }
  });

  it('unreadable data is found on each master', async () => {
    const ledgers = [0, 1, 2].map((master) => spendKey(keyHashOn(master), 'windows'));
    for (const ledger of ledgers) await client.set(ledger, Buffer.from([9, 0]));
    expect((await scanForms(client)).unknown).toEqual([{ form: 'ledger', version: '9', count: 3 }]);
    for (const ledger of ledgers) await client.del(ledger);
    expect((await scanForms(client)).unknown).toEqual([]);
  });

  it('a server that may evict is found, whichever it is', async () => {
    expect((await checkServer(client)).problems).toEqual([]);
    for (const node of [...cluster.masters, cluster.replica]) {
      await node.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
      expect((await checkServer(client)).problems).toEqual([
        expect.stringMatching(new RegExp(`${String(node.port)}.*maxmemory-policy allkeys-lru`)),
      ]);
      await node.client.config('SET', 'maxmemory-policy', 'noeviction');
    }
  });
});

describe('while the slot of a key moves to another server', () => {
  it('each hold is taken once, and the limit applies', async () => {
    const keyHash = keyHashOn(1);
    const limits = { daily: 30 * USD };
    const store = budgetStore(client);
    await store.reserve(reservation(keyHash, limits, USD));
    const running = new AbortController();
    const outcomes: string[] = [];
    const callers = Array.from({ length: 4 }, async () => {
      while (!running.signal.aborted) {
        outcomes.push(
          await store.reserve(reservation(keyHash, limits, USD)).then(
            ({ kind }) => kind,
            (cause: unknown) => String(cause),
          ),
        );
        await delay(5);
      }
    });
    await delay(30);
    await moveSlot(cluster.masters, slotOf(riskProfileKey(keyHash)), 1, 2);
    await until(() => Promise.resolve(outcomes.at(-1) === 'refused'), 'the budget is used up');
    running.abort();
    await Promise.all(callers);
    expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(29);
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ reserved: 30 * USD });
    // Requests during the move of the slot were refused, not admitted.
    const others = new Set(outcomes.filter((outcome) => outcome !== 'reserved' && outcome !== 'refused'));
    for (const other of others) expect(other).toContain('Redis is unavailable');
  });
});

describe('a published message', () => {
  const heard: string[] = [];
  let listener: RedisClient;
  beforeAll(async () => {
    const settings = redisSettings('127.0.0.1:1', { cluster: { addrs: [...cluster.addrs] } });
    listener = connectRedis(settings, { name: 'listener', mayBeSilent: true });
    await subscribe(listener, 'gateway:test:*', (_channel, message) => heard.push(message));
  });
  afterAll(() => listener.disconnect());

  it('is received from any server, and again after the listening connection was cut', async () => {
    for (const [nth, node] of cluster.masters.entries())
      await node.client.publish('gateway:test:a', `${nth}`);
    await expect.poll(() => heard.toSorted()).toEqual(['0', '1', '2']);
    // Whichever server it listens to.
    for (const node of [...cluster.masters, cluster.replica]) {
      await node.client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    }
    const last = cluster.masters[2];
    await expect
      .poll(async () => {
        await last?.client.publish('gateway:test:a', 'again');
        return heard.includes('again');
      })
      .toBe(true);
  });
});

describe('when a master hangs', () => {
  it('its keys are refused until its replica has taken over, and then everything continues', async () => {
    const hanging = cluster.masters[0];
    if (hanging === undefined) throw new Error('no first master');
    const [lost, kept] = [keyHashOn(0), keyHashOn(2)];
    const store = budgetStore(client);
    const reserve = (keyHash: string) => store.reserve(reservation(keyHash, { daily: 1_000 * USD }, 1));
    await Promise.all([reserve(lost), reserve(kept)]);
    await until(async () => (await cluster.replica.client.dbsize()) > 0, 'the replica has the keys');
    hanging.signal('SIGSTOP');
    const stopped = performance.now();
    await expect(reserve(lost)).rejects.toMatchObject({ type: 'redis_unavailable' });
    let longestMs = 0;
    await until(async () => {
      const asked = performance.now();
      try {
        return (await reserve(lost)).kind === 'reserved';
      } finally {
        longestMs = Math.max(longestMs, performance.now() - asked);
      }
    }, 'its replica serves');
    expect(performance.now() - stopped).toBeLessThan(10_000);
    expect(longestMs).toBeLessThan(DEADLINE_MS + 500);
    expect((await reserve(kept)).kind).toBe('reserved');
    // The replica does not know scripts that it never ran.
    await walkStores(client, keyHashOn(0));
  });
});
