import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { createRedisBudgetStore } from '../../../src/checks/budget/redis-store.ts';
import { createRedisDriftStore } from '../../../src/checks/drift/redis-store.ts';
import { createRedisBreakerStore } from '../../../src/checks/mcp-breaker/store.ts';
import { createRedisPinStore } from '../../../src/checks/mcp-inspector/redis-store.ts';
import { connectRedis, waitUntilReady, type RedisClient } from '../../../src/redis/client.ts';
import { scanForms } from '../../../src/redis/form-scan.ts';
import {
  budgetLimitsKey,
  driftKey,
  keyRecordKey,
  loopKey,
  mcpBreakerKey,
  mcpKeyBreakerKey,
  mcpPinsKey,
  riskProfileKey,
  sessionKey,
  SHARED_BUDGETS,
  spendKey,
} from '../../../src/redis/keys.ts';
import { STORED_VERSIONS, type StoredForm, type StoredVersion } from '../../../src/redis/stored-forms.ts';
import { createRedisRiskStore } from '../../../src/risk/redis-store.ts';
import { createSharedBudgetStore } from '../../../src/shared-budgets/store.ts';
import { block, DEFAULTS, eventOf } from '../../contracts/risk-store.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { useTestRedis } from '../../support/redis.ts';

const redis = useTestRedis();
const clients = new Map<StoredVersion, RedisClient>();

beforeAll(async () => {
  for (const version of STORED_VERSIONS) {
    const settings = defaultConfig({ redis: { addr: redis.addr, write_version: version } }).redis;
    const client = connectRedis(settings, { name: `forms-${String(version)}` });
    await waitUntilReady(client, 5_000);
    clients.set(version, client);
  }
});
afterAll(async () => {
  for (const client of clients.values()) client.disconnect();
});

function writing(version: StoredVersion): RedisClient {
  const client = clients.get(version);
  if (client === undefined) throw new Error(`no client writes version ${String(version)}`);
  return client;
}

const deadlineMs = 2_500;
const newKeyHash = (): string => `sha256:${randomUUID()}`;
const GRAMS = Uint16Array.from({ length: 20 }, (_, nth) => nth);

interface HashRow {
  readonly form: StoredForm;
  /** Writes one over this connection, and returns its key. */
  write(client: RedisClient): Promise<string>;
  /** Reads it again by its owner's store. */
  read(client: RedisClient, key: string): Promise<unknown>;
  /** The expected value, whichever version wrote it. */
  readonly expected: unknown;
}

const lastOf = (key: string): string => key.slice(key.lastIndexOf(':sha256:') + 1).replace('}', '');
const breakers = (client: RedisClient) =>
  createRedisBreakerStore({ client, deadlineMs, threshold: 1, windowMs: 60_000, probeLeaseMs: 1_000 });
const drift = (client: RedisClient) => createRedisDriftStore({ client, deadlineMs, ttlMs: 60_000 });
const budgets = (client: RedisClient) => createRedisBudgetStore({ client, deadlineMs, alertPercents: [] });
const risks = (client: RedisClient) => createRedisRiskStore({ client, deadlineMs, settings: DEFAULTS });
const shared = (client: RedisClient) => createSharedBudgetStore({ client, deadlineMs });
const TEAM = { name: 'team', match: { tags: { team: 'search' } }, limits: { daily: 5 } };
const pins = (client: RedisClient) => createRedisPinStore({ client, deadlineMs });

