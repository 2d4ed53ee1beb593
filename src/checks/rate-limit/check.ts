import { retryAfter } from '../../errors.ts';
import { HEADER } from '../../headers.ts';
import { isParsed, PASS, type Check } from '../../pipeline/check.ts';
import { handled } from '../../pipeline/read-ahead.ts';
import { timeSpan, wholeSeconds } from '../../text/time-span.ts';
import type { RateLimitConfig } from './config.ts';
import type { RateLimitStore, Slot } from './store.ts';

export interface RateLimitDeps {
  readonly config: RateLimitConfig;
  readonly store: RateLimitStore;
}

export interface RateLimitState {
  slot?: Promise<Slot>;
}

const WINDOW_SECONDS = 60;

/** Limits a key's requests per minute, including malformed ones, before reading bodies (docs/rate-limit.md). */
export function createRateLimitCheck({ config, store }: RateLimitDeps): Check<RateLimitState, 'rate-limit'> {
  const name = 'rate-limit';
  if (!config.enabled) return { name, shadowable: false };
  const quota = config.requests_per_minute;
  return {
    name,
    shadowable: false,
    begin: () => ({}),
    prepare(request, state, batch) {
      if (isParsed(request)) return;
      state.slot = handled(store.takeSlot(request.keyHash, quota, WINDOW_SECONDS * 1_000, batch));
    },
    async admit({ responseHeaders }, state) {
      if (state.slot === undefined) throw new Error('the key was not identified');
      const slot = await state.slot;
      responseHeaders.set(HEADER.rateLimitPolicy, `"default";q=${quota};w=${WINDOW_SECONDS}`);
      responseHeaders.set(HEADER.rateLimit, `"default";r=${slot.remaining};t=${resetSeconds(slot)}`);
      if (slot.taken) return PASS;
      return {
        kind: 'deny',
        type: 'rate_limited',
        message: `this key has reached its limit of requests per minute (${quota}): try again in ${timeSpan(slot.waitMs)}`,
        headers: retryAfter('rate_limited', slot.waitMs),
      };
    },
  };
}

/** Returns the time until the next request is possible or, if some remain, until the whole quota is available. */
function resetSeconds({ remaining, waitMs, fullMs }: Slot): number {
  return wholeSeconds(remaining === 0 ? waitMs : fullMs);
}
