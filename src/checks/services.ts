import type { ReportSecretLeak } from './report-secret-leak.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { RedisStoreOptions } from '../redis/client.ts';
import type { RiskStore } from '../risk/store.ts';
import type { Audit } from '../telemetry/audit.ts';
import type { BudgetCheckDeps } from './budget/deps.ts';
import type { UsedRatiosParts } from './budget/used-ratios.ts';
import type { DlpCheckDeps } from './dlp/deps.ts';
import type { McpBreakerDeps } from './mcp-breaker/check.ts';
import type { McpCheckDeps } from './mcp/check.ts';
import type { PolicyMaskDeps } from './policy-mask/check.ts';
import type { Judge, JudgeDeps } from './policy/judge.ts';
import type { PolicyStateDeps } from './policy/state-check.ts';
import type { SessionStore } from './session/store.ts';

/** Stores shared by several checks. A check creates its own store with `ownStore`. */
export interface SharedStores {
  readonly sessions: SessionStore;
  readonly risk: RiskStore;
}

export type OnRedis = Pick<RedisStoreOptions, 'client' | 'deadlineMs'>;

export interface InMemory {
  /** Unix time of the recorded call, in milliseconds. */
  readonly now: () => number;
}

/** The place of check state: Redis, or memory for recorded calls. */
export type StorePlace = ({ readonly kind: 'redis' } & OnRedis) | ({ readonly kind: 'memory' } & InMemory);

/** Both forms of a check's own store. Each imports its own module, so that only the form in use is loaded. */
export interface StoreForms<Store> {
  redis(place: OnRedis): Promise<Store>;
  memory(place: InMemory): Promise<Store>;
}

/** Creates a check's own store; undefined for recorded calls if there is no memory form. */
export interface OwnStore {
  <Store>(forms: StoreForms<Store>): Promise<Store>;
  <Store>(forms: Pick<StoreForms<Store>, 'redis'>): Promise<Store | undefined>;
}

/** Rate limits, circuits and the ledger, with their listeners. */
export interface Counting {
  /** Undefined unless `metrics.budget_keys` is set. */
  readonly usedRatios: Pick<UsedRatiosParts, 'maxKeys' | 'show'> | undefined;
  readonly circuitChanged: McpBreakerDeps['onChange'];
  readonly ledger: Pick<
    BudgetCheckDeps,
    | 'onCrossed'
    | 'onAlert'
    | 'onReserved'
    | 'onCharged'
    | 'onOverReservation'
    | 'onHigherCharge'
    | 'onAbsurdUsage'
    | 'onFailure'
  >;
}

export interface ChecksObserver {
  readonly dlpFound: DlpCheckDeps['onFound'];
  readonly dlpEvidence?: DlpCheckDeps['onEvidence'];
  readonly audit: Audit;
  readonly policyTrouble: (cause: unknown) => void;
  readonly policyDecided: JudgeDeps['onDecision'];
  /** Called if the store could not record that a call runs or has ended, or give back its step. */
  readonly callNotEnded: (cause: unknown) => void;
  /** Called if a state move for a call that was not made could not be undone. */
  readonly moveNotUndone: (cause: unknown) => void;
}

export interface PolicyServices extends Pick<PolicyStateDeps, 'sessions' | 'mark'> {
  readonly current: () => PolicySet;
  readonly judge: Judge;
  readonly masking: Omit<PolicyMaskDeps, 'judgement'>;
}

export interface CheckServices {
  readonly stores: SharedStores;
  readonly ownStore: OwnStore;
  /** Undefined for recorded calls. */
  readonly counting: Counting | undefined;
  readonly observer: ChecksObserver;
  readonly reportSecretLeak: ReportSecretLeak;
  readonly authenticateAgain: McpCheckDeps['authenticateAgain'];
  /** Undefined without policies. */
  readonly policies: PolicyServices | undefined;
  /** Registers work to finish before the stores close. */
  readonly onClose: (close: () => Promise<void>) => void;
}
