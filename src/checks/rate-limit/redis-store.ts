import type { RedisStoreOptions } from '../../redis/client.ts';
import { rateLimitKey } from '../../redis/keys.ts';
import { createOperations } from '../../redis/batch.ts';
import { count, tupleOf, yes } from '../../redis/reply.ts';
import { loadScript } from '../../redis/script.ts';
import type { RateLimitStore } from './store.ts';

const takeScript = loadScript(new URL('./take-slot.lua', import.meta.url));

const takeReply = tupleOf(yes, count, count, count);

/** Keeps rate limits in Redis, shared by all gateways. */
export function createRedisRateLimitStore(options: RedisStoreOptions): RateLimitStore {
  const { client, deadlineMs, now } = options;
  const operations = createOperations(client, deadlineMs);
  return {
    takeSlot: (keyHash, quota, windowMs, batch) =>
      operations.run(
        {
          script: takeScript,
          keys: [rateLimitKey(keyHash)],
          args: [now === undefined ? '' : now(), quota, windowMs],
          read(reply) {
            const [taken, remaining, waitMs, fullMs] = takeReply(reply);
            return { taken, remaining, waitMs, fullMs };
          },
        },
        batch,
      ),
  };
}