const HASHES: readonly HashRow[] = [
  {
    form: 'key',
    async write(client) {
      const { record } = await createKeyStore(client).create({ name: randomUUID(), provider: 'openai' });
      return keyRecordKey(record.keyHash);
    },
    read: async (client, key) => (await createKeyStore(client).find(lastOf(key))).provider,
    expected: 'openai',
  },
  {
    form: 'limits',
    async write(client) {
      const keyHash = newKeyHash();
      await budgets(client).setLimits(keyHash, { daily: 5 });
      return budgetLimitsKey(keyHash);
    },
    read: (client, key) => budgets(client).getLimits(lastOf(key)),
    expected: { daily: 5 },
  },
  {
    form: 'shared_budgets',
    async write(client) {
      await client.del(SHARED_BUDGETS);
      await shared(client).replace('team', '', TEAM);
      return SHARED_BUDGETS;
    },
    read: (client) => shared(client).list(),
    expected: [TEAM],
  },
  {
    form: 'risk_profile',
    async write(client) {
      const keyHash = newKeyHash();
      await risks(client).record(eventOf(keyHash, block));
      return riskProfileKey(keyHash);
    },
    read: async (client, key) => (await risks(client).read(lastOf(key))).risk.totalPolicyBlocks,
    expected: 1,
  },
  {
    form: 'drift',
    async write(client) {
      const session = { keyHash: newKeyHash(), sessionId: 's', createdAt: 1_000 };
      await drift(client).passTurn(session, { digest: 'd', anchor: GRAMS });
      return driftKey(session.keyHash, 's');
    },
    read: async (client, key) =>
      (await drift(client).read({ keyHash: lastOf(key.slice(0, -2)), sessionId: 's' }))?.turnCount,
    expected: 1,
  },
  {
    form: 'pins',
    async write(client) {
      const server = randomUUID();
      await pins(client).show(server, [{ name: 'tool', digest: 'one' }]);
      return mcpPinsKey(server);
    },
    read: (client, key) =>
      pins(client).show(key.slice(mcpPinsKey('').length), [{ name: 'tool', digest: 'one' }]),
    expected: ['same'],
  },
  {
    form: 'circuit',
    async write(client) {
      const server = randomUUID();
      await breakers(client).report({ server, keyHash: 'k' }, 'operation', 'unreachable');
      return mcpBreakerKey(server);
    },
    read: async (client, key) =>
      (await breakers(client).read({ server: key.slice(mcpBreakerKey('').length), keyHash: 'k' })).kind,
    expected: 'open',
  },
];

describe.each(HASHES)('a $form', ({ form, write, read, expected }) => {
  it('of the previous version has no version field, and one of today has; each is read by both', async () => {
    for (const [version, field] of [
      [1, null],
      [2, '2'],
    ] as const) {
      const key = await write(writing(version));
      expect(await redis.client.hget(key, 'form')).toBe(field);
      for (const reader of STORED_VERSIONS) expect(await read(writing(reader), key)).toEqual(expected);
    }
  });

  it('of a future version is refused, changes nothing, and is found', async () => {
    const key = await write(writing(2));
    await redis.client.hset(key, 'form', '9');
    const before = await redis.client.hgetall(key);
    await expect(read(writing(2), key)).rejects.toMatchObject({
      type: 'stored_form_unknown',
      message: expect.stringContaining(`(${form}, version 9)`) as string,
    });
    expect(await redis.client.hgetall(key)).toEqual(before);
    expect((await scanForms(writing(2))).unknown).toContainEqual({ form, version: '9', count: 1 });
    await redis.client.del(key);
  });
});

describe('shared budgets', () => {
  it('of each version are read and written', async () => {
    const path = new URL('../../fixtures/shared-budgets.json', import.meta.url);
    const recorded = JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
    await redis.flush();
    await redis.client.hset(SHARED_BUDGETS, recorded);
    const store = shared(writing(2));
    const budgets = await store.list();
    expect(budgets).toEqual([
      { name: 'everything', match: {}, limits: { monthly: 10_000_000_000_000 } },
      {
        name: 'search',
        match: { owners: ['a*'], tags: { team: 'search' }, providers: ['openai'], models: ['gpt-5*'] },
        limits: { daily: 50_000_000_000, monthly: 0 },
      },
    ]);
    for (const budget of budgets) {
      const { text } = await store.read(budget.name);
      expect(await store.replace(budget.name, text, budget)).toBe('set');
    }
    expect(await redis.client.hgetall(SHARED_BUDGETS)).toEqual(recorded);
  });
});

describe('the scan', () => {
  it('finds packed values by their first byte, and ignores others with a similar start', async () => {
    const hash = newKeyHash();
    await redis.flush();
    await redis.client.set(spendKey(hash, 'windows'), Buffer.from([9, 0]));
    await redis.client.set(sessionKey(hash, 's'), Buffer.from([2, 0]));
    await redis.client.set(loopKey(hash, 's/arrivals'), Buffer.from([7]));
    await redis.client.set(loopKey(hash, 's'), '2');
    await redis.client.zadd(loopKey(hash, 's/repeats/1'), 1, 'member');
    await redis.client.hset(mcpKeyBreakerKey('server', hash), 'opened', '1', 'form', '3');
    const { unknown, ...rest } = await scanForms(writing(2));
    expect(rest).toEqual({ scanned: 6, isWhole: true });
    expect(unknown.toSorted((one, other) => (one.form < other.form ? -1 : 1))).toEqual([
      { form: 'arrivals', version: '7', count: 1 },
      { form: 'calls', version: '2', count: 1 },
      { form: 'key_circuit', version: '3', count: 1 },
      { form: 'ledger', version: '9', count: 1 },
    ]);
  });
});
