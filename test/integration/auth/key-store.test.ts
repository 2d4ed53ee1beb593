import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeyStore, KeyError, type KeyStore } from '../../../src/auth/key-store.ts';
import { hashKey } from '../../../src/auth/raw-key.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { GatewayError } from '../../../src/errors.ts';
import { connectRedis, type RedisClient } from '../../../src/redis/client.ts';
import { useTestRedis } from '../../support/redis.ts';

const redis = useTestRedis();
let client: RedisClient;
let store: KeyStore;

beforeAll(async () => {
  client = await redis.connect();
  store = createKeyStore(client);
});
beforeEach(() => redis.flush());

const agent = { name: 'agent-7', provider: 'openai' } as const;

describe('creating a key', () => {
  it('returns the raw key once and stores only its hash', async () => {
    const { rawKey, record } = await store.create({ ...agent, owner: 'ops', tags: { team: 'a' } });

    expect(record).toMatchObject({ ...agent, owner: 'ops', tags: { team: 'a' }, keyHash: hashKey(rawKey) });
    expect(Math.abs(record.createdAt - Date.now())).toBeLessThan(5_000);
    const stored = await Promise.all(
      (await redis.client.keys('*')).map(async (key) => [
        key,
        (await redis.client.type(key)) === 'hash' ? await redis.client.hgetall(key) : '',
      ]),
    );
    expect(JSON.stringify(stored)).not.toContain(rawKey.slice(3));
  });

  it('keeps every field of the record', async () => {
    const { record } = await store.create({
      ...agent,
      agentName: 'planner',
      allowedTools: ['read_file', 'search'],
      allowedProviders: ['openai', 'anthropic'],
      allowedModels: ['gpt-4o*'],
      jwtSubject: 'sub-1',
      expiresInMs: 60_000,
    });

    expect(await store.find(record.keyHash)).toEqual(record);
    expect(record).toMatchObject({
      agentName: 'planner',
      allowedTools: ['read_file', 'search'],
      allowedProviders: ['openai', 'anthropic'],
      allowedModels: ['gpt-4o*'],
      jwtSubject: 'sub-1',
      expiresAt: record.createdAt + 60_000,
    });
  });

  it.each([
    { ...agent, name: '' },
    { ...agent, name: 'gw-looks-like-a-key' },
    { ...agent, name: 'line\nbreak' },
    { ...agent, provider: 'nobody' as 'openai' },
    { ...agent, expiresInMs: 0 },
  ])('refuses %j', async (key) => {
    await expect(store.create(key)).rejects.toThrow();
    expect(await redis.client.dbsize()).toBe(0);
  });
});

