import type { RedisClient } from './client.ts';
import { isReplyOf, wrongShape } from './reply.ts';

const MIN_PLAUSIBLE_SECONDS = 1_000_000_000;

const pending = new WeakMap<RedisClient, Promise<number>>();

/** Returns the Redis time in Unix ms. Calls before the next microtask share one `TIME` command. */
export function readClock(client: RedisClient): Promise<number> {
  const known = pending.get(client);
  if (known !== undefined) return known;
  const time = fetchTime(client);
  pending.set(client, time);
  queueMicrotask(() => pending.delete(client));
  return time;
}

async function fetchTime(client: RedisClient): Promise<number> {
  const reply: unknown = await client.time();
  const [seconds = NaN, micros = NaN] = isReplyOf(2, reply) ? reply.map(Number) : [];
  // An invalid time must not revive an expired key.
  if (!(seconds > MIN_PLAUSIBLE_SECONDS) || !Number.isInteger(micros)) throw wrongShape();
  return seconds * 1_000 + Math.floor(micros / 1_000);
}
