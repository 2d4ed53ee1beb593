import { afterAll, expect, it } from 'vitest';

import { createSignInAttempts } from '../../../src/operator/sign-in/attempt-store.ts';
import { startTestRedis } from '../../support/redis.ts';

const redis = await startTestRedis();
afterAll(() => redis.close());

it('an address that keeps trying does not use up the attempts of others', async () => {
  const attempts = createSignInAttempts({ client: redis.client, deadlineMs: 5_000, now: () => 1_000 });
  const waits: number[] = [];
  for (let nth = 0; nth < 100; nth++) waits.push(await attempts.count('2001:db8::1', 'all'));
  expect(waits.map((wait) => wait > 0)).toEqual(Array.from({ length: 100 }, (_, nth) => nth >= 10));
  expect(await attempts.count('2001:db8:0:0:9::1', 'all')).toBe(59_000);
  expect(await attempts.count('10.0.0.2', 'all')).toBe(0);
});

it('all addresses together have sixty attempts', async () => {
  await redis.flush();
  const attempts = createSignInAttempts({ client: redis.client, deadlineMs: 5_000, now: () => 1_000 });
  for (let nth = 0; nth < 60; nth++) expect(await attempts.count(`10.0.0.${String(nth)}`, 'all')).toBe(0);
  expect(await attempts.count('10.0.1.1', 'all')).toBe(59_000);
});

it('callbacks without a started sign-in do not use up the attempts of others', async () => {
  await redis.flush();
  const attempts = createSignInAttempts({ client: redis.client, deadlineMs: 5_000, now: () => 1_000 });
  for (let nth = 0; nth < 100; nth++)
    expect(await attempts.count(`10.0.0.${String(nth)}`, 'address')).toBe(0);
  expect(await attempts.count('10.0.1.1', 'all')).toBe(0);
  for (let nth = 0; nth < 10; nth++) await attempts.count('10.0.2.1', 'address');
  expect(await attempts.count('10.0.2.1', 'address')).toBe(59_000);
});
