import type { RateLimitStore } from '../../../src/checks/rate-limit/store.ts';

/** Above this number, the least recently used keys are dropped. */
const MAX_KEYS = 10_000;

/** The rate limit of this process alone, for use without Redis. `now` is in ms. */
export function createMemoryRateLimitStore(now: () => number = Date.now): RateLimitStore {
  /** Key hash -> time at which its whole quota is free, in microseconds as in take-slot.lua. */
  const freeAt = new Map<string, number>();

  return {
    takeSlot(keyHash, quota, windowMs) {
      const at = now() * 1_000;
      const interval = Math.ceil((windowMs * 1_000) / quota);
      const whole = interval * quota;
      const stored = (freeAt.get(keyHash) ?? 0) - at;
      let used = Math.min(Math.max(stored, 0), whole);
      const taken = used + interval <= whole;
      if (taken) used += interval;
      if (taken || stored > whole) {
        freeAt.delete(keyHash);
        freeAt.set(keyHash, at + used);
        if (freeAt.size > MAX_KEYS) freeAt.delete(freeAt.keys().next().value ?? '');
      }
      return Promise.resolve({
        taken,
        remaining: Math.floor((whole - used) / interval),
        waitMs: Math.ceil(Math.max(used + interval - whole, 0) / 1_000),
        fullMs: Math.ceil(used / 1_000),
      });
    },
  };
}
