import type { BudgetLimits, BudgetWindow, WindowCalendar } from '../../budget-windows.ts';
import type { Batch } from '../../pipeline/batch.ts';

/** How an account resets: at UTC calendar boundaries, at listed times (Unix ms), or only with its ledger. */
export type Calendar = WindowCalendar | 'none' | `at:${string}`;

/** An account that a request is charged to: a window of its key or of a shared budget, or its session. */
export interface Account {
  /** Shared budget name; absent for accounts of a key or session. */
  readonly budget?: string;
  /** Shown in the `X-Gateway-Budget-Window` header and in refusals. ASCII letters, unique in its ledger. */
  readonly name: string;
  /** Accounts in the same ledger, such as all windows of a key, are read and written together. */
  readonly ledger: string;
  readonly calendar: Calendar;
  /** If undefined, spend is recorded without a limit; 0 refuses every request. */
  readonly limitNanoUsd: number | undefined;
  /** Lifetime of an unused ledger; must exceed its longest window. For `none`, the minimum lifetime. */
  readonly idleMs: number;
}

export interface BudgetOperation {
  readonly keyHash: string;
  /** 128 random bits in hex. Repeating a command with the same id has no effect. */
  readonly operationId: string;
  /** Accounts of one ledger must be adjacent. */
  readonly accounts: readonly Account[];
}

export interface Reservation extends BudgetOperation {
  readonly inputNanoUsd: number;
  /** Cost per token of the output limit, for all choices together; may be fractional. */
  readonly outputNanoUsd: number;
  /** The client's output limit. If undefined, the store grants one within the two bounds below. */
  readonly outputTokens: number | undefined;
  readonly maxGrantTokens: number;
  readonly minGrantTokens: number;
  /** Lowest value to which the client's limit may be reduced; undefined if it must not be. */
  readonly lowestTokens: number | undefined;
}

export interface Tightest {
  readonly account: Account;
  /** Limit minus spent and reserved; may be negative. */
  readonly remainingNanoUsd: number;
  /** Time until the window resets; undefined if it never does. */
  readonly resetMs: number | undefined;
}

export type ReserveResult =
  | {
      readonly kind: 'reserved';
      readonly amountNanoUsd: number;
      /** Per choice: the client's limit, possibly lowered, or the granted limit. */
      readonly outputTokens: number;
      /** State after this reservation; undefined if no account has a limit. */
      readonly tightest: Tightest | undefined;
    }
  | { readonly kind: 'refused'; readonly amountNanoUsd: number; readonly tightest: Tightest }
  /** The operation was settled before its reservation arrived, because the request was abandoned. */
  | { readonly kind: 'closed' };

export interface Settlement extends BudgetOperation {
  readonly costNanoUsd: number;
  /** Spend record label (see `spentFor`); absent for a shared budget. */
  readonly spentFor?: string;
  /** True on retries, because an earlier attempt may have been applied although its reply was lost. */
  readonly repeated: boolean;
}

export interface SettleResult {
  /** False if the operation was already settled, or if a retry or release finds no reservation. */
  readonly applied: boolean;
  readonly reservedNanoUsd: number;
  readonly tightest: Tightest | undefined;
  /** Session spend including this cost; undefined if there is no session or it has ended. */
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

/** Limits to set, in nano-USD; null removes a limit. Omitted windows keep their limits. */
export type LimitChanges = { readonly [Window in BudgetWindow]?: number | null };

/** Every method may be repeated; all but `setLimits` are atomic. Failures throw `redis_unavailable`. */
export interface BudgetStore {
  /** If refused, tries the reservation from `otherwise`. Throws BatchAborted if another command was refused. */
  reserve(
    reservation: Reservation,
    batch?: Batch,
    otherwise?: (refused: ReserveResult) => Reservation | undefined,
  ): Promise<ReserveResult>;
  /** Extends the leases. Returns the ids of operations that are settled or lost. */
  renew(keyHash: string, operationIds: readonly string[]): Promise<readonly string[]>;
  settle(settlement: Settlement, batch?: Batch): Promise<SettleResult>;
  release(operation: BudgetOperation): Promise<SettleResult>;
  status(keyHash: string, accounts: readonly Account[]): Promise<readonly AccountStatus[]>;
  /** A key's own limits, or the default budget's if `keyHash` is undefined. */
  getLimits(keyHash: string | undefined): Promise<BudgetLimits>;
  setLimits(keyHash: string | undefined, changes: LimitChanges): Promise<void>;
}
