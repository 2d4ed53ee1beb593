import { setTimeout as delay } from 'node:timers/promises';
import { createKeyStore } from '../../src/auth/key-store.ts';
import { createRedisBudgetStore } from '../../src/checks/budget/redis-store.ts';
import { connectRedis, waitUntilReady, type RedisClient } from '../../src/redis/client.ts';
import type { ProviderName } from '../../src/providers/registry.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { defaultConfig } from '../support/default-config.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { DEBUGGABLE } from '../support/memory.ts';
import type { RedisNode } from '../support/redis-node.ts';
import { startTestSentinel, type TestSentinel } from '../support/redis-sentinel.ts';
import { DIALECTS, PRICING, TOOL_PRICE } from './dialects.ts';
import { startToolServer, type ToolServer } from './tool-server.ts';
import type { Client } from './traffic.ts';

/** Longer than a pause of Redis, which must not cause a failover. */
const DOWN_AFTER_MS = 4_000;

/** A gateway of two workers on Redis with a replica and sentinels, one provider of all APIs, and a tool server. */
export interface SoakRig {
  readonly gateway: TestGateway;
  readonly provider: FakeProvider;
  readonly tools: ToolServer;
  readonly sentinel: TestSentinel;
  /** Follows the master. */
  readonly redis: RedisClient;
  readonly keys: ReadonlyMap<string, Client>;
  readonly poor: Client;
  /** The current master, and the other. */
  nodes(): Promise<{ readonly master: RedisNode; readonly replica: RedisNode }>;
  close(): Promise<void>;
}

export async function startSoakRig(): Promise<SoakRig> {
  const provider = await createFakeProvider();
  const tools = await startToolServer();
  const sentinel = await startTestSentinel(DOWN_AFTER_MS);
  const redisSection = { sentinel: { addrs: [...sentinel.addrs], master_name: sentinel.masterName } };
  const names = [...new Set(DIALECTS.map((dialect) => dialect.provider))];
  const gateway = await startGateway({
    workers: 2,
    env: DEBUGGABLE,
    config: {
      server: {
        log_level: 'warn',
        shed_after: '2s',
        max_open_per_address: 1_000,
        dlp: { enabled: true, action: 'mask', requests: 'deny' },
      },
      redis: redisSection,
      providers: Object.fromEntries(names.map((name) => [name, { base_url: provider.url }])),
      pricing: PRICING,
      mcp: {
        enabled: true,
        servers: [{ name: 'tools', url: tools.url, tool_costs: { echo: TOOL_PRICE / 1e9 } }],
        inspector: { secrets: 'mask_unscored' },
      },
    },
  });
  const redis = connectRedis(defaultConfig({ redis: redisSection }).redis, { name: 'soak' });
  await waitUntilReady(redis, 10_000);
  const clientFor = (name: ProviderName, usd: number): Promise<Client> => createClient(redis, name, usd);
  const keys = new Map<string, Client>();
  for (const name of names) {
    keys.set(name, await clientFor(name, 1_000));
    keys.set(`${name}, interrupted`, await clientFor(name, 1_000));
  }
  keys.set('mcp', await clientFor('openai', 1_000));
  return {
    gateway,
    provider,
    tools,
    sentinel,
    redis,
    keys,
    poor: await clientFor('openai', 0.000_001),
    nodes: () => nodesOf(sentinel),
    async close() {
      redis.disconnect();
      await gateway.stop();
      await Promise.all([sentinel.close(), provider.close(), tools.close()]);
    },
  };
}

async function createClient(redis: RedisClient, provider: ProviderName, usd: number): Promise<Client> {
  const { rawKey, record } = await createKeyStore(redis).create({
    name: `soak-${String(Math.random())}`,
    provider,
  });
  const budgets = createRedisBudgetStore({ client: redis, deadlineMs: 5_000, alertPercents: [] });
  await budgets.setLimits(record.keyHash, { monthly: Math.round(usd * 1e9) });
  return { rawKey, keyHash: record.keyHash };
}

async function nodesOf({
  master,
  replica,
}: TestSentinel): Promise<{ master: RedisNode; replica: RedisNode }> {
  for (;;) {
    for (const [one, other] of [
      [master, replica],
      [replica, master],
    ] as const) {
      const role = await Promise.race([one.client.role().catch(() => []), delay(500, [])]);
      if (role[0] === 'master') return { master: one, replica: other };
    }
    await delay(50);
  }
}
