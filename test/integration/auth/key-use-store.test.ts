import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeyStore, type KeyStore } from '../../../src/auth/key-store.ts';
import { createKeyStateStore } from '../../../src/auth/key-state-store.ts';
import {
  createKeyUseStore,
  MOST_AT_ONCE,
  type ActiveKeys,
  type KeyUseStore,
} from '../../../src/auth/key-use-store.ts';
import { createAnnouncementStore } from '../../../src/operator/gateways/announcement-store.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import {
  KEY_INDEX,
  keyRecordKey,
  KEYS_BY_CREATION,
  KEYS_BY_USE,
  MARKED_KEYS,
  quarantineKey,
  riskProfileKey,
  USES_COMPLETE,
} from '../../../src/redis/keys.ts';
import { createRedisRiskStore } from '../../../src/risk/redis-store.ts';
import { DEFAULTS } from '../../contracts/risk-store.ts';
import { useTestRedis } from '../../support/redis.ts';
import { useKey } from '../../support/use-key.ts';
import { budgetStore, connect } from '../checks/budget/support.ts';

const DAY_MS = 86_400_000;
const TTL_MS = DAY_MS;

const redis = useTestRedis();
let client: RedisClient;
let keys: KeyStore;
let uses: KeyUseStore;
beforeAll(async () => {
  client = await connect(redis.addr);
  keys = createKeyStore(client);
  uses = createKeyUseStore({ client, sessionTtlMs: TTL_MS });
});
afterAll(() => client.disconnect());
beforeEach(() => redis.flush());

async function create(name: string): Promise<string> {
  return (await keys.create({ name, provider: 'openai' })).record.keyHash;
}

async function found(asked: ActiveKeys): Promise<readonly string[]> {
  const all: string[] = [];
  let after: string | undefined;
  do {
    const page = await uses.active(asked, after);
    all.push(...page.hashes);
    after = page.next;
  } while (after !== undefined);
  return all.toSorted();
}

const daysAgo = (days: number): number => Date.now() - days * DAY_MS;

/** The state that a gateway of an earlier release leaves. */
async function usedBefore(keyHash: string, at: number): Promise<void> {
  await client.hset(keyRecordKey(keyHash), 'last_used_at', at);
}

async function completed(): Promise<void> {
  const store = createKeyUseStore({ client, sessionTtlMs: TTL_MS });
  while (!(await store.complete()).isReady);
}

async function announcedGateway(): Promise<void> {
  await createAnnouncementStore({ client, deadlineMs: 2_500 }).leave('a gateway');
}

describe('the order of use', () => {
  it('has a key from its first request on, and none that was never used', async () => {
    const [used] = [await create('used'), await create('idle')];
    expect(await found({ usedSince: 0 })).toEqual([]);
    await useKey(client, used);
    expect(await found({ usedSince: 'spend' })).toEqual([used]);
    expect(await found({ usedSince: 'sessions' })).toEqual([used]);
    expect(await uses.latest(10)).toEqual([used]);
    expect((await uses.records([used, 'sha256:gone'])).map(({ name }) => name)).toEqual(['used']);
  });

  it('leaves out keys that were used too long ago to matter', async () => {
    for (const days of [1, 9, 39, 41]) await client.zadd(KEYS_BY_USE, daysAgo(days), `sha256:${days}`);
    expect(await found({ usedSince: 'sessions' })).toEqual(['sha256:1']);
    expect(await found({ usedSince: 'spend' })).toEqual(['sha256:1', 'sha256:39', 'sha256:9']);
    expect(await found({ usedSince: daysAgo(50) })).toHaveLength(4);
  });

  it('yields each of many keys once, including those used meanwhile', async () => {
    const hashes = Array.from(
      { length: MOST_AT_ONCE + 2_001 },
      (_, nth) => `sha256:${String(nth + 100_000)}`,
    );
    await client.zadd(KEY_INDEX, ...hashes.flatMap((hash) => [0, hash]));
    await client.zadd(KEYS_BY_USE, ...hashes.slice(0, -1_000).flatMap((hash) => [daysAgo(1), hash]));
    await client.zadd(MARKED_KEYS, '+inf', hashes.at(-1) ?? '');
    const first = await uses.active({ usedSince: 'spend', marked: true });
    const [read, unread] = [first.hashes[0] ?? '', hashes[MOST_AT_ONCE] ?? ''];
    await client.zadd(KEYS_BY_USE, Date.now(), read, Date.now(), unread);
    const all = [...first.hashes];
    for (let { next } = first; next !== undefined;) {
      const page = await uses.active({ usedSince: 'spend', marked: true }, next);
      all.push(...page.hashes);
      next = page.next;
    }
    expect(all).toEqual([...hashes.slice(0, -1_000), hashes.at(-1)]);
  });

  it('is written again after a write that failed', async () => {
    const keyHash = await create('planner');
    const failed: unknown[] = [];
    const states = createKeyStateStore({
      client,
      deadlineMs: 2_500,
      onNoteFailed: (failure) => failed.push(failure),
    });
    const state = await states.readNamedKey(keyHash);
    if (state === undefined) throw new Error('the key is gone');
    await client.set(KEYS_BY_USE, 'not a sorted set');
    states.noteUse(state);
    await expect.poll(() => failed).toHaveLength(1);
    await client.del(KEYS_BY_USE);
    states.noteUse(state);
    await expect.poll(() => uses.latest(1)).toEqual([keyHash]);
  });
});

