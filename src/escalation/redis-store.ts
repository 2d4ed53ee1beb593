import * as z from 'zod';

import type { RedisStoreOptions } from '../redis/client.ts';
import { readClock } from '../redis/clock.ts';
import {
  ESCALATION_REQUESTS,
  escalationAnswerKey,
  escalationKey,
  ESCALATIONS_KEY,
  escalationsOfKey,
} from '../redis/keys.ts';
import { loadScript } from '../redis/script.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';
import { readEscalation, type Escalation, type EscalationEvent } from './escalation.ts';

export type NewEscalation = Omit<Escalation, 'requested_at' | 'expiry'>;

/**
 * Waiting requests of all gateways on one Redis, and their answers. On failure, the methods throw `redis_unavailable`.
 */
export interface EscalationStore {
  open(request: NewEscalation, limits: WaitLimits): Promise<Opened>;
  /** Removes the request so that its answer can be used. Succeeds at most once. */
  take(id: string, answerExpiry: number): Promise<'taken' | 'late' | 'gone'>;
  /** Returns the state of each request, in the order of the ids. */
  poll(ids: readonly string[]): Promise<readonly PollState[]>;
  /** Removes a request after any outcome, and publishes the outcome. */
  close(
    escalation: Escalation,
    event: EscalationEvent & { readonly type: 'escalation.resolved' },
  ): Promise<void>;

  /** Waiting requests, oldest first. */
  list(): Promise<readonly Escalation[]>;
  find(id: string): Promise<Escalation | undefined>;
  /** Stores and publishes an answer. Returns the stored answer, which may be an earlier one. */
  answer(id: string, answer: string, keptMs: number, replaced: string): Promise<string>;
  /** Redis time in Unix ms. */
  now(): Promise<number>;
}

export interface PollState {
  /** False if the request was taken, expired or lost. */
  readonly waits: boolean;
  /** The stored answer, not yet verified. */
  readonly answer: string | undefined;
}

export type Opened =
  | { readonly kind: 'opened'; readonly escalation: Escalation }
  /** No place is free, the key has used its share, or an equal request of the key is open. */
  | { readonly kind: 'full' | 'over_share' | 'equal' };

export interface WaitLimits {
  readonly waitMs: number;
  readonly maxPending: number;
  readonly maxPendingPerKey: number;
}

const placeScript = loadScript(new URL('./take-place.lua', import.meta.url));
const takeScript = loadScript(new URL('./take-escalation.lua', import.meta.url));
const answerScript = loadScript(new URL('./put-answer.lua', import.meta.url));

const placeReply = z.tuple([z.enum(['taken', 'full', 'over_share', 'equal']), z.coerce.number().min(0)]);
const takeReply = z.enum(['taken', 'late', 'gone']);
/** Makes a script use the Redis clock (docs/redis.md). */
const NOW = '';
const MAX_LISTED = 1_000;

/** No script can cover all keys, because places share one slot, and each request has its own. */
export function createRedisEscalationStore({ client, deadlineMs }: RedisStoreOptions): EscalationStore {
  const within = <T>(work: () => Promise<T>): Promise<T> => withRedisDeadline(deadlineMs, work);

  async function find(id: string): Promise<Escalation | undefined> {
    const json = await client.get(escalationKey(id));
    return json === null ? undefined : readEscalation(json);
  }

  return {
    open: (request, { waitMs, maxPending, maxPendingPerKey }) =>
      within(async () => {
        const { id, key_hash, request_digest } = request;
        const keys = [ESCALATIONS_KEY, escalationsOfKey(key_hash)];
        const args = [NOW, id, waitMs, maxPending, maxPendingPerKey, request_digest];
        const [place, now] = placeReply.parse(await placeScript.run(client, keys, args));
        if (place !== 'taken') return { kind: place };
        const opened = { ...request, requested_at: now, expiry: now + waitMs };
        await client.set(escalationKey(request.id), JSON.stringify(opened), 'PX', waitMs);
        await client.publish(
          ESCALATION_REQUESTS,
          JSON.stringify({ type: 'escalation.requested', ...opened }),
        );
        return { kind: 'opened', escalation: opened };
      }),
    take: (id, answerExpiry) =>
      within(async () =>
        takeReply.parse(await takeScript.run(client, [escalationKey(id)], [NOW, answerExpiry])),
      ),
    poll: (ids) =>
      within(() =>
        Promise.all(
          ids.map(async (id) => {
            const [count, answer] = await Promise.all([
              client.exists(escalationKey(id)),
              client.get(escalationAnswerKey(id)),
            ]);
            return { waits: count === 1, answer: answer ?? undefined };
          }),
        ),
      ),
    close: ({ key_hash, request_digest }, event) =>
      within(async () => {
        await Promise.all([
          client.del(escalationKey(event.id)),
          client.del(escalationAnswerKey(event.id)),
          client.zrem(ESCALATIONS_KEY, event.id),
          client.zrem(escalationsOfKey(key_hash), `${request_digest} ${event.id}`),
        ]);
        await client.publish(ESCALATION_REQUESTS, JSON.stringify(event));
      }),
    list: () =>
      within(async () => {
        const ids = await client.zrange(ESCALATIONS_KEY, 0, MAX_LISTED - 1);
        const found = await Promise.all(ids.map(find));
        return found.filter((escalation) => escalation !== undefined);
      }),
    find: (id) => within(() => find(id)),
    answer: (id, answer, keptMs, replaced) =>
      within(async () => {
        const key = escalationAnswerKey(id);
        const kept = z.string().parse(await answerScript.run(client, [key], [answer, keptMs, replaced]));
        if (kept === answer) await client.publish(key, answer);
        return kept;
      }),
    now: () => within(() => readClock(client)),
  };
}
