import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyStore } from '../../src/auth/key-store.ts';
import { createKeyUseStore } from '../../src/auth/key-use-store.ts';
import { hashKey } from '../../src/auth/raw-key.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { defaultConfig } from '../support/default-config.ts';
import { connectRedis, waitUntilReady, type RedisClient } from '../../src/redis/client.ts';
import { riskProfileKey } from '../../src/redis/keys.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { startTestCluster, type TestCluster } from '../support/redis-cluster.ts';
import type { RedisNode } from '../support/redis-node.ts';
import { sharedBudget } from '../../src/checks/budget/shared.ts';
import { startTestSentinel, type TestSentinel } from '../support/redis-sentinel.ts';
import { budgetStore } from '../integration/checks/budget/support.ts';

/** docs/routing.md; docs/redis.md: operation on Sentinel and on Redis Cluster. */
const USD = 1_000_000_000;
/**
 * Time in which the other servers take one for dead (1 s), promote another and announce it, and a client reconnects
 * to it.
 */
const RECOVERS_WITHIN_MS = 15_000;
const PACE_MS = 20;
/** Budgets of several keys, in slots of different servers. */
const TEAMS = ['maps', 'search', 'ads'];
const TEAM_USD = 0.01;

let provider: FakeProvider;
let cluster: TestCluster;
let sentinel: TestSentinel;
beforeAll(async () => {
  [provider, cluster, sentinel] = await Promise.all([
    createFakeProvider(),
    startTestCluster(),
    startTestSentinel(),
  ]);
});
afterAll(async () => {
  await Promise.all([provider.close(), cluster.close(), sentinel.close()]);
});

interface Group {
  /** `redis.addr` is unused. */
  readonly redis: NonNullable<ConfigInput['redis']>;
  readonly dying: RedisNode;
  /** Whether a key's state is lost with that server. */
  readonly isLost: (keyHash: string) => boolean;
}

describe.each<[string, () => Group]>([
  [
    'a cluster of three masters',
    () => ({
      redis: { cluster: { addrs: [...cluster.addrs] } },
      dying: nodeOf(cluster.masters[0]),
      isLost: (keyHash) => cluster.ownerOf(riskProfileKey(keyHash)) === 0,
    }),
  ],
  [
    'a master that sentinels watch',
    () => ({
      redis: { sentinel: { addrs: [...sentinel.addrs], master_name: sentinel.masterName } },
      dying: sentinel.master,
      isLost: () => true,
    }),
  ],
])('on %s', (_name, groupOf) => {
  let group: Group;
  let gateway: TestGateway;
  let client: RedisClient;
  beforeAll(async () => {
    group = groupOf();
    gateway = await startGateway({
      config: {
        redis: { read_timeout: '1s', ...group.redis },
        providers: { openai: { base_url: provider.url } },
        budgets: TEAMS.map((team) => ({ name: team, match: { tags: { team } }, daily: TEAM_USD })),
        session: { drift_detection: { enabled: true } },
        rate_limit: { enabled: true, requests_per_minute: 100_000 },
      },
    });
    client = connectRedis(defaultConfig({ redis: group.redis }).redis, { name: 'e2e' });
    await waitUntilReady(client, 10_000);
  });
  afterAll(async () => {
    client.disconnect();
    await gateway.stop();
  });

  /** A key with a budget, whose state is lost with the server that dies. */
  async function createKey(team?: string): Promise<string> {
    for (;;) {
      const { rawKey, record } = await createKeyStore(client).create({
        name: `e2e-${randomUUID()}`,
        provider: 'openai',
        ...(team !== undefined && { tags: { team } }),
      });
      if (!group.isLost(record.keyHash)) continue;
      await budgetStore(client).setLimits(record.keyHash, { daily: 1_000 * USD });
      return rawKey;
    }
  }

  function ask(rawKey: string, stream: boolean, nth: number): Promise<Reply> {
    return send(gateway.baseUrl, {
      path: '/openai/v1/chat/completions',
      headers: {
        authorization: `Bearer ${rawKey}`,
        'x-gateway-provider-key': 'sk-test',
        'x-gateway-session-id': 'one',
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        model: 'gpt-4o',
        stream,
        messages: [{ role: 'user', content: `Question number ${String(nth)}, and no other` }],
      }),
    });
  }

  it('requests and streams pass, and with it is counted', async () => {
    const rawKey = await createKey();
    const first = await ask(rawKey, false, 1);
    expect([first.status, first.headers['x-gateway-session-steps']]).toEqual([200, '1']);
    expect(Number(first.headers['x-gateway-request-cost'])).toBeGreaterThan(0);
    const second = await ask(rawKey, true, 2);
    expect([second.status, second.headers['x-gateway-session-steps']]).toEqual([200, '2']);
    const uses = createKeyUseStore({ client, sessionTtlMs: 60_000 });
    const { hashes } = await uses.active({ usedSince: 'sessions' });
    expect(hashes).toContain(hashKey(rawKey));
  });

  it.each(TEAMS)('the budget of %s, in its own slot, is not exceeded by simultaneous calls', async (team) => {
    const settings = { name: team, match: {}, time_zone: 'UTC', daily: TEAM_USD };
    const { keyHash, accounts } = await sharedBudget(settings);
    const keys = await Promise.all([createKey(team), createKey(team)]);
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, nth) => ask(keys[nth % 2] ?? '', false, nth)),
    );
    const served = replies.filter(({ status }) => status === 200);
    const refused = replies.filter(({ status }) => status === 429);
    expect([served.length > 0, refused.length > 0, served.length + refused.length]).toEqual([true, true, 40]);
    const costs = served.map(({ headers }) => Number(headers['x-gateway-request-cost']));
    const spent = Math.round(costs.reduce((sum, cost) => sum + cost, 0) * USD);
    expect(spent).toBeLessThanOrEqual(TEAM_USD * USD);
    const daily = async () =>
      (await budgetStore(client).status(keyHash, accounts)).find(({ account }) => account.name === 'daily');
    await expect.poll(daily).toMatchObject({ spentNanoUsd: spent, reservedNanoUsd: 0 });
  });

  it('nothing passes while a server is replaced, and then everything passes again by itself', async () => {
    const rawKey = await createKey();
    const before = provider.requests.length;
    const statuses: number[] = [];
    async function askOnce(nth: number): Promise<void> {
      const { status, body } = await ask(rawKey, false, nth);
      statuses.push(status);
      // Also if Redis failed between a request and its answer.
      if (status !== 200) expect([status, body]).toEqual([503, expect.stringContaining('redis_unavailable')]);
    }
    await askOnce(0);
    expect(statuses).toEqual([200]);
    await group.dying.kill();
    const died = performance.now();
    let nth = 1;
    const recovered = (): boolean => statuses.includes(503) && statuses.slice(-5).every((it) => it === 200);
    while (!recovered() && performance.now() - died < RECOVERS_WITHIN_MS) {
      await askOnce(nth++);
      await delay(PACE_MS);
    }
    expect(recovered()).toBe(true);
    expect(statuses).toContain(503);
    const passed = statuses.filter((status) => status === 200).length;
    expect(provider.requests.length - before).toBe(passed);
    expect((await gateway.readiness()).ready).toBe(true);
  });
});

function nodeOf(node: RedisNode | undefined): RedisNode {
  if (node === undefined) throw new Error('no such server');
  return node;
}
