import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { createApiTokens, MAX_TOKENS } from '../../../src/operator/sign-in/tokens.ts';
import { UI_TOKENS, UI_TOKEN_USES } from '../../../src/redis/keys.ts';
import { startTestRedis } from '../../support/redis.ts';

const HOUR_MS = 3_600_000;
const NEW = {
  name: 'nightly report',
  role: 'viewer',
  owner: undefined,
  createdBy: 'ada',
  lifeMs: HOUR_MS,
} as const;

const redis = await startTestRedis();
afterAll(() => redis.close());
const tokens = createApiTokens({ client: redis.client, deadlineMs: 2_000 });
beforeEach(() => redis.flush());

it('opens with its role, and only its hash is stored', async () => {
  const { secret, token } = await tokens.create({ ...NEW, owner: 'search' });
  expect(secret).toMatch(/^gwapi_[\w-]{43}$/);
  expect(await tokens.verify(secret)).toEqual({
    subject: token.id,
    name: 'nightly report',
    role: 'viewer',
    owner: 'search',
    kind: 'token',
  });
  expect(JSON.stringify(await redis.client.hgetall(UI_TOKENS))).not.toContain(secret.slice(6, 20));
  expect(token.expiresAt - token.createdAt).toBe(HOUR_MS);
});

it('refuses anything else', async () => {
  const { secret, token } = await tokens.create(NEW);
  const wrong = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A');
  for (const other of [wrong, token.id, '', secret.slice(0, -1), `${secret}A`, 'x'.repeat(100_000)])
    expect(await tokens.verify(other)).toBeUndefined();
});

it('ends at its expiry, and is removed with the next one', async () => {
  const { secret } = await tokens.create({ ...NEW, lifeMs: 60 });
  await delay(80);
  expect(await tokens.verify(secret)).toBeUndefined();
  expect(await tokens.list()).toEqual([]);
  await tokens.create(NEW);
  expect(await redis.client.hlen(UI_TOKENS)).toBe(1);
});

it('records its last use, once a minute', async () => {
  const { secret, token } = await tokens.create(NEW);
  expect((await tokens.list())[0]?.lastUsedAt).toBeUndefined();
  await tokens.verify(secret);
  const [used] = await tokens.list();
  expect(used?.lastUsedAt).toBeGreaterThanOrEqual(token.createdAt);
  await delay(5);
  await tokens.verify(secret);
  expect((await tokens.list())[0]?.lastUsedAt).toBe(used?.lastUsedAt);
});

it('opens nothing once it is revoked', async () => {
  const { secret, token } = await tokens.create(NEW);
  await tokens.verify(secret);
  expect((await tokens.revoke(token.id))?.name).toBe('nightly report');
  expect(await tokens.revoke(token.id)).toBeUndefined();
  expect(await tokens.verify(secret)).toBeUndefined();
  expect(await redis.client.exists(UI_TOKENS, UI_TOKEN_USES)).toBe(0);
});

it('is bounded in number, and ended tokens do not count', async () => {
  const filler = Object.fromEntries(
    Array.from({ length: MAX_TOKENS }, (_, index) => [
      `hash${String(index)}`,
      JSON.stringify({
        name: 'x',
        role: 'viewer',
        created_by: 'ada',
        created_at: 1,
        expires_at: index === 0 ? 2 : Number.MAX_SAFE_INTEGER,
      }),
    ]),
  );
  await redis.client.hset(UI_TOKENS, filler);
  await tokens.create(NEW);
  await expect(tokens.create(NEW)).rejects.toMatchObject({
    name: 'ChangeRefused',
    message: expect.stringMatching(/there are already 1000 API tokens/),
  });
});

it('fails closed without Redis', async () => {
  const { secret } = await tokens.create(NEW);
  await redis.pause();
  const hasty = createApiTokens({ client: redis.client, deadlineMs: 100 });
  await expect(hasty.verify(secret)).rejects.toMatchObject({ type: 'redis_unavailable' });
  await redis.resume();
});
