import { afterAll, expect, it } from 'vitest';

import { createKeyStore } from '../../../src/auth/key-store.ts';
import { startTestPage } from '../../support/operator/page.ts';
import { startTestRedis } from '../../support/redis.ts';

const redis = await startTestRedis();
afterAll(() => redis.close());
const page = await startTestPage(redis, { audit: { enabled: true, stdout: false } });
afterAll(() => page.close());

it('a change with an answer too large to store is recorded, answered, and made only once', async () => {
  const allowedTools = Array.from({ length: 1_000 }, (_, nth) => `${'tool'.repeat(20)}${String(nth)}`);
  await createKeyStore(redis.client).create({ name: 'planner', provider: 'openai', allowedTools });
  const operator = await page.visitor({ role: 'operator' });
  const lock = () =>
    operator.ask('/api/keys/planner/lock', {
      method: 'POST',
      body: { reason: 'because', for: '5m' },
      headers: { 'idempotency-key': 'one' },
    });
  const locked = await lock();
  expect([locked.status, locked.json<{ changed: boolean }>().changed]).toEqual([200, true]);
  const [[, fields] = []] = await redis.client.xrange('gateway:audit', '-', '+');
  expect(fields?.[1]).toContain('quarantine set');
  expect((await lock()).json()).toMatchObject({
    type: 'conflict',
    detail: 'this change was made before, and its answer was too large to store',
  });
  expect(await redis.client.xlen('gateway:audit')).toBe(1);
});

it('one request searches the names of all keys a few times, not a hundred', async () => {
  const viewer = await page.visitor({});
  const search = { operation: 'keys.names', arguments: { prefix: 'x', count: 1, withinMs: 1 } };
  const ask = (count: number) =>
    viewer.ask('/api/operations', {
      method: 'POST',
      body: { calls: Array.from({ length: count }, () => search) },
    });
  expect((await ask(8)).status).toBe(200);
  expect((await ask(9)).json()).toMatchObject({ type: 'invalid_request', status: 400 });
});

it('refuses an operation of another release, and names the remedy', async () => {
  const viewer = await page.visitor({});
  const body = { calls: [{ operation: 'risks.listLocked' }] };
  const { detail } = (await viewer.ask('/api/operations', { method: 'POST', body })).json<{
    detail: string;
  }>();
  expect(detail).toContain(
    'this gateway has no operation risks.listLocked: use the gateway command of its release',
  );
});
