import type { Config } from '../../config/schema.ts';
import { retryAfter } from '../../errors.ts';
import { HEADER } from '../../headers.ts';
import { PASS, type Check } from '../../pipeline/check.ts';
import { timeSpan, wholeSeconds } from '../../text/time-span.ts';
import type { RateLimitStore, Slot } from './store.ts';

export interface RateLimitDeps {
  readonly config: Config['rate_limit'];
  readonly store: RateLimitStore;
}

const WINDOW_SECONDS = 60;

/**
 * Holds a key to so many requests a minute, whatever they ask for (SPEC "Limits"): right after the key itself, so that
 * a request that is malformed or leads nowhere takes a slot too, and a refused one's body is never read.
 */
export function createRateLimitCheck({ config, store }: RateLimitDeps): Check {
  const name = 'rate-limit';
  if (!config.enabled) return { name, shadowable: false };
  const quota = config.requests_per_minute;
  return {
    name,
    shadowable: false,
    async admit({ key, responseHeaders }) {
      const slot = await store.takeSlot(key.keyHash, quota, WINDOW_SECONDS * 1_000);
      responseHeaders.set(HEADER.rateLimitPolicy, `"default";q=${quota};w=${WINDOW_SECONDS}`);
      responseHeaders.set(HEADER.rateLimit, `"default";r=${slot.remaining};t=${resetSeconds(slot)}`);
      if (slot.taken) return PASS;
      return {
        kind: 'deny',
        type: 'rate_limited',
        message: `this key may send ${quota} requests a minute: try again in ${timeSpan(slot.waitMs)}`,
        headers: retryAfter('rate_limited', slot.waitMs),
      };
    },
  };
}

/** With nothing left, a client wants to know when it may go on; else, when it has its whole quota again. */
function resetSeconds({ remaining, waitMs, fullMs }: Slot): number {
  return wholeSeconds(remaining === 0 ? waitMs : fullMs);
}
