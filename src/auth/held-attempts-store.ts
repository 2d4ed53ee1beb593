import * as z from 'zod';
import type { RedisClient } from '../redis/client.ts';
import { heldAttemptsKey, quarantineKey } from '../redis/keys.ts';
import { MARK_MS, markKey } from '../redis/marked-keys.ts';
import { loadScript } from '../redis/script.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';

const countScript = loadScript(new URL('./count-held-attempts.lua', import.meta.url));

const WRITE_EVERY_MS = 1_000;
/** Maximum number of keys with unwritten attempts. Attempts with further keys are not counted. */
const MAX_WAITING_KEYS = 10_000;
/** Lifetime of the counts for a key that is blocked or permanently locked. */
const LIFE_MS = 30 * 86_400_000;

/** The reason for refusal: a lock, or the permanent block. */
export type Hold = 'lock' | 'block';

export interface HeldAttemptCounts {
  /** Neither waits nor throws. */
  count(keyHash: string, hold: Hold): void;
}

interface Waiting {
  attempts: number;
  hold: Hold;
}

export function createHeldAttemptCounts({
  client,
  onNoteFailed,
}: {
  readonly client: RedisClient;
  readonly onNoteFailed: (failure: unknown) => void;
}): HeldAttemptCounts {
  let waiting = new Map<string, Waiting>();

  function write(): void {
    const counted = waiting;
    waiting = new Map();
    for (const [keyHash, { attempts, hold }] of counted) {
      const keys = [quarantineKey(keyHash), heldAttemptsKey(keyHash)];
      countScript.run(client, keys, [attempts, hold === 'lock' ? 1 : 0, LIFE_MS]).catch(onNoteFailed);
      // Locks that were written directly to Redis have no mark.
      markKey(client, keyHash, hold === 'lock' ? MARK_MS : Infinity).catch(onNoteFailed);
    }
  }

  return {
    count(keyHash, hold) {
      const known = waiting.get(keyHash);
      if (known !== undefined) {
        known.attempts += 1;
        known.hold = hold;
        return;
      }
      if (waiting.size >= MAX_WAITING_KEYS) return;
      if (waiting.size === 0) setTimeout(write, WRITE_EVERY_MS).unref();
      waiting.set(keyHash, { attempts: 1, hold });
    },
  };
}

export interface HeldAttempts {
  readonly attempts: number;
  /** Unix ms in Redis time. */
  readonly lastAt: number;
}

export interface HeldAttemptStore {
  /** Returns undefined if there are no attempts. Throws GatewayError redis_unavailable. */
  read(keyHash: string): Promise<HeldAttempts | undefined>;
}

const stored = z.object({ attempts: z.coerce.number(), last_at: z.coerce.number() });

export function createHeldAttemptStore({
  client,
  deadlineMs,
}: {
  readonly client: RedisClient;
  readonly deadlineMs: number;
}): HeldAttemptStore {
  return {
    read: (keyHash) =>
      withRedisDeadline(deadlineMs, async () => {
        const read = stored.safeParse(await client.hgetall(heldAttemptsKey(keyHash)));
        return read.success ? { attempts: read.data.attempts, lastAt: read.data.last_at } : undefined;
      }),
  };
}
