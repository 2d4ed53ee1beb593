import type { CoreConfig } from '../../config/core.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { Pricing } from '../../pricing/price.ts';
import type { BudgetStore } from './store.ts';

export interface BudgetCheckDeps {
  readonly config: Pick<CoreConfig, 'pricing' | 'proxy'> & {
    readonly session: Pick<CoreConfig['session'], 'ttl'>;
  };
  readonly pricing: Pricing;
  readonly store: BudgetStore;
  /** A threshold of `alerting.thresholds` was reached for the first time in its window. */
  readonly onAlert: (alert: BudgetAlert) => void;
  /** A request's worst case was reserved; a request without a budget reserves nothing and is told all the same. */
  readonly onReserved: (exchange: Parsed, reservedNanoUsd: number) => void;
  /** A request was charged for the first time; retries of its settlement do not call again. */
  readonly onCharged: (exchange: Parsed, costNanoUsd: number) => void;
  /** A real cost was over its reservation, and was charged all the same. */
  readonly onOverReservation: () => void;
  /** An answer told of a dearer billing than was asked for, and the difference was charged. */
  readonly onToldDearer: (exchange: Parsed, differenceNanoUsd: number) => void;
  /** A usage was not believed, and the reservation was charged in its place. */
  readonly onAbsurdUsage: (exchange: Parsed, told: string) => void;
  /** Redis did not take a renewal or settlement; it is repeated in the background. */
  readonly onFailure: (cause: unknown) => void;
  /** A third of the store's lease. */
  readonly renewAfterMs?: number;
  /**
   * Monotonic milliseconds. This process's own suffice: where it dies, the lease charges all, and a clock that is set
   * would change what an answer costs.
   */
  readonly now?: () => number;
}

export interface BudgetAlert {
  readonly keyHash: string;
  readonly keyName: string;
  readonly window: string;
  readonly percent: number;
  readonly limitUsd: string;
}
