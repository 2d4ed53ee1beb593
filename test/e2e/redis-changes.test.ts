import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyStore } from '../../src/auth/key-store.ts';
import { windowAccounts } from '../../src/checks/budget/accounts.ts';
import { connectRedis, waitUntilReady } from '../../src/redis/client.ts';
import { riskProfileKey } from '../../src/redis/keys.ts';
import { budgetStore } from '../integration/checks/budget/support.ts';
import { createTestCa, type TestCa } from '../support/certs.ts';
import { defaultConfig } from '../support/default-config.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import type { Reply } from '../support/http.ts';
import { freePort } from '../support/ports.ts';
import { dataArgs, startRedisNode } from '../support/redis-node.ts';
import { moveSlot, slotOf, startTestCluster } from '../support/redis-cluster.ts';
import { startTestRedis } from '../support/redis.ts';
import { makeSecret, seededRandom } from '../unit/detectors/secrets/samples.ts';
import { askWith } from '../support/ask-provider.ts';

/** docs/redis.md: an operator's work on Redis under load. */
const USD = 1_000_000_000;
const CALLERS = 8;

let provider: FakeProvider;
let ca: TestCa;
beforeAll(async () => {
  [provider, ca] = await Promise.all([createFakeProvider(), createTestCa()]);
});
afterAll(async () => {
  ca.close();
  await provider.close();
});

function ask(gateway: TestGateway, rawKey: string): Promise<Reply> {
  const messages = [{ role: 'user', content: 'Hello' }];
  return askWith(gateway, rawKey, '/openai/v1/chat/completions', { model: 'gpt-4o', messages });
}

/** Sends requests over several connections until `work` is done; returns the replies. */
async function underLoad(
  gateway: TestGateway,
  rawKey: string,
  work: () => Promise<void>,
): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      replies.push(await ask(gateway, rawKey));
      await delay(5);
    }
  });
  await work();
  isOver = true;
  await Promise.all(callers);
  return replies;
}

function expectRefusals(replies: readonly Reply[]): void {
  for (const { status, body } of replies)
    if (status !== 200) expect([status, body]).toEqual([503, expect.stringContaining('redis_unavailable')]);
}

