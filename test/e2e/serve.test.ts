import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

import { startDemoProvider, type DemoProvider } from '../../src/demo/provider.ts';
import { createTestCa } from '../support/certs.ts';
import { serveUntilExit, startGateway, type GatewayOptions, type TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { readMetrics } from '../support/metrics.ts';
import { descendants, isAlive } from '../support/processes.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { READY } from '../support/ready.ts';

const insecure = { SERVER_INSECURE_DEV: 'true' };

describe('gateway serve', () => {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  async function start(options: GatewayOptions = {}): Promise<TestGateway> {
    const gateway = await startGateway(options);
    closers.push(() => gateway.stop());
    return gateway;
  }
  async function ownRedis(options?: Parameters<typeof startTestRedis>[0]): Promise<TestRedis> {
    const redis = await startTestRedis(options);
    closers.push(() => redis.close());
    return redis;
  }
  const withTwoWorkers = (provider: DemoProvider): GatewayOptions => ({
    workers: 2,
    config: { providers: { openai: { base_url: provider.baseUrl } } },
  });
  async function withProvider(pieceDelayMs: number): Promise<TestGateway> {
    const provider = await startDemoProvider(pieceDelayMs);
    closers.push(() => provider.close());
    return start(withTwoWorkers(provider));
  }
  async function chat(gateway: TestGateway, stream: boolean): Promise<Response> {
    const { rawKey } = await gateway.createKey();
    return fetch(`${gateway.baseUrl}/openai/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${rawKey}`,
        'x-gateway-provider-key': 'sk-test',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ model: 'gpt-4o', stream, messages: [{ role: 'user', content: 'Hello!' }] }),
    });
  }

  describe('starting', () => {
    it('refuses without TLS', async () => {
      const { code, output } = await serveUntilExit({});
      expect(code).toBe(1);
      expect(output).toContain('server.tls');
    });

    it('serves TLS if configured', async () => {
      const ca = await createTestCa();
      closers.push(() => Promise.resolve(ca.close()));
      const { certFile, keyFile } = await ca.issue('gateway');
      const gateway = await start({
        config: { server: { tls: { cert_file: certFile, key_file: keyFile } } },
      });
      expect(gateway.baseUrl).toMatch(/^https:/);
      expect(gateway.logs()).not.toContain('PLAIN HTTP');
    });

    it('starts without Redis, refuses every request until it appears and evicts nothing, and recovers by itself', async () => {
      const redis = await ownRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] });
      await redis.stop();
      const gateway = await start({ redis, waitFor: 'live' });
      const ask = (): Promise<Response> =>
        fetch(`${gateway.baseUrl}/openai/v1/models`, {
          headers: { authorization: `Bearer gw-${'a'.repeat(43)}` },
        });
      expect(await gateway.readiness()).toMatchObject({ ready: false, redis: 'down', envoy: 'live' });
      const refused = await ask();
      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({ type: 'redis_unavailable' });

      await redis.start();
      await gateway.waitUntil((now) => now.redis === 'unfit');
      expect((await gateway.readiness()).ready).toBe(false);
      await expect.poll(() => gateway.logs()).toContain('maxmemory-policy');
      expect((await ask()).status).toBe(503);

      await redis.configSet('maxmemory-policy', 'noeviction');
      await gateway.waitUntil((now) => now.ready);
      // Each worker finds out by itself, within a second.
      await vi.waitFor(async () => {
        expect((await ask()).status).toBe(401);
      }, 3_000);
    });
  });

  describe('running', () => {
    let provider: DemoProvider;
    let gateway: TestGateway;
    beforeAll(async () => {
      provider = await startDemoProvider(0);
      gateway = await startGateway(withTwoWorkers(provider));
    });
    afterAll(async () => {
      await gateway.stop();
      await provider.close();
    });
    const pids = (): number[] => gateway.workers().map(({ pid }) => pid);
    const count = async (metric: string): Promise<number> => (await readMetrics(gateway)).sum(metric) ?? 0;

    it('is ready with Envoy, Redis and every worker, and warns about plain HTTP', async () => {
      // The gateway starts to watch gateway.yaml shortly after the start.
      await expect
        .poll(() => gateway.readiness())
        .toEqual({
          ...READY,
          config: { in_force: true, keys: [] },
          identity: expect.any(String) as unknown,
        });
      expect(gateway.workers()).toHaveLength(2);
      await expect.poll(() => gateway.logs()).toContain('PLAIN HTTP');
    });

    it('lets no second gateway use its port, which Envoy would silently share', async () => {
      const { code, output } = await serveUntilExit(
        {
          server: { host: '127.0.0.1', port: gateway.port, admin_port: await freePort() },
          redis: { addr: gateway.redis.addr },
        },
        insecure,
      );
      expect(code).toBe(1);
      expect(output).toContain(`127.0.0.1:${String(gateway.port)}`);
    });

    it('restricts its files and sockets to its own user', async () => {
      const command = gateway.envoy()?.command ?? '';
      const configFile = /-c (\S+)/.exec(command)?.[1] ?? '';
      expect((await stat(configFile)).mode & 0o777).toBe(0o600);
      expect((await stat(configFile.replace(/\/[^/]+$/, ''))).mode & 0o777).toBe(0o700);
    });

    it('answers on the admin listener in our error format', async () => {
      const get = (path: string, init?: RequestInit): Promise<Response> =>
        fetch(`${gateway.adminUrl}${path}`, init);
      expect((await get('/healthz')).status).toBe(200);
      expect((await get('/nothing')).status).toBe(404);
      expect(await (await get('/nothing')).json()).toMatchObject({ type: 'not_found' });
      const post = await get('/metrics', { method: 'POST' });
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      const metrics = await get('/metrics');
      expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
      expect(await metrics.text()).toContain('gateway_ready 1');
    });

    it('restarts a killed Envoy, and is not ready meanwhile', async () => {
      const before = await count('gateway_envoy_restarts_total');
      const pid = gateway.envoy()?.pid ?? 0;
      process.kill(pid, 'SIGKILL');
      await gateway.waitUntil((now) => now.envoy === 'down' && !now.ready);
      await gateway.waitUntil((now) => now.ready);
      expect(gateway.envoy()?.pid).not.toBe(pid);
      await expect.poll(() => count('gateway_envoy_restarts_total')).toBe(before + 1);
    });

    it('restarts a killed worker while the other one serves', async () => {
      const [killed = 0] = pids();
      process.kill(killed, 'SIGKILL');
      const statuses = new Set<number>();
      for (let call = 0; call < 20; call += 1) statuses.add((await chat(gateway, false)).status);
      expect([...statuses]).toEqual([200]);
      await gateway.waitUntil((now) => now.ready && pids().length === 2);
      expect(pids()).not.toContain(killed);
    });

    it('kills a hung worker and restarts it', async () => {
      const before = await count('gateway_worker_hangs_total');
      const [hung = 0] = pids();
      process.kill(hung, 'SIGSTOP');
      await gateway.waitUntil((now) => now.ready && !pids().includes(hung) && pids().length === 2, 60_000);
      await expect.poll(() => count('gateway_worker_hangs_total')).toBe(before + 1);
      await expect.poll(() => gateway.logs()).toContain('a sidecar process hangs');
      for (let call = 0; call < 10; call += 1) expect((await chat(gateway, false)).status).toBe(200);
    });
  });

  describe('stopping', () => {
    it('finishes a stream in flight, asks clients of kept-alive connections to disconnect, refuses new ones, and exits 0', async () => {
      const gateway = await withProvider(200);
      const { rawKey } = await gateway.createKey();
      const stream = await chat(gateway, true);
      gateway.signal('SIGTERM');
      await gateway.waitUntil((now) => now.draining && !now.ready);
      await delay(200);
      const connection = await new Promise<string | undefined>((resolve, reject) => {
        const headers = { authorization: `Bearer ${rawKey}`, 'x-gateway-provider-key': 'sk' };
        request(`${gateway.baseUrl}/openai/v1/models`, { headers }, (answer) => {
          answer.resume();
          resolve(answer.headers.connection);
        })
          .on('error', reject)
          .end();
      });
      expect(connection).toBe('close');
      expect(await stream.text()).toContain('[DONE]');
      expect(await gateway.exited).toBe(0);
      await expect(fetch(gateway.baseUrl)).rejects.toThrow();
    });

    it('exits at once at the second signal', async () => {
      const gateway = await withProvider(1_000);
      const answer = await chat(gateway, true);
      const broken = answer.text().then(
        () => 'whole',
        () => 'broken',
      );
      const pids = descendants(gateway.pid).map(({ pid }) => pid);
      gateway.signal('SIGTERM');
      await delay(1_200);
      const before = performance.now();
      gateway.signal('SIGTERM');
      await gateway.exited;
      expect(performance.now() - before).toBeLessThan(3_000);
      expect(await broken).toBe('broken');
      await vi.waitFor(() => {
        expect(pids.filter(isAlive)).toEqual([]);
      }, 5_000);
    });

    it('leaves no process behind after kill -9', async () => {
      const gateway = await start({ workers: 2 });
      const pids = descendants(gateway.pid).map(({ pid }) => pid);
      expect(pids.length).toBeGreaterThanOrEqual(3);
      gateway.signal('SIGKILL');
      await vi.waitFor(() => {
        expect(pids.filter(isAlive)).toEqual([]);
      }, 10_000);
    });
  });
});
