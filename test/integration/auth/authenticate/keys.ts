import { it, expect, vi, beforeEach } from 'vitest';
import { NO_RISK } from '../../../support/exchange.ts';
import { createKeyStateStore } from '../../../../src/auth/key-state-store.ts';
import { createRawKey, hashKey } from '../../../../src/auth/raw-key.ts';
import type { KeyRecord } from '../../../../src/auth/key-record.ts';
import { connectRedis } from '../../../../src/redis/client.ts';
import { defaultConfig } from '../../../support/default-config.ts';
import { quarantineKey } from '../../../../src/redis/keys.ts';
import { createAuthenticateAgain } from '../../../../src/auth/authenticate.ts';
import {
  redis,
  store,
  agent,
  present,
  failures,
  start,
  client,
  authenticate,
  refusal,
  riskProfile,
  setOverLimit,
} from './rig.ts';

export function goodKeys(): void {
  it('gives its record, its risk and no limits', async () => {
    const { rawKey, record } = await store.create(agent);
    expect(await present(rawKey)).toEqual({
      key: record,
      rawKeyHash: record.keyHash,
      budget: { limits: {} },
      facts: {
        agentRisk: NO_RISK,
        session: undefined,
        drift: undefined,
        prompt: undefined,
        judged: undefined,
      },
    });
    expect(failures).toEqual([]);
  });

  it('has its own budget, or the default one', async () => {
    const { rawKey, record } = await store.create(agent);
    await redis.client.hset('gateway:budget:default', { daily: '5000000000' });
    expect((await present(rawKey)).budget.limits).toEqual({ daily: 5_000_000_000 });

    await redis.client.hset(`gateway:budget:{gateway:risk_profile:${record.keyHash}}`, { minute: '7' });
    expect((await present(rawKey)).budget.limits).toEqual({ minute: 7 });
  });

  it('is read in one wait, and so is a rotated one once it is known', async () => {
    const { rawKey } = await store.create(agent);
    const rotated = (await store.rotate('agent-7', 60_000)).rawKey;
    for (const key of [rawKey, rotated]) await present(key);

    for (const key of [rawKey, rotated]) {
      let reads = 0;
      const seen = await commandsOf(async () => {
        const before = await readCalls();
        await present(key);
        reads = (await readCalls()) - before;
      });
      expect(seen.filter((name) => name !== 'info').toSorted()).toEqual(ONE_WAIT);
      // One arrives with the commands, one with the second INFO.
      expect(reads).toBeLessThanOrEqual(2);
    }
  });

  it('is recorded as used, at most once a minute, and never created again', async () => {
    const { rawKey, record } = await store.create(agent);
    await present(rawKey);
    await expect
      .poll(() => redis.client.hget(`gateway:key:${record.keyHash}`, 'last_used_at'))
      .not.toBeNull();
    const first = (await store.find(record.keyHash)).lastUsedAt;
    await present(rawKey);
    await start()({ rawKey, clientAddress: '192.0.2.7' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await store.find(record.keyHash)).lastUsedAt).toBe(first);

    const keys = createKeyStateStore({ client, deadlineMs: 500 });
    await redis.client.del(`gateway:key:${record.keyHash}`);
    keys.noteUse({ record, readAt: record.createdAt + 120_000 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await redis.client.exists(`gateway:key:${record.keyHash}`)).toBe(0);
  });
}

export function askedBeside(): void {
  it('has its use written with its reads once it was valid, and so has a rotated one; before that, after it was checked', async () => {
    const { rawKey, record } = await store.create(agent);
    const rotated = (await store.rotate('agent-7', 60_000)).rawKey;
    for (const key of [rawKey, rotated]) {
      const first = vi.fn();
      await authenticate({ rawKey: key, clientAddress: '192.0.2.7', onKnownKey: first });
      expect(first.mock.calls).toEqual([[record.keyHash]]);
      const again = vi.fn();
      const going = authenticate({ rawKey: key, clientAddress: '192.0.2.7', onKnownKey: again });
      expect(again.mock.calls).toEqual([[record.keyHash]]);
      await going;
      expect(again).toHaveBeenCalledTimes(1);
    }
  });

  it('has no use written if it was valid, and is now locked or revoked', async () => {
    const { rawKey, record } = await store.create({ ...agent, name: 'locked' });
    async function asked(): Promise<number> {
      const onKnownKey = vi.fn();
      await authenticate({ rawKey, clientAddress: '192.0.2.7', onKnownKey }).catch(() => undefined);
      return onKnownKey.mock.calls.length;
    }
    expect(await asked()).toBe(1);
    await redis.client.set(quarantineKey(record.keyHash), 'manual', 'PX', 60_000);
    // A write that is sent with the reads precedes their answer.
    expect([await asked(), await asked()]).toEqual([1, 0]);
    await redis.client.del(quarantineKey(record.keyHash));
    expect(await asked()).toBe(1);
    await store.revoke('locked');
    expect([await asked(), await asked()]).toEqual([1, 0]);
  });

  it('has no use written if it was never valid', async () => {
    const { rawKey } = await store.create({ ...agent, name: 'gone' });
    await store.revoke('gone');
    for (const key of [rawKey, createRawKey()]) {
      const onKnownKey = vi.fn();
      for (let attempt = 0; attempt < 2; attempt++) {
        await expect(authenticate({ rawKey: key, clientAddress: '192.0.2.7', onKnownKey })).rejects.toThrow();
      }
      expect(onKnownKey).not.toHaveBeenCalled();
    }
  });
}

/** How often Redis woke up to read from its sockets: commands that arrive together cost one. */
async function readCalls(): Promise<number> {
  return Number(/total_reads_processed:(\d+)/.exec(await redis.client.info('stats'))?.[1]);
}

const ONE_WAIT = ['get', 'hgetall', 'hgetall', 'hgetall', 'hmget', 'pttl', 'time'];

/** The commands that Redis received meanwhile, by name, without those of scripts, which are in capitals. */
async function commandsOf(work: () => Promise<unknown>): Promise<string[]> {
  const monitor = await redis.client.monitor();
  const seen: string[] = [];
  monitor.on('monitor', (_time: string, command: string[]) => seen.push(command[0] ?? ''));
  await work();
  await new Promise((resolve) => setTimeout(resolve, 50));
  monitor.disconnect();
  return seen.filter((name) => name === name.toLowerCase());
}

export function failureLimit(): void {
  beforeEach(() => {
    setOverLimit(true);
  });

  it.each(['unknown', 'revoked'])('costs one read for an %s key', async (state) => {
    const { rawKey } = await store.create({ ...agent, name: 'gone' });
    await store.revoke('gone');
    const tried = state === 'revoked' ? rawKey : createRawKey();
    const seen = await commandsOf(async () => {
      expect((await refusal(tried)).type).toBe('invalid_key');
    });
    expect(seen).toEqual(['hmget']);
  });

  it('is admitted with a valid key, and with a rotated one', async () => {
    const { rawKey, record } = await store.create(agent);
    const rotated = (await store.rotate('agent-7', 60_000)).rawKey;
    for (const key of [rawKey, rotated]) expect((await present(key)).key.keyHash).toBe(record.keyHash);
  });

  it.each(['expired', 'rotated out'])('is refused with a key that is %s', async (state) => {
    const { rawKey } = await store.create({
      ...agent,
      ...(state === 'expired' && { expiresInMs: 1 }),
    });
    if (state !== 'expired') await store.rotate('agent-7', 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await refusal(rawKey)).type).toBe('invalid_key');
  });
}

