import type { Phase } from '../../pipeline/phase.ts';

/** What a key's rate limit says of one request. */
export interface Slot {
  /** False: the quota is used up, and this request took nothing of it. */
  readonly taken: boolean;
  /** Requests that would pass right after this one. */
  readonly remaining: number;
  /** Until the next slot is free; 0 while there is one. */
  readonly waitMs: number;
  /** Until the whole quota is free again. */
  readonly fullMs: number;
}

/** Where each key stands in its rate limit: one that many gateways share, or one of this process alone. */
export interface RateLimitStore {
  /** Takes one slot of the key's quota, if one is free. `quota` slots can be saved up; they refill evenly in `windowMs`. */
  takeSlot(keyHash: string, quota: number, windowMs: number, phase?: Phase): Promise<Slot>;
}
