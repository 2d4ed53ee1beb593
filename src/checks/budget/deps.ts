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
  /** Called shortly after `onCrossed`, with the current spend if it can be read. */
  readonly onAlert: (alert: BudgetAlert) => void;
  /** Called with the worst-case cost that was reserved, even without a budget. */
  readonly onReserved: (exchange: Parsed, reservedNanoUsd: number) => void;
  /** Called when a settlement is applied, at most once per request. */
  readonly onCharged: (exchange: Parsed, costNanoUsd: number) => void;
  /** Called if the actual cost exceeded the reservation. It was charged in full. */
  readonly onOverReservation: () => void;
  /** Called if an answer reported more expensive terms than requested. The difference was charged. */
  readonly onHigherCharge: (exchange: Parsed, differenceNanoUsd: number) => void;
  /** Called if implausible usage was rejected. The reservation was charged instead. */
  readonly onAbsurdUsage: (exchange: Parsed, reason: string) => void;
  /** Called when a renewal, a settlement or a spend query fails. Renewals and settlements are retried. */
  readonly onFailure: (cause: unknown) => void;
  readonly renewAfterMs?: number;
  /** Monotonic time in milliseconds, because a system clock adjustment could change an answer's cost. */
  readonly now?: () => number;
}

export interface BudgetAlert {
  readonly keyHash: string;
  readonly keyName: string;
  readonly window: string;
  /** Shared budget name; absent for a key's own window. */
  readonly budget?: string;
  readonly thresholdPercent: number;
  /** Spent percentage of the limit, rounded down; at least the threshold. */
  readonly percent: number;
  readonly spentUsd: number | null;
  readonly limitUsd: number;
}