export function noKeys(): void {
  it('gets the same 401 for every fault', async () => {
    const revoked = await store.create({ ...agent, name: 'revoked' });
    await store.revoke('revoked');
    const expired = await store.create({ ...agent, name: 'expired', expiresInMs: 1 });
    const rotatedOut = await store.create({ ...agent, name: 'rotated' });
    await store.rotate('rotated', 0);
    await new Promise((resolve) => setTimeout(resolve, 5));

    const wrong = [undefined, '', 'gw-', createRawKey(), revoked.rawKey, expired.rawKey, rotatedOut.rawKey];
    for (const rawKey of wrong) {
      const { type, status, message, headers } = await refusal(rawKey);
      expect({ type, status, message, headers }).toEqual({
        type: 'invalid_key',
        status: 401,
        message: 'invalid proxy key',
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    expect(failures).toEqual(wrong.map(() => '192.0.2.7'));
  });

  it('is not accepted in a form derived from a hash', async () => {
    const { record } = await store.create(agent);
    expect((await refusal(record.keyHash)).type).toBe('invalid_key');
  });

  it('is reported before a lock and before a risk', async () => {
    const { rawKey, record } = await store.create(agent);
    await redis.client.set(`gateway:quarantine:${record.keyHash}`, '1');
    await redis.client.hset(`gateway:risk_profile:${record.keyHash}`, { risk_score: '100' });
    await store.revoke('agent-7');
    expect((await refusal(rawKey)).type).toBe('invalid_key');
  });
}

export function letInBefore(): void {
  const again = (key: KeyRecord, rawKeyHash: string | undefined, tokenEndsAt = Infinity) =>
    createAuthenticateAgain({ keys: createKeyStateStore({ client, deadlineMs: 500 }), riskProfile })({
      key,
      rawKeyHash,
      tokenEndsAt,
    });

  it('is admitted again as long as nothing has changed, and neither counted nor recorded', async () => {
    const { record } = await store.create(agent);
    const rotated = await store.rotate('agent-7', 60_000);
    for (const raw of [record.keyHash, hashKey(rotated.rawKey), undefined]) {
      await again(record, raw);
    }
    expect([(await store.find(record.keyHash)).lastUsedAt, failures]).toEqual([undefined, []]);
  });

  it.each<[string, string, (keyHash: string) => Promise<unknown>]>([
    ['it was revoked', 'invalid_key', (keyHash) => store.revoke(keyHash)],
    ['its raw key was rotated away', 'invalid_key', (keyHash) => store.rotate(keyHash, 0)],
    ['it is gone', 'invalid_key', (keyHash) => redis.client.del(`gateway:key:${keyHash}`)],
    ['it was locked', 'quarantined', (keyHash) => redis.client.set(`gateway:quarantine:${keyHash}`, '1')],
    [
      'it was blocked',
      'agent_risk_blocked',
      (keyHash) => redis.client.hset(`gateway:risk_profile:${keyHash}`, { risk_score: '91' }),
    ],
  ])('is refused once %s', async (_what, type, change) => {
    const { rawKey, record } = await store.create(agent);
    const { rawKeyHash } = await present(rawKey);
    await change(record.keyHash);
    await expect(again(record, rawKeyHash)).rejects.toMatchObject({ type });
    expect(failures).toEqual([]);
  });

  it('is refused once its JWT has expired', async () => {
    const { record } = await store.create(agent);
    await again(record, record.keyHash, Date.now() + 60_000);
    await expect(again(record, record.keyHash, Date.now() - 1)).rejects.toMatchObject({
      type: 'invalid_key',
    });
  });
}

export function onRecord(): void {
  const knows = (...raws: string[]): Promise<boolean> =>
    createKeyStateStore({ client, deadlineMs: 500 }).knowsAny(raws.map(hashKey));

  it('are reported in every state', async () => {
    const active = await store.create({ ...agent, name: 'active' });
    const expired = await store.create({ ...agent, name: 'expired', expiresInMs: 1 });
    const revoked = await store.create({ ...agent, name: 'revoked' });
    await store.revoke('revoked');
    const old = await store.create({ ...agent, name: 'rotated' });
    const next = await store.rotate('rotated', 0);
    for (const { rawKey } of [active, expired, revoked, old, next]) {
      expect(await knows(createRawKey(), rawKey, createRawKey())).toBe(true);
    }
    expect(await knows(createRawKey(), createRawKey())).toBe(false);
  });

  it('are read in one wait', async () => {
    const raws = Array.from({ length: 32 }, () => hashKey(createRawKey()));
    const keys = createKeyStateStore({ client, deadlineMs: 500 });
    await client.ping();
    const before = await readCalls();
    await keys.knowsAny(raws);
    // One arrives with the commands, one with the second INFO.
    expect((await readCalls()) - before).toBeLessThanOrEqual(2);
  });

  it('refuse the request if Redis does not answer', async () => {
    const other = connectRedis(defaultConfig({ redis: { addr: '127.0.0.1:1' } }).redis, { name: 'gone' });
    const keys = createKeyStateStore({ client: other, deadlineMs: 100 });
    await expect(keys.knowsAny([hashKey(createRawKey())])).rejects.toMatchObject({
      type: 'redis_unavailable',
    });
    other.disconnect();
  });
}

export function rotated(): void {
  it('keeps the old raw key during its grace period and not longer', async () => {
    const { rawKey, record } = await store.create(agent);
    const rotated = await store.rotate('agent-7', 300);
    expect((await present(rawKey)).key.keyHash).toBe(record.keyHash);
    expect((await present(rotated.rawKey)).key.keyHash).toBe(record.keyHash);

    await new Promise((resolve) => setTimeout(resolve, 350));
    expect((await refusal(rawKey)).type).toBe('invalid_key');
    expect((await present(rotated.rawKey)).key.keyHash).toBe(record.keyHash);
  });

  it.each([1, 2, 3])(
    'is refused with its first raw key, and each but the last, rotated %i times',
    async (times) => {
      const first = await store.create(agent);
      const raws = [first.rawKey];
      for (let time = 0; time < times; time += 1) {
        raws.push((await store.rotate('agent-7', 0)).rawKey);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const last = raws.pop();
      expect((await present(last)).key.keyHash).toBe(first.record.keyHash);
      for (const rawKey of raws) {
        expect((await refusal(rawKey)).type).toBe('invalid_key');
        setOverLimit(true);
        expect((await refusal(rawKey)).type).toBe('invalid_key');
        setOverLimit(false);
      }
    },
  );

  it('clears neither lock, nor risk, nor budget', async () => {
    const { record } = await store.create(agent);
    const { rawKey } = await store.rotate('agent-7', 0);
    await redis.client.hset(`gateway:budget:{gateway:risk_profile:${record.keyHash}}`, { daily: '1' });
    expect((await present(rawKey)).budget.limits).toEqual({ daily: 1 });

    await redis.client.set(`gateway:quarantine:${record.keyHash}`, '1', 'EX', 60);
    expect((await refusal(rawKey)).type).toBe('quarantined');
    await redis.client.hset(`gateway:risk_profile:${record.keyHash}`, { risk_score: '91' });
    expect((await refusal(rawKey)).type).toBe('agent_risk_blocked');
  });

  it('is revoked with all its raw keys', async () => {
    const { rawKey } = await store.create(agent);
    const rotated = await store.rotate('agent-7', 60_000);
    await present(rotated.rawKey);
    await store.revoke('agent-7');
    expect((await refusal(rawKey)).type).toBe('invalid_key');
    expect((await refusal(rotated.rawKey)).type).toBe('invalid_key');
  });
}
