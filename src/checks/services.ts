import type { ReportSecretLeak } from './report-secret-leak.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { RedisStoreOptions } from '../redis/client.ts';
import type { RiskStore } from '../risk/store.ts';
import type { Audit } from '../telemetry/audit.ts';
import type { BudgetCheckDeps } from './budget/deps.ts';
import type { DlpCheckDeps } from './dlp/deps.ts';
import type { McpBreakerDeps } from './mcp-breaker/check.ts';
import type { McpCheckDeps } from './mcp/check.ts';
import type { PolicyMaskDeps } from './policy-mask/check.ts';
import type { Judge, JudgeDeps } from './policy/judge.ts';
import type { PolicyStateDeps } from './policy/state-check.ts';
import type { SessionStore } from './session/store.ts';

/** Stores that several checks share. A check builds a store of its own by `ownStore`. */
export interface SharedStores {
  readonly sessions: SessionStore;
  readonly risk: RiskStore;
}

export type OnRedis = Pick<RedisStoreOptions, 'client' | 'deadlineMs'>;

export interface InMemory {
  /** Unix ms of the recorded call. */
  readonly now: () => number;
}

/** Where checks keep their state: in Redis, or in this process when they judge recorded calls. */
export type StorePlace = ({ readonly kind: 'redis' } & OnRedis) | ({ readonly kind: 'memory' } & InMemory);

/** Both forms of a check's own store. Each imports its module, so that only the form in use is loaded. */
export interface StoreForms<Store> {
  redis(place: OnRedis): Promise<Store>;
  memory(place: InMemory): Promise<Store>;
}

/** Builds a check's own store. Without a form for memory, it returns undefined when recorded calls are judged. */
export interface OwnStore {
  <Store>(forms: StoreForms<Store>): Promise<Store>;
  <Store>(forms: Pick<StoreForms<Store>, 'redis'>): Promise<Store | undefined>;
}

/** What counts time and money, and who is told of it. */
export interface Counting {
  readonly circuitChanged: McpBreakerDeps['onChange'];
  readonly ledger: Pick<
    BudgetCheckDeps,
    | 'onAlert'
    | 'onReserved'
    | 'onCharged'
    | 'onOverReservation'
    | 'onHigherCharge'
    | 'onAbsurdUsage'
    | 'onFailure'
  >;
}

/** What the checks tell while they judge. */
export interface ChecksObserver {
  readonly dlpFound: DlpCheckDeps['onFound'];
  readonly dlpEvidence?: DlpCheckDeps['onEvidence'];
  /** What the inspector found. */
  readonly audit: Audit;
  /** A set could not judge a call. */
  readonly policyTrouble: (cause: unknown) => void;
  readonly policyDecided: JudgeDeps['onDecision'];
  /** The store did not hear of the end of a call. */
  readonly callNotEnded: (cause: unknown) => void;
  /** The store did not hear that a call, which had moved its session, was not made. */
  readonly moveNotUndone: (cause: unknown) => void;
}

/** What several checks do by policies. */
export interface PolicyServices extends Pick<PolicyStateDeps, 'sessions' | 'mark'> {
  readonly current: () => PolicySet;
  readonly judge: Judge;
  readonly masking: Omit<PolicyMaskDeps, 'judgement'>;
}

/** What checks are made of besides the configuration: each takes what it needs. */
export interface CheckServices {
  readonly stores: SharedStores;
  readonly ownStore: OwnStore;
  /** Undefined where recorded calls are judged. */
  readonly counting: Counting | undefined;
  readonly observer: ChecksObserver;
  readonly reportSecretLeak: ReportSecretLeak;
  readonly authenticateAgain: McpCheckDeps['authenticateAgain'];
  /** Undefined where no policy is asked. */
  readonly policies: PolicyServices | undefined;
  /** Makes good what a check still owes to its store, before the store goes. */
  readonly onClose: (close: () => Promise<void>) => void;
}
