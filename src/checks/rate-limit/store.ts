import type { Batch } from '../../pipeline/batch.ts';

/** The outcome for one request. */
export interface Slot {
  /** False: the quota is used up, and this request used none of it. */
  readonly taken: boolean;
  /** Requests that would still pass now. */
  readonly remaining: number;
  /** Until the next slot is free; 0 while there is one. */
  readonly waitMs: number;
  /** Until the whole quota is free again. */
  readonly fullMs: number;
}

/** Rate limits by key, shared by gateways or in this process. */
export interface RateLimitStore {
  /**
   * Takes one slot of the key's quota, if one is free. Up to `quota` slots accumulate and refill evenly over
   * `windowMs`.
   */
  takeSlot(keyHash: string, quota: number, windowMs: number, batch?: Batch): Promise<Slot>;
}
