import * as z from 'zod';
import type { RedisStoreOptions } from '../redis/client.ts';
import {
  escalationAnswerKey,
  escalationKey,
  ESCALATION_REQUESTS,
  ESCALATIONS_KEY,
  escalationsOfKey,
} from '../redis/keys.ts';
import { readClock } from '../redis/clock.ts';
import { loadScript } from '../redis/script.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';
import { readEscalation, type Escalation } from './escalation.ts';
import type { EscalationStore } from './store.ts';

const placeScript = loadScript(new URL('./take-place.lua', import.meta.url));
const takeScript = loadScript(new URL('./take-escalation.lua', import.meta.url));
const answerScript = loadScript(new URL('./put-answer.lua', import.meta.url));

const placeReply = z.tuple([z.enum(['taken', 'full', 'over_share', 'equal']), z.coerce.number().min(0)]);
const takeReply = z.enum(['taken', 'late', 'gone']);
/** Makes a script use the Redis clock (docs/redis.md). */
const NOW = '';
/** Maximum number of listed entries; at most `zsp.max_pending` of this configuration wait. */
const MAX_LISTED = 1_000;

/** The keys are in several slots (places share one, each request has its own): no script can cover both. */
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
