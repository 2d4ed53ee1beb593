import type { Batch } from '../../pipeline/batch.ts';

export interface Slot {
  /** False if the quota is used up. The request then consumed nothing. */
  readonly taken: boolean;
  /** Number of requests that would pass now. */
  readonly remaining: number;
  /** Time until the next slot is free; 0 if a slot is free now. */
  readonly waitMs: number;
  /** Time until the whole quota is free. */
  readonly fullMs: number;
}

export interface RateLimitStore {
  /**
   * Takes a slot of the key's quota if one is free. Up to `quota` slots accumulate; they refill evenly over `windowMs`.
   */
  takeSlot(keyHash: string, quota: number, windowMs: number, batch?: Batch): Promise<Slot>;
}
