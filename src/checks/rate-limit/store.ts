import type { Batch } from '../../pipeline/batch.ts';
import type { RedisStoreOptions } from '../../redis/client.ts';
import { rateLimitKey } from '../../redis/keys.ts';
import { createOperations } from '../../redis/batch.ts';
import { count, tupleOf, yes } from '../../redis/reply.ts';
import { loadScript } from '../../redis/script.ts';

export interface Slot {
  /** False if the quota is used up. The request then consumed nothing. */
  readonly taken: boolean;
  readonly remaining: number;
  /** Time until the next slot is free; 0 if a slot is free now. */
  readonly waitMs: number;
  readonly fullMs: number;
}

export interface RateLimitStore {
  /** Takes a slot of the key's quota if one is free. Slots refill evenly over `windowMs`, up to `quota`. */
  takeSlot(keyHash: string, quota: number, windowMs: number, batch?: Batch): Promise<Slot>;
}

const takeScript = loadScript(new URL('./take-slot.lua', import.meta.url));

const takeReply = tupleOf(yes, count, count, count);

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
