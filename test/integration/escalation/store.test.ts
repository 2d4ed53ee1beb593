import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { parseEscalationEvent, type EscalationEvent } from '../../../src/escalation/escalation.ts';
import {
  createRedisEscalationStore,
  type NewEscalation,
  type WaitLimits,
} from '../../../src/escalation/redis-store.ts';
import { ESCALATION_REQUESTS, ESCALATIONS_KEY, escalationsOfKey } from '../../../src/redis/keys.ts';
import { subscribe } from '../../../src/redis/subscribe.ts';
import { newEscalation } from '../../support/new-escalation.ts';
import { useTestRedis } from '../../support/redis.ts';

const redis = useTestRedis();
beforeEach(() => redis.flush());

const LIMITS = { waitMs: 30_000, maxPending: 5, maxPendingPerKey: 5 };
const store = () => createRedisEscalationStore({ client: redis.client, deadlineMs: 2_000 });

async function opened(
  waitMs = LIMITS.waitMs,
  limits: Partial<WaitLimits> = {},
  more: Partial<NewEscalation> = {},
) {
  const result = await store().open(newEscalation(more), { ...LIMITS, ...limits, waitMs });
  if (result.kind !== 'opened') throw new Error(`there was no place: ${result.kind}`);
  return result.escalation;
}

/** Outcome for a request that may find no place. */
async function kindOf(more: Partial<NewEscalation> = {}, limits: Partial<WaitLimits> = {}): Promise<string> {
  return (await store().open(newEscalation(more), { ...LIMITS, ...limits })).kind;
}

it('admits no more than there are places, however many arrive at once', async () => {
  const all = await Promise.all(Array.from({ length: 40 }, () => store().open(newEscalation(), LIMITS)));
  const waiting = all.flatMap((one) => (one.kind === 'opened' ? [one.escalation] : []));
  expect(waiting).toHaveLength(LIMITS.maxPending);
  expect(await store().list()).toHaveLength(LIMITS.maxPending);
  const [first] = waiting;
  if (first === undefined) throw new Error('nobody waits');
  await store().close(first, { type: 'escalation.resolved', id: first.id, outcome: 'denied' });
  expect(await kindOf({ key_hash: 'sha256:other' })).toBe('opened');
  expect(await kindOf({ key_hash: 'sha256:other' })).toBe('full');
});

it('gives a key its share of the places, and others theirs, however many arrive at once', async () => {
  const limits = { maxPendingPerKey: 2 };
  const kinds = await Promise.all(Array.from({ length: 20 }, () => kindOf({}, limits)));
  expect(kinds.filter((kind) => kind === 'opened')).toHaveLength(2);
  expect(kinds.filter((kind) => kind === 'over_share')).toHaveLength(18);
  const other = { key_hash: 'sha256:other' };
  const asked = await opened(30_000, limits, other);
  expect(await kindOf(other, limits)).toBe('opened');
  expect(await kindOf(other, limits)).toBe('over_share');
  await store().close(asked, { type: 'escalation.resolved', id: asked.id, outcome: 'denied' });
  expect(await kindOf(other, limits)).toBe('opened');
});

it('lets equal requests of a key share one place, and those of another key another', async () => {
  const { request_digest } = newEscalation();
  const asked = await opened(30_000, {}, { request_digest });
  expect(await kindOf({ request_digest })).toBe('equal');
  expect(await kindOf({ request_digest, key_hash: 'sha256:other' })).toBe('opened');
  expect(await kindOf()).toBe('opened');
  await store().close(asked, { type: 'escalation.resolved', id: asked.id, outcome: 'denied' });
  expect(await kindOf({ request_digest })).toBe('opened');
});

it('keeps its place if a repeat requests it again', async () => {
  const asked = newEscalation();
  const limits = { ...LIMITS, maxPendingPerKey: 1 };
  expect((await store().open(asked, limits)).kind).toBe('opened');
  expect((await store().open(asked, limits)).kind).toBe('opened');
  expect(await kindOf({}, { maxPendingPerKey: 1 })).toBe('over_share');
});

it('frees a place that was not returned, and leaves nothing behind', async () => {
  await Promise.all(Array.from({ length: 5 }, () => opened(50)));
  await delay(80);
  expect(await store().list()).toEqual([]);
  expect(await opened(50)).toBeDefined();
  // Redis counts expired places until it has removed them.
  await expect.poll(() => redis.client.dbsize(), { timeout: 5_000 }).toBe(0);
});

it('frees places that were taken before the clock went back', async () => {
  const now = await store().now();
  for (let nth = 0; nth < LIMITS.maxPending; nth++) {
    await redis.client.zadd(ESCALATIONS_KEY, now + 3_600_000, `taken-${String(nth)}`);
  }
  const shorter = { waitMs: 200 };
  expect(await kindOf({}, shorter)).toBe('full');
  await delay(250);
  expect(await kindOf({}, shorter)).toBe('opened');
});

it('frees a key’s places that were taken before the clock went back', async () => {
  const now = await store().now();
  const key_hash = 'sha256:back';
  await redis.client.zadd(escalationsOfKey(key_hash), now + 3_600_000, 'digest id');
  const shorter = { waitMs: 200, maxPendingPerKey: 1 };
  expect(await kindOf({ key_hash }, shorter)).toBe('over_share');
  await delay(250);
  expect(await kindOf({ key_hash }, shorter)).toBe('opened');
});

it('is taken once, however many try', async () => {
  const { id, expiry } = await opened();
  const taken = await Promise.all(Array.from({ length: 20 }, () => store().take(id, expiry)));
  expect(taken.toSorted()).toEqual([...Array.from({ length: 19 }, () => 'gone'), 'taken']);
});

it('is not taken for a late answer, and remains for one in time', async () => {
  const { id, expiry, requested_at } = await opened();
  expect(await store().take(id, requested_at)).toBe('late');
  expect(await store().take(id, expiry)).toBe('taken');
});

it('keeps the first answer, unless that was invalid', async () => {
  const { id } = await opened();
  expect(await store().answer(id, 'forged', 1_000, '')).toBe('forged');
  expect(await store().answer(id, 'good', 1_000, '')).toBe('forged');
  expect(await store().answer(id, 'good', 1_000, 'forged')).toBe('good');
  expect(await store().answer(id, 'good', 1_000, '')).toBe('good');
  expect(await store().answer(id, 'another', 1_000, 'forged')).toBe('good');
  expect(await store().poll([id, randomUUID()])).toEqual([
    { waits: true, answer: 'good' },
    { waits: false, answer: undefined },
  ]);
});

it('announces a request and its end to listeners', async () => {
  const listener = redis.client.duplicate();
  const events: EscalationEvent[] = [];
  await subscribe(listener, ESCALATION_REQUESTS, (_channel, message) => {
    const event = parseEscalationEvent(message);
    if (event !== undefined) events.push(event);
  });
  await redis.client.publish(ESCALATION_REQUESTS, '{"type":"escalation.requested"}');
  const asked = await opened();
  const end = { type: 'escalation.resolved', id: asked.id, outcome: 'approved', approver: 'ada' } as const;
  await store().close(asked, end);
  await expect.poll(() => events).toEqual([{ type: 'escalation.requested', ...asked }, end]);
  listener.disconnect();
});
