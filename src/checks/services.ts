import type { ReportSecretLeak } from './report-secret-leak.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { RiskStore } from '../risk/store.ts';
import type { Audit } from '../telemetry/audit.ts';
import type { BudgetCheckDeps } from './budget/deps.ts';
import type { DlpCheckDeps } from './dlp/deps.ts';
import type { DriftStore } from './drift/store.ts';
import type { LoopStore } from './loop/store.ts';
import type { McpBreakerDeps } from './mcp-breaker/check.ts';
import type { BreakerStore } from './mcp-breaker/store.ts';
import type { PinStore } from './mcp-inspector/store.ts';
import type { McpCheckDeps } from './mcp/check.ts';
import type { McpSessionStore } from './mcp/session-binding/store.ts';
import type { PolicyMaskDeps } from './policy-mask/check.ts';
import type { Judge, JudgeDeps } from './policy/judge.ts';
import type { PolicyStateDeps } from './policy/state-check.ts';
import type { RateLimitStore } from './rate-limit/store.ts';
import type { SessionStore } from './session/store.ts';

/** Where the checks keep what they know of earlier calls: Redis, or this process. */
export interface CheckStores {
  readonly sessions: SessionStore;
  readonly risk: RiskStore;
  readonly mcpSessions: McpSessionStore;
  readonly pins: PinStore;
  readonly loops: LoopStore;
  readonly drift: DriftStore;
}

/** What counts time and money, and who is told of it. */
export interface Counting {
  readonly rateLimits: RateLimitStore;
  readonly circuits: BreakerStore;
  readonly circuitChanged: McpBreakerDeps['onChange'];
  readonly ledger: Pick<
    BudgetCheckDeps,
    | 'store'
    | 'onAlert'
    | 'onReserved'
    | 'onCharged'
    | 'onOverReservation'
    | 'onToldDearer'
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
  readonly stores: CheckStores;
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
