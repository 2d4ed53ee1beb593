import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { afterEach, describe, expect, it, vi } from 'vitest';

import { startDemoProvider, type DemoProvider } from '../../src/demo/provider.ts';
import { createTestCa } from '../support/certs.ts';
import { serveUntilExit, startGateway, type GatewayOptions, type TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
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
  async function withProvider(
    pieceDelayMs: number,
  ): Promise<{ gateway: TestGateway; provider: DemoProvider }> {
    const provider = await startDemoProvider(pieceDelayMs);
    closers.push(() => provider.close());
    const gateway = await start({
      workers: 2,
      config: { providers: { openai: { base_url: provider.baseUrl } } },
    });
    return { gateway, provider };
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
    it('is ready with Envoy, Redis and every worker, and warns about plain HTTP', async () => {
      const gateway = await start({ workers: 2 });
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

    it('refuses a port in use, which Envoy would silently share', async () => {
      const gateway = await start();
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

    it('refuses a Redis that evicts, and says how to change that', async () => {
      const redis = await ownRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] });
      const { code, output } = await serveUntilExit(
        {
          server: { host: '127.0.0.1', port: await freePort(), admin_port: await freePort() },
          redis: { addr: redis.addr },
        },
        insecure,
      );
      expect(code).toBe(1);
      expect(output).toContain('CONFIG SET maxmemory-policy noeviction');
    });

    it('starts without Redis, refuses every request, and recovers by itself', async () => {
      const redis = await ownRedis();
      await redis.stop();
      const gateway = await start({ redis, waitFor: 'live' });
      expect(await gateway.readiness()).toMatchObject({ ready: false, redis: 'down', envoy: 'live' });
      const refused = await fetch(`${gateway.baseUrl}/openai/v1/models`, {
        headers: { authorization: `Bearer gw-${'a'.repeat(43)}` },
      });
      expect(refused.status).toBe(503);
      expect(await refused.json()).toMatchObject({ type: 'redis_unavailable' });
      await redis.start();
      await gateway.waitUntil((now) => now.ready);
    });

    it('refuses traffic while a Redis that appears later evicts, and accepts it once that is corrected', async () => {
      const redis = await ownRedis({ args: ['--maxmemory-policy', 'allkeys-lru'] });
      await redis.stop();
      const gateway = await start({ redis, waitFor: 'live' });
      await redis.start();
      await gateway.waitUntil((now) => now.redis === 'unfit');
      expect((await gateway.readiness()).ready).toBe(false);
      await expect.poll(() => gateway.logs()).toContain('maxmemory-policy');
      const ask = (): Promise<Response> =>
        fetch(`${gateway.baseUrl}/openai/v1/models`, {
          headers: { authorization: `Bearer gw-${'a'.repeat(43)}` },
        });
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
    it('restricts its files and sockets to its own user', async () => {
      const gateway = await start();
      const command = gateway.envoy()?.command ?? '';
      const configFile = /-c (\S+)/.exec(command)?.[1] ?? '';
      const { stat } = await import('node:fs/promises');
      expect((await stat(configFile)).mode & 0o777).toBe(0o600);
      expect((await stat(configFile.replace(/\/[^/]+$/, ''))).mode & 0o777).toBe(0o700);
    });

    it('restarts a killed Envoy, and is not ready meanwhile', async () => {
      const gateway = await start();
      const pid = gateway.envoy()?.pid ?? 0;
      process.kill(pid, 'SIGKILL');
      await gateway.waitUntil((now) => now.envoy === 'down' && !now.ready);
      await gateway.waitUntil((now) => now.ready);
      expect(gateway.envoy()?.pid).not.toBe(pid);
      await expect.poll(() => gateway.metrics()).toContain('gateway_envoy_restarts_total 1');
    });

    it('restarts a killed worker while the other one serves', async () => {
      const { gateway } = await withProvider(0);
      const pid = gateway.workers()[0]?.pid ?? 0;
      process.kill(pid, 'SIGKILL');
      const statuses = new Set<number>();
      for (let call = 0; call < 20; call += 1) statuses.add((await chat(gateway, false)).status);
      expect([...statuses]).toEqual([200]);
      await gateway.waitUntil((now) => now.ready);
      expect(gateway.workers().some((worker) => worker.pid === pid)).toBe(false);
    });

    it('kills a hung worker and restarts it', async () => {
      const { gateway } = await withProvider(0);
      const pids = (): number[] => gateway.workers().map(({ pid }) => pid);
      const [hung = 0] = pids();
      process.kill(hung, 'SIGSTOP');
      await gateway.waitUntil((now) => now.ready && !pids().includes(hung) && pids().length === 2, 60_000);
      await expect.poll(() => gateway.metrics()).toMatch(/^gateway_worker_hangs_total 1$/m);
      await expect.poll(() => gateway.logs()).toContain('a sidecar process hangs');
      for (let call = 0; call < 10; call += 1) expect((await chat(gateway, false)).status).toBe(200);
    });

    it('answers on the admin listener in our error format', async () => {
      const gateway = await start();
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
  });

  describe('stopping', () => {
    it('finishes a stream in flight, refuses new requests, and exits 0', async () => {
      const { gateway } = await withProvider(150);
      const answer = await chat(gateway, true);
      const body = answer.text();
      gateway.signal('SIGTERM');
      await gateway.waitUntil((now) => now.draining && !now.ready);
      expect(await body).toContain('[DONE]');
      expect(await gateway.exited).toBe(0);
      await expect(fetch(gateway.baseUrl)).rejects.toThrow();
    });

    it('asks clients of kept-alive connections to disconnect while it drains', async () => {
      const { gateway } = await withProvider(200);
      const { rawKey } = await gateway.createKey();
      const stream = await chat(gateway, true);
      gateway.signal('SIGTERM');
      await gateway.waitUntil((now) => now.draining);
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
      await stream.text();
      expect(await gateway.exited).toBe(0);
    });

    it('exits at once at the second signal', async () => {
      const { gateway } = await withProvider(1_000);
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
