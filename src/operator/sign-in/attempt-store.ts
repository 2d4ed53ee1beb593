import * as z from 'zod';
import { addressGroup } from '../../address-counts.ts';
import type { RedisStoreOptions } from '../../redis/client.ts';
import { uiAttemptsKey } from '../../redis/keys.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';

const countScript = loadScript(new URL('./count-attempt.lua', import.meta.url));

const MINUTE_MS = 60_000;
const MAX_ATTEMPTS_A_MINUTE = { perAddress: 10, total: 60 } as const;
const ALL = 'all';
const reply = z.tuple([z.int(), z.int()]);

/** Limits attempts to sign in. Failures throw `redis_unavailable`. */
export interface SignInAttempts {
  /**
   * Counts an attempt before the credentials are checked. Returns the time to wait in ms, or 0.
   * @param scope `all` also counts all addresses together, against distributed password guessing. Strangers can exhaust
   * this count, so it is used only for passwords
   */
  count(address: string, scope: 'address' | 'all'): Promise<number>;
  /** Resets the address's count after a sign-in. */
  forget(address: string): Promise<void>;
}

export function createSignInAttempts({
  client,
  deadlineMs,
  now = Date.now,
}: RedisStoreOptions): SignInAttempts {
  const keyOf = (who: string): string => uiAttemptsKey(who, Math.floor(now() / MINUTE_MS));
  return {
    count: (address, scope) =>
      withRedisDeadline(deadlineMs, async () => {
        const keys = [keyOf(addressGroup(address)), ...(scope === 'all' ? [keyOf(ALL)] : [])];
        const [perAddress, total] = reply.parse(
          await countScript.run(client, keys, [2 * MINUTE_MS, MAX_ATTEMPTS_A_MINUTE.perAddress]),
        );
        const isOver = perAddress > MAX_ATTEMPTS_A_MINUTE.perAddress || total > MAX_ATTEMPTS_A_MINUTE.total;
        return isOver ? MINUTE_MS - (now() % MINUTE_MS) : 0;
      }),
    forget: (address) =>
      withRedisDeadline(deadlineMs, async () => {
        await client.del(keyOf(addressGroup(address)));
      }),
  };
}
