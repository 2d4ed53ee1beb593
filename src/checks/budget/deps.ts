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
  /** Called when a threshold of `alerting.thresholds` is first crossed in its window. */
  readonly onCrossed: (window: string) => void;
  /** Called for the same threshold milliseconds later, with the current spend. */
  readonly onAlert: (alert: BudgetAlert) => void;
  /** Called with the worst-case cost of a request, even if there is no budget and nothing is reserved. */
  readonly onReserved: (exchange: Parsed, reservedNanoUsd: number) => void;
  /** Called when a request is charged for the first time, not when the settlement is retried. */
  readonly onCharged: (exchange: Parsed, costNanoUsd: number) => void;
  /** Called when the real cost exceeded the reservation; it was charged in full. */
  readonly onOverReservation: () => void;
  /** Called when an answer reported more expensive billing than requested; the difference was charged. */
  readonly onHigherCharge: (exchange: Parsed, differenceNanoUsd: number) => void;
  /** Called when an absurd usage was rejected, and the reservation was charged instead. */
  readonly onAbsurdUsage: (exchange: Parsed, reason: string) => void;
  /** Called when a renewal or settlement fails; it is retried in the background. */
  readonly onFailure: (cause: unknown) => void;
  readonly renewAfterMs?: number;
  /** Monotonic time in milliseconds: an adjusted system clock could change the cost of an answer. */
  readonly now?: () => number;
}

export interface BudgetAlert {
  readonly keyHash: string;
  readonly keyName: string;
  readonly window: string;
  /** The shared budget of the window; absent if the window belongs to a key. */
  readonly budget?: string;
  readonly thresholdPercent: number;
  /** Percentage of the limit, rounded down; at least the threshold. */
  readonly percent: number;
  readonly spentUsd: number | null;
  readonly limitUsd: number;
}