describe('marks', () => {
  it('exist for a score, a lock, a block, and a limit of 0', async () => {
    const [scored, locked, blocked, limited] = ['sha256:a', 'sha256:b', 'sha256:c', 'sha256:d'] as const;
    const risks = createRedisRiskStore({ client, deadlineMs: 2_500, settings: DEFAULTS });
    await risks.record({ keyHash: scored, operationId: 'one', trigger: 'policy_block' });
    await risks.lock(locked, 90 * DAY_MS, 'two');
    for (const nth of [1, 2, 3, 4]) {
      const event = {
        keyHash: blocked,
        operationId: `three-${String(nth)}`,
        findings: [String(nth)],
        lockMs: 60_000,
      };
      await risks.record({ ...event, trigger: 'secret_exfiltration' });
    }
    await budgetStore(client).setLimits(limited, { daily: 0 });
    await budgetStore(client).setLimits('sha256:e', { daily: 1 });
    expect(await found({ marked: true })).toEqual([scored, locked, blocked, limited]);
    const [until, after, ...others] = await client.zmscore(MARKED_KEYS, scored, locked, blocked, limited);
    expect(Number(until)).toBeCloseTo(daysAgo(-40), -4);
    expect(Number(after)).toBeCloseTo(daysAgo(-90), -4);
    expect(others).toEqual(['inf', 'inf']);
  });

  it('are removed after they end, and are never shortened', async () => {
    await client.zadd(MARKED_KEYS, daysAgo(1), 'sha256:old', '+inf', 'sha256:blocked');
    const risks = createRedisRiskStore({ client, deadlineMs: 2_500, settings: DEFAULTS });
    await risks.lock('sha256:blocked', 60_000, 'one');
    expect(await client.zrange(MARKED_KEYS, 0, -1, 'WITHSCORES')).toEqual(['sha256:blocked', 'inf']);
  });
});

describe('after an upgrade', () => {
  beforeEach(async () => {
    for (const name of ['idle', 'used', 'held']) await create(name);
    await client.del(USES_COMPLETE, KEYS_BY_CREATION);
  });
  const hashOf = async (name: string): Promise<string> => (await keys.find(name)).keyHash;

  it('is complete at once only in a Redis without keys', async () => {
    await redis.flush();
    expect(await uses.isComplete()).toBe(false);
    await create('first');
    expect(await uses.isComplete()).toBe(true);
    await client.del(USES_COMPLETE);
    await create('second');
    expect(await uses.isComplete()).toBe(false);
  });

  it('has the uses, locks, blocks and scores that an earlier release left', async () => {
    const [used, held] = [await hashOf('used'), await hashOf('held')];
    await usedBefore(used, daysAgo(30));
    await client.hset(riskProfileKey(held), { blocked_at: String(daysAgo(300)) });
    await client.set(quarantineKey(used), 'by hand', 'PX', 60_000);
    await completed();
    expect(await found({ usedSince: 'spend' })).toEqual([used]);
    expect(await found({ marked: true })).toEqual([used, held].toSorted());
    expect(await uses.isComplete()).toBe(true);
    expect(await keys.count()).toEqual({ total: 3, isOrdered: true });
  });

  it('is not complete while an earlier release uses keys, but current whenever it is read', async () => {
    const [one, other] = [await hashOf('used'), await hashOf('held')];
    await usedBefore(one, Date.now() - 60_000);
    await completed();
    expect(await found({ usedSince: 'spend' })).toEqual([one]);
    expect(await uses.isComplete()).toBe(false);
    await usedBefore(other, Date.now() - 1_000);
    await completed();
    expect(await found({ usedSince: 'spend' })).toEqual([one, other].toSorted());
    expect(await uses.isComplete()).toBe(false);
  });

  describe('and a return to the earlier release', () => {
    it('is incomplete once a key is used that the earlier release has used', async () => {
      const [one, other] = [await hashOf('used'), await hashOf('held')];
      for (const hash of [one, other]) await useKey(client, hash);
      await completed();
      expect(await uses.isComplete()).toBe(true);
      const later = Date.now() + 10 * 60_000;
      for (const hash of [one, other]) await usedBefore(hash, later);
      const states = createKeyStateStore({ client, deadlineMs: 2_500 });
      const state = await states.readNamedKey(one);
      if (state === undefined) throw new Error('the key is gone');
      states.noteUse({ ...state, readAt: later + 60_000 });
      await expect.poll(() => uses.isComplete()).toBe(false);
      await completed();
      expect(await uses.latest(3)).toEqual([one, other]);
    });

    it('is complete for 15 minutes after the last gateway of this release', async () => {
      const left = async (): Promise<number> => (await client.pttl(USES_COMPLETE)) / 60_000;
      await completed();
      expect(await left()).toBeCloseTo(15, 0);
      await client.pexpire(USES_COMPLETE, 1_000);
      await announcedGateway();
      expect(await left()).toBeCloseTo(15, 0);
      await redis.flush();
      await announcedGateway();
      expect(await uses.isComplete()).toBe(false);
      await create('first');
      expect(await left()).toBeCloseTo(15, 0);
    });
  });

  it('is complete after a day in which only gateways of this release have used keys', async () => {
    const [one, other] = [await hashOf('used'), await hashOf('held')];
    await usedBefore(one, daysAgo(2));
    await useKey(client, other);
    await completed();
    expect(await found({ usedSince: 'spend' })).toEqual([one, other].toSorted());
    expect(await uses.isComplete()).toBe(true);
  });
});
