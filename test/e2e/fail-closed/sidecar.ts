import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, it, expect, vi } from 'vitest';
import { startTestRedis } from '../../support/redis.ts';
import { createFakeProvider } from '../../support/fake-provider/index.ts';
import { linkToRedis } from '../../support/redis-link.ts';
import { startGateway, serveUntilExit } from '../../support/gateway.ts';
import { freePort } from '../../support/ports.ts';
import { LEASE_MS } from '../../support/account.ts';
import {
  askHeld,
  askHeldStream,
  PHASE_DEADLINE_MS,
  closeAll,
  closeLater,
  rigConfig,
  newClient,
  expectRefusal,
  expectTrafficBack,
  expectChargedExactly,
  type Rig,
  ANSWERED_MS,
  COST_NANO_USD,
  useRig,
} from './rig.ts';

const MESSAGE_TIMEOUT_MS = PHASE_DEADLINE_MS + 5_000;
/** By then the supervisor kills a hung worker, and Envoy gives up on its connections. */
const MAX_SILENCE_MS = 15_000;

export function starts(): void {
  afterEach(closeAll);

  it('without Redis: 503 to everything, and traffic once Redis is there', async () => {
    const redis = await startTestRedis();
    closeLater(redis, () => redis.close());
    const provider = await createFakeProvider();
    closeLater(provider, () => provider.close());
    const link = await linkToRedis(redis.port);
    closeLater(link, () => link.close());
    link.cut();
    const gateway = await startGateway({ redis, waitFor: 'live', config: rigConfig(provider, link) });
    closeLater(gateway, () => gateway.stop());
    const client = await newClient({ gateway, redis, link, provider });
    expectRefusal(await client.ask(), 'redis_unavailable');
    expectRefusal(await client.models(), 'redis_unavailable');
    expect(client.forwarded()).toBe(0);
    link.heal();
    await expectTrafficBack(client);
    await gateway.waitUntil((now) => now.ready);
    await expectChargedExactly(client);
  });

  it.each([
    [
      'that may evict',
      ['--maxmemory-policy', 'allkeys-lru'],
      undefined,
      'CONFIG SET maxmemory-policy noeviction',
    ],
    ['older than 7', [], ['redis_version:7.', 'redis_version:6.'], 'install Redis 7'],
  ] as const)('with a Redis %s is refused, with the remedy', async (_name, args, rewrite, remedy) => {
    const redis = await startTestRedis({ args });
    closeLater(redis, () => redis.close());
    const link = await linkToRedis(redis.port, rewrite === undefined ? {} : { rewrite });
    closeLater(link, () => link.close());
    const { code, output } = await serveUntilExit(
      {
        server: { host: '127.0.0.1', port: await freePort(), admin_port: await freePort() },
        redis: { addr: link.addr },
      },
      { SERVER_INSECURE_DEV: 'true' },
    );
    expect([code, output]).toEqual([1, expect.stringContaining(remedy)]);
  });
}

export function sidecarAway(): void {
  let rig: Rig;
  useRig((started) => (rig = started));
  const worker = (): number => rig.gateway.workers()[0]?.pid ?? 0;

  it('killed: 503 gateway_unavailable at once, and restarted', async () => {
    const client = await newClient(rig);
    const before = worker();
    process.kill(before, 'SIGKILL');
    const reply = await client.ask();
    expectRefusal(reply, 'gateway_unavailable');
    expect(reply.ms).toBeLessThan(ANSWERED_MS);
    expect(client.forwarded()).toBe(0);
    await expectTrafficBack(client);
    expect(worker()).not.toBe(before);
    await expectChargedExactly(client);
  });

  it('killed while the provider works: 503, and its expired lease is charged in full', async () => {
    const client = await newClient(rig);
    const { asked, answer } = await askHeld(rig, client);
    process.kill(worker(), 'SIGKILL');
    expectRefusal(await asked, 'gateway_unavailable');
    answer();
    const { spent, reserved } = await client.account();
    expect([spent, reserved]).toEqual([0, expect.any(Number)]);
    expect(reserved).toBeGreaterThanOrEqual(COST_NANO_USD - 10_000);
    expect(await client.account(LEASE_MS + 1_000)).toEqual({ spent: reserved, reserved: 0 });
    await vi.waitFor(async () => expect((await client.models()).status).toBe(200), 15_000);
  });

  it('killed in mid-stream: the stream is cut, and nothing uninspected follows', async () => {
    const client = await newClient(rig);
    const { asked, goOn } = await askHeldStream(rig, client);
    await delay(200);
    process.kill(worker(), 'SIGKILL');
    goOn();
    const reply = await asked;
    expect([reply.status, reply.cut]).toEqual([200, true]);
    expect(reply.body).toContain('word1');
    expect(reply.body).not.toContain('word8');
    await vi.waitFor(async () => expect((await client.models()).status).toBe(200), 15_000);
  });

  it('hung: 503 gateway_unavailable after message_timeout at the latest, and recovers when it resumes', async () => {
    const client = await newClient(rig);
    process.kill(worker(), 'SIGSTOP');
    const replies = await Promise.all([client.ask(), client.ask({ stream: true }), client.models()]);
    for (const reply of replies) {
      expectRefusal(reply, 'gateway_unavailable');
      expect(reply.ms).toBeLessThan(MESSAGE_TIMEOUT_MS + 1_000);
    }
    process.kill(worker(), 'SIGCONT');
    await expectTrafficBack(client);
    await expectChargedExactly(client);
  });

  it('hung while the provider works: 503 when the answer arrives, and charged when it resumes', async () => {
    const client = await newClient(rig);
    const { asked, answer } = await askHeld(rig, client);
    process.kill(worker(), 'SIGSTOP');
    answer();
    const reply = await asked;
    expectRefusal(reply, 'gateway_unavailable');
    process.kill(worker(), 'SIGCONT');
    await vi.waitFor(async () => {
      const { spent, reserved } = await client.account();
      expect(reserved).toBe(0);
      expect(spent).toBeGreaterThanOrEqual(COST_NANO_USD - 10_000);
    }, 15_000);
    await expectTrafficBack(client);
  });

  it('hung in mid-stream: the client is cut when the worker is killed', async () => {
    const client = await newClient(rig);
    const { asked, goOn } = await askHeldStream(rig, client);
    await delay(200);
    process.kill(worker(), 'SIGSTOP');
    goOn();
    const reply = await asked;
    expect([reply.status, reply.cut]).toEqual([200, true]);
    expect(reply.body).not.toContain('word8');
    expect(reply.ms).toBeLessThan(MAX_SILENCE_MS + 5_000);
    await expectTrafficBack(client);
  });
}