describe('Redis over TLS, with a wrong password at the start', () => {
  it('refuses all, names the cause, and serves without a restart once the password is valid', async () => {
    const [right, wrong] = ['the right password', 'the-wrong-password'];
    const { certFile, keyFile } = await ca.issue('redis');
    const tlsPort = await freePort();
    const redis = await startTestRedis({
      password: right,
      args: [
        ...['--tls-port', String(tlsPort), '--tls-auth-clients', 'no'],
        ...['--tls-cert-file', certFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', ca.caFile],
      ],
    });
    const gateway = await startGateway({
      redis,
      waitFor: 'live',
      config: {
        redis: {
          addr: `127.0.0.1:${String(tlsPort)}`,
          password: wrong,
          tls: { enabled: true, ca_file: ca.caFile },
        },
        providers: { openai: { base_url: provider.url } },
      },
    });
    try {
      const { rawKey } = await gateway.createKey({}, { daily: 1_000 });
      const before = provider.requests.length;
      const refused = await underLoad(gateway, rawKey, () => delay(1_000));
      expectRefusals(refused);
      expect(refused.filter(({ status }) => status === 200)).toEqual([]);
      expect(provider.requests).toHaveLength(before);
      expect(await gateway.readiness()).toMatchObject({ ready: false, redis: 'down' });
      await expect.poll(() => gateway.logs()).toContain('WRONGPASS');
      expect(gateway.logs()).not.toContain(wrong);
      const replies = await underLoad(gateway, rawKey, async () => {
        await redis.client.acl('SETUSER', 'default', `>${wrong}`);
        await gateway.waitUntil(({ ready }) => ready, 10_000);
        await delay(500);
      });
      expectRefusals(replies);
      expect(replies.at(-1)?.status).toBe(200);
    } finally {
      await gateway.stop();
      await redis.close();
    }
  });
});

describe('a cluster whose slots move under load', () => {
  it('passes no request uncharged, and continues to serve', async () => {
    const cluster = await startTestCluster();
    const redis = { cluster: { addrs: [...cluster.addrs] } };
    const gateway = await startGateway({
      config: { redis, providers: { openai: { base_url: provider.url } } },
    });
    const client = connectRedis(defaultConfig({ redis }).redis, { name: 'e2e' });
    try {
      await waitUntilReady(client, 10_000);
      const { rawKey, record } = await createKeyStore(client).create({ name: 'moving', provider: 'openai' });
      const store = budgetStore(client);
      await store.setLimits(record.keyHash, { daily: 1_000 * USD });
      const slot = slotOf(riskProfileKey(record.keyHash));
      const home = cluster.ownerOf(riskProfileKey(record.keyHash));
      const [there, back] = [(home + 1) % 3, (home + 2) % 3];
      const before = provider.requests.length;
      const replies = await underLoad(gateway, rawKey, async () => {
        await delay(100);
        await moveSlot(cluster.masters, slot, home, there);
        await delay(100);
        await moveSlot(cluster.masters, slot, there, back);
        await moveSlot(cluster.masters, slot, back, home);
        await delay(500);
      });
      expectRefusals(replies);
      const served = replies.filter(({ status }) => status === 200);
      expect(replies.slice(-CALLERS).every(({ status }) => status === 200)).toBe(true);
      const nano =
        served.reduce((sum, { headers }) => sum + Number(headers['x-gateway-request-cost']), 0) * USD;
      const daily = async () =>
        (await store.status(record.keyHash, windowAccounts({ daily: 1_000 * USD }))).find(
          ({ account }) => account.name === 'daily',
        );
      // An answer whose settlement met the move is charged too, and the client got a refusal.
      await expect.poll(async () => (await daily())?.reservedNanoUsd, { timeout: 10_000 }).toBe(0);
      const spent = (await daily())?.spentNanoUsd ?? 0;
      const each = Math.round(nano / served.length);
      expect(spent).toBe((provider.requests.length - before) * each);
    } finally {
      client.disconnect();
      await gateway.stop();
      await cluster.close();
    }
  });
});

describe('wait_replicas, with a replica that hangs', () => {
  it('reports the lock that no replica has, and delays no other request', async () => {
    const redis = await startTestRedis();
    const replica = await startRedisNode((port, directory) => [
      ...dataArgs(port, directory),
      ...['--replicaof', '127.0.0.1', String(redis.port)],
    ]);
    const gateway = await startGateway({
      redis,
      config: {
        redis: { wait_replicas: 1, wait_timeout: '1s' },
        server: { dlp: { enabled: true, action: 'quarantine' } },
        providers: { openai: { base_url: provider.url } },
      },
    });
    /** A request whose answer leaks a secret: its key is locked. */
    async function leak(): Promise<{ readonly status: number; readonly ms: number }> {
      const { rawKey } = await gateway.createKey({}, { daily: 1_000 });
      provider.behave({ text: `Take ${makeSecret('aws_access_key_id', seededRandom(7)).secret}` });
      const asked = performance.now();
      const answered = ask(gateway, rawKey);
      const received = provider.requests.length;
      await expect.poll(() => provider.requests.length, { interval: 5 }).toBeGreaterThan(received);
      provider.behave({});
      const { status } = await answered;
      return { status, ms: performance.now() - asked };
    }
    try {
      const isOnline = async () => (await redis.client.info('replication')).includes('state=online');
      await expect.poll(isOnline, { timeout: 10_000 }).toBe(true);
      expect((await leak()).status).toBe(403);
      replica.signal('SIGSTOP');
      const { rawKey } = await gateway.createKey({}, { daily: 1_000 });
      const waits: number[] = [];
      let isOver = false;
      const others = (async () => {
        // Its own answers are clean only after the request with the leak.
        await delay(300);
        while (!isOver) {
          const asked = performance.now();
          expect((await ask(gateway, rawKey)).status).toBe(200);
          if (!isOver) waits.push(performance.now() - asked);
        }
      })();
      const hung = await leak();
      isOver = true;
      await others;
      // The refusal does not depend on the lock; the log reports that no replica has it.
      expect(hung.status).toBe(403);
      expect(hung.ms).toBeGreaterThan(900);
      await expect.poll(() => gateway.logs()).toContain('denied, but a follow-up action failed');
      await expect.poll(() => gateway.metrics()).toMatch(/^gateway_failures_total 1$/m);
      expect(waits.length).toBeGreaterThan(0);
      expect(Math.min(...waits)).toBeLessThan(900);
      replica.signal('SIGCONT');
      await expect.poll(async () => (await leak()).status, { timeout: 10_000 }).toBe(403);
    } finally {
      replica.signal('SIGCONT');
      await gateway.stop();
      await replica.close();
      await redis.close();
    }
  });
});
