import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAuthenticate } from '../../../src/auth/authenticate.ts';
import { createKeyStateStore } from '../../../src/auth/key-state-store.ts';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { createKeyUseStore } from '../../../src/auth/key-use-store.ts';
import { createRedisRiskStore } from '../../../src/risk/redis-store.ts';
import type { RiskSettings, RiskStore } from '../../../src/risk/store.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { waitUntilReady, type RedisClient } from '../../../src/redis/client.ts';
import { ScriptCommand } from '../../../src/redis/script-command.ts';
import {
  knownFlagsKey,
  operationKey,
  quarantineKey,
  riskProfileKey,
  scoredFindingsKey,
} from '../../../src/redis/keys.ts';
import { useTestRedis } from '../../support/redis.ts';
import { block, DAY_MS, DEFAULTS, describeRiskStore, eventOf } from '../../contracts/risk-store.ts';
import { scoreFromTwoProcesses } from './scorers.ts';
import { slotOf } from '../../support/redis-cluster.ts';

const redis = useTestRedis();
let client: RedisClient;

beforeAll(async () => {
  client = await redis.connect();
});

const newKeyHash = (): string => `sha256:${randomUUID()}`;

function storeWith(settings: Partial<RiskSettings> = {}): RiskStore {
  return createRedisRiskStore({ client, deadlineMs: 2_500, settings: { ...DEFAULTS, ...settings } });
}

describeRiskStore('in Redis', (settings, clock) =>
  createRedisRiskStore({ client, deadlineMs: 2_500, settings, now: () => clock.now }),
);

