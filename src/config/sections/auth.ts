import { count, positiveCount, section } from '../fields.ts';

/** Failed attempts and whom to believe about addresses (docs/keys.md#failed-attempts). */
export const auth = section({
  /** Failed authentications of one client address that are answered with full effort. */
  max_failures_per_minute: positiveCount.default(60),
  /** Proxies in front whose `x-forwarded-for` is believed. */
  trusted_hops: count.max(100).default(0),
}).prefault({});