describe('the name of a key', () => {
  it('is refused while an active key has it, and no part of the refused key remains', async () => {
    const { record } = await store.create(agent);
    const before = await redis.client.keys('*');
    await expect(store.create(agent)).rejects.toThrow(/active key has the name "agent-7" \(sha256:/);
    await expect(store.create(agent)).rejects.toThrow(KeyError);
    expect((await redis.client.keys('*')).toSorted()).toEqual(before.toSorted());
    expect((await store.list()).keys).toEqual([record]);
  });

  it('goes to one of many keys that are created at the same time', async () => {
    const made = await Promise.allSettled(Array.from({ length: 20 }, () => store.create(agent)));
    const [winner, ...others] = made.filter(({ status }) => status === 'fulfilled');
    expect(others).toEqual([]);
    const { keys } = await store.list();
    expect(keys).toHaveLength(1);
    expect(winner).toMatchObject({ value: { record: keys[0] } });
  });

  it('is free once its key is revoked or expired, and then means the new key', async () => {
    await store.revoke((await store.create(agent)).record.keyHash);
    const short = await store.create({ ...agent, expiresInMs: 1 });
    await expect
      .poll(() =>
        store.create(agent).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const found = await store.find(agent.name);
    expect(found.revokedAt ?? found.expiresAt).toBeUndefined();
    expect(found.keyHash).not.toBe(short.record.keyHash);
  });

  it('means the newest of its keys if none is active', async () => {
    await store.revoke((await store.create(agent)).record.keyHash);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { record } = await store.create(agent);
    await store.revoke(record.keyHash);
    expect((await store.find(agent.name)).keyHash).toBe(record.keyHash);
  });

  it('of a key created by an earlier release is taken too', async () => {
    const { record } = await store.create(agent);
    await redis.client.del('gateway:key_names');
    await expect(store.create(agent)).rejects.toThrow(record.keyHash.slice(0, 23));
  });
});

describe('the order of creation', () => {
  async function inOrder(): Promise<readonly string[]> {
    return (await store.list(undefined, 'created')).keys.map(({ name }) => name);
  }

  it('has every key, also if a name was refused', async () => {
    const names = ['gamma', 'alpha', 'beta'];
    for (const name of names) {
      await store.create({ ...agent, name });
      // Creation times are in whole milliseconds.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await expect(store.create({ ...agent, name: 'alpha' })).rejects.toThrow(KeyError);
    expect(await store.count()).toEqual({ total: 3, isOrdered: true });
    expect(await inOrder()).toEqual(names);
  });

  it('is known to lack keys of an earlier release until the next key is created', async () => {
    for (const name of ['gamma', 'alpha']) {
      const { record } = await store.create({ ...agent, name });
      await redis.client.zrem('gateway:keys_by_creation:{gateway:keys}', record.keyHash);
      await redis.client.hset(
        `gateway:key:${record.keyHash}`,
        'created_at',
        name === 'gamma' ? '1000' : '2000',
      );
    }
    expect(await store.count()).toEqual({ total: 2, isOrdered: false });
    await store.create({ ...agent, name: 'new' });
    expect(await store.count()).toEqual({ total: 3, isOrdered: true });
    expect(await inOrder()).toEqual(['gamma', 'alpha', 'new']);
  });

  it('refuses the cursor of another order', async () => {
    const { record } = await store.create(agent);
    await expect(store.list(record.keyHash, 'created')).rejects.toThrow('is not a cursor of this list');
  });
});

describe('finding a key', () => {
  it('takes a hash, a prefix of 8 hex digits with or without sha256:, a name, and the raw key', async () => {
    const { rawKey, record } = await store.create(agent);
    await store.create({ ...agent, name: 'another' });
    const hex = record.keyHash.slice('sha256:'.length);

    for (const reference of [
      record.keyHash,
      hex.slice(0, 8),
      `sha256:${hex.slice(0, 12)}`,
      'agent-7',
      rawKey,
    ]) {
      expect(await store.find(reference)).toEqual(record);
    }
  });

  it('accepts neither a shorter prefix nor a pattern', async () => {
    const { record } = await store.create(agent);
    for (const reference of [record.keyHash.slice(7, 12), '*', 'sha256:', '']) {
      await expect(store.find(reference)).rejects.toThrow(KeyError);
    }
  });

  it('refuses a name that two active keys of an earlier release share, and names both by hash', async () => {
    const [first, second] = [await store.create(agent), await store.create({ ...agent, name: 'other' })];
    await redis.client.hset(`gateway:key:${second.record.keyHash}`, 'name', agent.name);
    await redis.client.del('gateway:key_names');
    await redis.client.hset('gateway:key_names', '', '1');
    await store.create({ ...agent, name: 'a third' });

    await expect(store.find('agent-7')).rejects.toThrow(/several keys match/);
    await expect(store.find('agent-7')).rejects.toThrow(first.record.keyHash.slice(0, 23));
    await expect(store.find('agent-7')).rejects.toThrow(second.record.keyHash.slice(0, 23));
    await expect(store.create(agent)).rejects.toThrow('an active key has the name');
    await store.revoke(first.record.keyHash);
    expect((await store.find('agent-7')).keyHash).toBe(second.record.keyHash);
  });

  it('reads no list of all keys for a name, whether or not it exists', async () => {
    const { record } = await store.create(agent);
    const lists = async () =>
      /cmdstat_zrangebylex:calls=(\d+)/.exec(await redis.client.info('commandstats'))?.[1];
    const before = await lists();
    expect(await store.find(agent.name)).toEqual(record);
    await expect(store.find('nobody here')).rejects.toThrow(KeyError);
    expect(await lists()).toBe(before);
  });

  it('finds the newest revoked key by its name, also of an earlier release', async () => {
    const { record } = await store.create(agent);
    await store.revoke(record.keyHash);
    await redis.client.del('gateway:key_names');
    await store.create({ ...agent, name: 'other' });
    expect((await store.find(agent.name)).keyHash).toBe(record.keyHash);
  });

  it('refuses a prefix that two keys share', async () => {
    const { record } = await store.create(agent);
    const twin = `${record.keyHash.slice(0, 20)}${'0'.repeat(51)}`;
    await redis.client.zadd('gateway:keys', 0, twin);
    await redis.client.hset(`gateway:key:${twin}`, {
      ...(await redis.client.hgetall(`gateway:key:${record.keyHash}`)),
      key_hash: twin,
      name: 'twin',
    });

    await expect(store.find(record.keyHash.slice(0, 19))).rejects.toThrow(/several keys match.*twin/);
    expect((await store.find(twin)).name).toBe('twin');
  });

  it('refuses a name that is also the prefix of another key', async () => {
    const { record } = await store.create(agent);
    await store.create({ ...agent, name: record.keyHash.slice(7, 15) });
    await expect(store.find(record.keyHash.slice(7, 15))).rejects.toThrow(/several keys match/);
  });

  it('does not repeat its input when nothing is found', async () => {
    const secret = `gw-${'s'.repeat(43)}`;
    const failure: unknown = await store.find(secret).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KeyError);
    expect(String(failure)).not.toContain('ssss');
  });
});

describe('listing keys', () => {
  it('pages through all of them, each once', async () => {
    const created = await Promise.all(
      Array.from({ length: 1_203 }, (_, index) => store.create({ ...agent, name: `k${String(index)}` })),
    );
    const listed: string[] = [];
    let after: string | undefined;
    let pages = 0;
    do {
      const page = await store.list(after);
      listed.push(...page.keys.map(({ keyHash }) => keyHash));
      after = page.next;
      pages++;
    } while (after !== undefined);

    expect(pages).toBe(3);
    expect(listed.toSorted()).toEqual(created.map(({ record }) => record.keyHash).toSorted());
  });

  it('is empty if there are no keys', async () => {
    expect(await store.list()).toEqual({ keys: [], next: undefined });
  });
});

describe('revoking a key', () => {
  it('marks it permanently', async () => {
    const { record } = await store.create(agent);
    const first = await store.revoke('agent-7');
    const again = await store.revoke('agent-7');

    expect(first.revokedAt).toBeGreaterThanOrEqual(record.createdAt);
    expect(again.revokedAt).toBe(first.revokedAt);
  });
});

describe('rotating a key', () => {
  it('returns a new raw key for the same identity', async () => {
    const { rawKey, record } = await store.create(agent);
    const rotated = await store.rotate('agent-7', 0);

    expect(rotated.rawKey).not.toBe(rawKey);
    expect(rotated.record).toEqual(record);
    expect(await store.find(rotated.rawKey)).toEqual(record);
    expect((await store.list()).keys).toEqual([record]);
  });

  it('refuses a revoked and an expired key', async () => {
    await store.create(agent);
    await store.revoke('agent-7');
    await expect(store.rotate('agent-7', 0)).rejects.toThrow(/revoked/);

    await store.create({ ...agent, name: 'short', expiresInMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await expect(store.rotate('short', 0)).rejects.toThrow(/expired/);
  });

  it('removes raw keys that have ended', async () => {
    const { record } = await store.create(agent);
    for (let turn = 0; turn < 20; turn++) await store.rotate('agent-7', 0);

    const fields = Object.keys(await redis.client.hgetall(`gateway:key:${record.keyHash}`));
    expect(fields.filter((field) => field.startsWith('raw:')).length).toBeLessThanOrEqual(3);
    expect((await redis.client.keys('gateway:key:*')).length).toBeLessThanOrEqual(4);
  });

  it('bounds the number of live raw keys', async () => {
    await store.create(agent);
    for (let turn = 0; turn < 7; turn++) await store.rotate('agent-7', 3_600_000);
    await expect(store.rotate('agent-7', 3_600_000)).rejects.toThrow(/wait until one of them expires/);
    expect((await redis.client.keys('gateway:key:*')).length).toBe(8);
  });
});

describe('without Redis', () => {
  it('reports redis_unavailable', async () => {
    const gone = connectRedis(defaultConfig({ redis: { addr: '127.0.0.1:1' } }).redis, { name: 'gone' });
    const failed = createKeyStore(gone).find('agent-7');
    await expect(failed).rejects.toThrow(GatewayError);
    await expect(failed).rejects.toMatchObject({ type: 'redis_unavailable' });
    gone.disconnect();
  });
});