/** A client with a hook just before it writes a lock's key. */
function interrupted(happens: () => Promise<unknown>): RedisClient {
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]): Promise<unknown> => {
        const told = args.flatMap((arg) => (arg instanceof ScriptCommand ? arg.args : [arg]));
        if (told.some((arg) => String(arg).startsWith('gateway:quarantine:'))) await happens();
        return (member as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

describe('two simultaneous processes', () => {
  it('15 triggers of +5 add up to 75 and no lock; the 16th locks, once', async () => {
    const keyHash = newKeyHash();
    const flags = Array.from({ length: 16 }, (_, n) => eventOf(keyHash, { trigger: 'taint', flag: `f${n}` }));
    const first = await scoreFromTwoProcesses(redis.addr, flags.slice(0, 15));
    expect(first.filter(({ lock }) => lock !== undefined)).toEqual([]);
    expect((await storeWith().read(keyHash)).risk).toMatchObject({ riskScore: 75, quarantineActive: false });

    const last = flags.slice(15).concat(flags.slice(15)); // the same operation from both
    const locks = (await scoreFromTwoProcesses(redis.addr, last)).map(({ lock }) => lock);
    expect(locks).toEqual([{ ttlMs: 3_600_000 }, { ttlMs: 3_600_000 }]);
    expect(JSON.parse((await redis.client.get(quarantineKey(keyHash))) ?? '')).toEqual({
      id: flags[15]?.operationId,
      kind: 'risk_score',
      trigger: 'taint',
      threshold: 75,
    });
    expect(await redis.client.hget(riskProfileKey(keyHash), 'pending_lock_id')).toBeNull();
    expect((await storeWith().read(keyHash)).risk).toMatchObject({ riskScore: 80, quarantineActive: true });
  });

  it('of 16 simultaneous triggers of +5 exactly one locks', async () => {
    const keyHash = newKeyHash();
    const events = Array.from({ length: 16 }, (_, n) =>
      eventOf(keyHash, { trigger: 'taint', flag: `f${n}` }),
    );
    const locking = (await scoreFromTwoProcesses(redis.addr, events)).filter(({ lock }) => lock);
    expect(locking.map(({ riskScore }) => riskScore)).toEqual([80]);
    expect((await storeWith().read(keyHash)).lock?.ttlMs).toBeGreaterThan(3_590_000);
  });

  it('50 of +10 add up to 100, 50 policy blocks and one permanent block', async () => {
    const keyHash = newKeyHash();
    const outcomes = await scoreFromTwoProcesses(
      redis.addr,
      Array.from({ length: 50 }, () => eventOf(keyHash, block)),
    );
    expect(outcomes.filter(({ blocked }) => blocked)).toHaveLength(1);
    const { risk, lock } = await storeWith().read(keyHash);
    expect(risk).toMatchObject({ riskScore: 100, totalPolicyBlocks: 50 });
    expect(risk.blockedAt).toBeGreaterThan(Date.now() - 30_000);
    expect(lock?.ttlMs).toBeGreaterThan(3_590_000);
    expect(await redis.client.hget(riskProfileKey(keyHash), 'pending_lock_id')).toBeNull();
  });
});

describe('a writer that dies between the score and the lock', () => {
  it('leaves a lock that the edge respects, and that release removes', async () => {
    const keys = createKeyStore(client);
    const { rawKey, record } = await keys.create({ name: 'agent', provider: 'openai' });
    const dying = createRedisRiskStore({
      client: interrupted(() => Promise.reject(new Error('Connection is closed.'))),
      deadlineMs: 2_500,
      settings: DEFAULTS,
    });
    const cause = { kind: 'secret', rules: ['jwt'], place: { in: 'completion' } } as const;
    const secret = eventOf(record.keyHash, { trigger: 'secret_exfiltration', lockMs: 90_000, cause });
    await expect(dying.record(secret)).rejects.toMatchObject({ type: 'redis_unavailable' });
    expect(await redis.client.exists(quarantineKey(record.keyHash))).toBe(0);

    const authenticate = createAuthenticate({
      keys: createKeyStateStore({ client, deadlineMs: 2_500 }),
      failures: { count: () => undefined, isOver: () => false },
      heldAttempts: { count: () => undefined },
      riskProfile: defaultConfig().risk_profile,
    });
    const attempt = { rawKey, clientAddress: '192.0.2.7' };
    await expect(authenticate(attempt)).rejects.toMatchObject({
      type: 'quarantined',
      message: expect.stringMatching(
        /^this proxy key is locked for another 2 min, until \S+Z: a secret \(jwt\) was found in a completion\. /,
      ) as string,
    });
    const uses = createKeyUseStore({ client, sessionTtlMs: 1_000 });
    expect((await uses.active({ marked: true })).hashes).toContain(record.keyHash);
    const { lock } = await storeWith().read(record.keyHash);
    expect(lock).toEqual({ ttlMs: expect.closeTo(90_000, -4) as number, cause });

    expect(await storeWith().release(record.keyHash)).toBe(true);
    await expect(authenticate(attempt)).resolves.toMatchObject({ facts: { agentRisk: { riskScore: 30 } } });
  });

  it('passes the rest of its lock to the next, which clears only its own', async () => {
    const keyHash = newKeyHash();
    const dying = createRedisRiskStore({
      client: interrupted(() => Promise.reject(new Error('Connection is closed.'))),
      deadlineMs: 2_500,
      settings: DEFAULTS,
    });
    await dying
      .record(eventOf(keyHash, { trigger: 'secret_exfiltration', lockMs: 90_000 }))
      .catch(() => undefined);
    const next = eventOf(keyHash, { trigger: 'secret_exfiltration', lockMs: 1_000 });
    expect((await storeWith().record(next)).lock?.ttlMs).toBeGreaterThan(85_000);
    expect(await redis.client.pttl(quarantineKey(keyHash))).toBeGreaterThan(85_000);
    expect(await redis.client.hget(riskProfileKey(keyHash), 'pending_lock_id')).toBeNull();
  });

  it('does not clear the pending lock of another', async () => {
    const keyHash = newKeyHash();
    const profile = riskProfileKey(keyHash);
    const other = { pending_lock_id: 'other', pending_lock_until: String(Date.now() + 60_000) };
    const meddled = interrupted(() => redis.client.hset(profile, other));
    const store = createRedisRiskStore({ client: meddled, deadlineMs: 2_500, settings: DEFAULTS });
    await store.record(eventOf(keyHash, { trigger: 'secret_exfiltration', lockMs: 1_000 }));
    expect(await redis.client.hget(profile, 'pending_lock_id')).toBe('other');
  });
});

describe('with Redis alone', () => {
  it('deleting the lock key releases the key', async () => {
    const keyHash = newKeyHash();
    await storeWith().record(eventOf(keyHash, { trigger: 'secret_exfiltration', lockMs: 60_000 }));
    await redis.client.del(quarantineKey(keyHash));
    expect((await storeWith().read(keyHash)).lock).toBeUndefined();
  });

  it('a lock without an expiry is not shortened', async () => {
    const keyHash = newKeyHash();
    await redis.client.set(quarantineKey(keyHash), 'by hand');
    expect(await storeWith().lock(keyHash, 60_000, randomUUID())).toEqual({});
    expect(await redis.client.pttl(quarantineKey(keyHash))).toBe(-1);
  });

  it('risk_profile.ttl is the life of a profile after its last change; with 0, or a block, it does not expire', async () => {
    const keyHash = newKeyHash();
    const ttl = (): Promise<number> => redis.client.pttl(riskProfileKey(keyHash));
    await storeWith({ profileTtlMs: 60_000 }).record(eventOf(keyHash, block));
    expect(await ttl()).toBeGreaterThan(55_000);
    await storeWith({ profileTtlMs: 10 }).record(
      eventOf(keyHash, { trigger: 'secret_exfiltration', lockMs: 60_000 }),
    );
    expect(await ttl()).toBeGreaterThan(55_000); // as long as a lock that it may hold
    await storeWith().record(eventOf(keyHash, block));
    expect(await ttl()).toBe(-1);

    const short = storeWith({ profileTtlMs: 60_000 });
    for (let n = 0; n < 5; n++) await short.record(eventOf(keyHash, block));
    expect((await short.read(keyHash)).risk.blockedAt).toBeDefined();
    expect(await ttl()).toBe(-1);
  });

  it('counters that others keep in the profile are returned, and survive a reset', async () => {
    const keyHash = newKeyHash();
    await redis.client.hset(riskProfileKey(keyHash), { session_count: '3', total_spend: '2500000000' });
    await storeWith().record(eventOf(keyHash, block));
    await storeWith().reset(keyHash, randomUUID());
    expect((await storeWith().read(keyHash)).risk).toMatchObject({
      riskScore: 0,
      sessionCount: 3,
      totalSpendNanoUsd: 2_500_000_000,
    });
  });

  it('remembers at most 10,000 findings, and each for 24 hours', async () => {
    const keyHash = newKeyHash();
    const key = scoredFindingsKey(keyHash);
    const old = Date.now() - DAY_MS - 1;
    await redis.client.zadd(key, old, 'old');
    for (let n = 0; n < 10; n++) {
      await redis.client.zadd(
        key,
        ...Array.from({ length: 1_000 }, (_, i) => [Date.now(), `${n}-${i}`]).flat(),
      );
    }
    await storeWith().record(eventOf(keyHash, { ...block, findings: ['z:new'] }));
    expect(await redis.client.zcard(key)).toBe(10_000);
    expect(await redis.client.zscore(key, 'old')).toBeNull();
    expect(await redis.client.zscore(key, 'z:new')).not.toBeNull();
    expect(await redis.client.pttl(key)).toBeGreaterThan(DAY_MS - 60_000);
  });

  it('every key of a script is in the slot of the profile', () => {
    const keyHash = newKeyHash();
    const keys = [scoredFindingsKey(keyHash), operationKey(keyHash, 'risk:x'), knownFlagsKey(keyHash)];
    const slot = slotOf(riskProfileKey(keyHash));
    expect(keys.map(slotOf)).toEqual(keys.map(() => slot));
  });

  it.each([
    ['a damaged score', (key: string) => redis.client.hset(key, 'risk_score', 'high')],
    ['damaged flags', (key: string) => redis.client.hset(key, 'persistent_taint_flags', '["a"')],
    ['a profile of another kind', (key: string) => redis.client.set(key, 'text')],
  ])('is redis_unavailable, and writes nothing: %s', async (_name, damage) => {
    const keyHash = newKeyHash();
    await damage(riskProfileKey(keyHash));
    const before = await redis.client.dump(riskProfileKey(keyHash));
    const event = eventOf(keyHash, { trigger: 'secret_exfiltration', lockMs: 60_000, findings: ['a:b'] });
    await expect(storeWith().record(event)).rejects.toMatchObject({ type: 'redis_unavailable' });
    await expect(storeWith().read(keyHash)).rejects.toMatchObject({ type: 'redis_unavailable' });
    expect(await redis.client.dump(riskProfileKey(keyHash))).toEqual(before);
    expect(await redis.client.exists(scoredFindingsKey(keyHash), quarantineKey(keyHash))).toBe(0);
  });

  it('is redis_unavailable when Redis is gone', async () => {
    await redis.stop();
    const store = storeWith();
    const event = eventOf(newKeyHash(), block);
    for (const work of [
      store.record(event),
      store.read(event.keyHash),
      store.reset(event.keyHash, 'x'),
      store.lock(event.keyHash, 1_000, 'x'),
      store.release(event.keyHash),
    ]) {
      await expect(work).rejects.toMatchObject({ type: 'redis_unavailable' });
    }
    await redis.start();
    await waitUntilReady(client, 10_000);
  });
});
