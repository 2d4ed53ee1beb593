import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { connectRedis, waitUntilReady } from '../../../src/redis/client.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { startHeldSentinel } from '../../support/held-sentinel.ts';
import { startTestRedis } from '../../support/redis.ts';

// A regression found by `npm run soak`: both workers refused all requests until they were restarted.
it('reconnects if a failover is announced while it asks for the master', async () => {
  const redis = await startTestRedis();
  const held = await startHeldSentinel(redis);
  const states: string[] = [];
  const { redis: settings } = defaultConfig({
    redis: { sentinel: { addrs: [held.addr], master_name: 'any' } },
  });
  const client = connectRedis(settings, { name: 'held', onState: (state) => states.push(state) });
  try {
    await waitUntilReady(client, 5_000);
    held.hold();
    await redis.stop();
    await held.asked();
    const ended = new Promise((resolve) => client.once('end', resolve));
    held.announce();
    await delay(50);
    held.release();
    await ended;
    await redis.start();
    await expect.poll(() => states).toEqual(['ready', 'down', 'ready']);
    expect(await client.ping()).toBe('PONG');
    client.disconnect();
    await delay(200);
    expect(client.status).toBe('end');
  } finally {
    client.disconnect();
    await held.close();
    await redis.close();
  }
});
