import type { BudgetLimits } from '../../pipeline/exchange.ts';
import type { Batch } from '../../pipeline/batch.ts';

/** Renewal of an account: at a UTC calendar boundary, at listed times (Unix ms), or only when its ledger is dropped. */
export type Calendar = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'none' | `at:${string}`;

/** One account that a request is charged to: a window of its key, or its session. */
export interface Account {
  /** Name of the shared budget that it belongs to; absent for those of a key and its session. */
  readonly budget?: string;
  /** Shown in `X-Gateway-Budget-Window` and in refusals; plain letters, unique in its ledger. */
  readonly name: string;
  /** Accounts of one ledger are read and written together, such as all windows of a key. */
  readonly ledger: string;
  readonly calendar: Calendar;
  /** Undefined: spend is recorded and never refused; 0: blocked. */
  readonly limitNanoUsd: number | undefined;
  /** Life of an unused ledger; longer than its longest window. Without a calendar, the minimum life. */
  readonly idleMs: number;
}

/** One reservation of one request, identified by these values. */
export interface BudgetOperation {
  readonly keyHash: string;
  /** A random UUID; repeating a command with it changes nothing. */
  readonly operationId: string;
  /** Accounts of one ledger are adjacent. */
  readonly accounts: readonly Account[];
}

export interface Reservation extends BudgetOperation {
  /** Worst-case cost of the input and of the call itself. */
  readonly inputNanoUsd: number;
  /** Cost of one token of output limit, for all choices together; may be a fraction. */
  readonly outputNanoUsd: number;
  /** The client's own limit; undefined lets the store grant one between the two bounds. */
  readonly outputTokens: number | undefined;
  readonly maxGrantTokens: number;
  readonly minGrantTokens: number;
  /** Lowest value for the client's own limit if it does not fit; undefined keeps it. */
  readonly lowestTokens: number | undefined;
}

/** The account closest to its limit. */
export interface Tightest {
  readonly account: Account;
  /** Limit minus spent and reserved; may be negative. */
  readonly remainingNanoUsd: number;
  /** Until the window renews; undefined if it never does. */
  readonly resetMs: number | undefined;
}

export type ReserveResult =
  | {
      readonly kind: 'reserved';
      readonly amountNanoUsd: number;
      /** Per choice: the client's limit, lowered if necessary, or the granted one. */
      readonly outputTokens: number;
      /** After this reservation; undefined without limits. */
      readonly tightest: Tightest | undefined;
    }
  | { readonly kind: 'refused'; readonly amountNanoUsd: number; readonly tightest: Tightest }
  /** The operation was settled before its reservation arrived, because its request was given up. */
  | { readonly kind: 'closed' };

export interface Settlement extends BudgetOperation {
  readonly costNanoUsd: number;
  /** Provider and model, see `spentFor`, in the records of spend; absent for a shared budget. */
  readonly spentFor?: string;
  /** True on every attempt but the first, since an earlier one may have been applied unnoticed. */
  readonly repeated: boolean;
}

export interface SettleResult {
  /** False if it was settled before, or is unknown. */
  readonly applied: boolean;
  readonly reservedNanoUsd: number;
  readonly tightest: Tightest | undefined;
  /** Spent in the session, this cost included; undefined without a session, or where it has ended. */
  readonly sessionSpentNanoUsd: number | undefined;
  /** Alert thresholds reached for the first time in their window. */
  readonly crossed: readonly { readonly account: Account; readonly percent: number }[];
}

export interface AccountStatus {
  readonly account: Account;
  readonly spentNanoUsd: number;
  readonly reservedNanoUsd: number;
  readonly resetMs: number | undefined;
}

/** A limit to set: nano-USD, or null to remove it; windows left out stay as they are. */
export type LimitChanges = { readonly [Window in keyof BudgetLimits]?: number | null };

/**
 * Where budgets live. Every method is atomic and safe to repeat; a failure of the store throws `redis_unavailable`.
 */
export interface BudgetStore {
  /**
   * @param otherwise what is tried in its place where it is refused
   * @throws BatchAborted where something else of the batch was refused
   */
  reserve(
    reservation: Reservation,
    batch?: Batch,
    otherwise?: (refused: ReserveResult) => Reservation | undefined,
  ): Promise<ReserveResult>;
  /** Puts off the end of the leases; returns the operations that are no longer held. */
  renew(keyHash: string, operationIds: readonly string[]): Promise<readonly string[]>;
  settle(settlement: Settlement, batch?: Batch): Promise<SettleResult>;
  /** Gives a reservation back whole. */
  release(operation: BudgetOperation, options: { readonly repeated: boolean }): Promise<SettleResult>;
  status(keyHash: string, accounts: readonly Account[]): Promise<readonly AccountStatus[]>;
  /** A key's own limits; the default budget's where `keyHash` is undefined. */
  getLimits(keyHash: string | undefined): Promise<BudgetLimits>;
  setLimits(keyHash: string | undefined, changes: LimitChanges): Promise<void>;
}
