import type { CoreConfig } from '../../config/core.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { Pricing } from '../../pricing/price.ts';
import type { FindShared } from './shared.ts';
import type { BudgetStore } from './store.ts';
import type { ToolCost } from './tool-costs.ts';

export interface BudgetCheckDeps {
  readonly config: Pick<CoreConfig, 'pricing' | 'proxy'> & {
    readonly session: Pick<CoreConfig['session'], 'ttl'>;
  };
  readonly pricing: Pricing;
  readonly store: BudgetStore;
  readonly toolCost: ToolCost;
  readonly findShared: FindShared;
  /** Called when a threshold of `alerting.thresholds` is first reached in its window. */
  readonly onCrossed: (window: string) => void;
  /** Called for the same threshold some milliseconds later, with the spend. */
  readonly onAlert: (alert: BudgetAlert) => void;
  /** Called with a request's worst case; also without a budget, when nothing is reserved. */
  readonly onReserved: (exchange: Parsed, reservedNanoUsd: number) => void;
  /** Called when a request is first charged; retries of the settlement do not call it. */
  readonly onCharged: (exchange: Parsed, costNanoUsd: number) => void;
  /** Called when a real cost exceeded its reservation; it was charged in full. */
  readonly onOverReservation: () => void;
  /** Called when an answer reported more expensive billing than requested; the difference was charged. */
  readonly onHigherCharge: (exchange: Parsed, differenceNanoUsd: number) => void;
  /** Called when a usage was rejected, and the reservation charged instead. */
  readonly onAbsurdUsage: (exchange: Parsed, reason: string) => void;
  /** Called when a renewal or settlement failed; it is retried in the background. */
  readonly onFailure: (cause: unknown) => void;
  readonly renewAfterMs?: number;
  /** Monotonic milliseconds of this process: an adjustable clock could change an answer's cost. */
  readonly now?: () => number;
}

export interface BudgetAlert {
  readonly keyHash: string;
  readonly keyName: string;
  readonly window: string;
  /** The window's shared budget; absent for a window of the key. */
  readonly budget?: string;
  readonly thresholdPercent: number;
  /** Spend in whole percent of the limit; at least the threshold. */
  readonly percent: number;
  /** Null if it could not be read. */
  readonly spentUsd: number | null;
  readonly limitUsd: number;
}
