import type { LockCause } from './lock-cause.ts';
import type { RiskEvent, RiskOutcome, RiskSettings } from './store.ts';

/** Scored events (docs/risk.md), with the counters that they increment. */
export const TRIGGERS = {
  policy_block: { points: 10, counter: 'total_policy_blocks' },
  quarantine: { points: 25, counter: undefined },
  escalation: { points: 15, counter: 'total_escalations' },
  /** A flag that is new in its session. */
  taint: { points: 5, counter: undefined },
  secret_exfiltration: { points: 30, counter: undefined },
  /** `server.dlp.action: quarantine` without a secret. */
  data_exfiltration: { points: 30, counter: undefined },
} as const;

/** Taint for a secret in an answer. The taint itself adds no score. */
export const SECRET_TAINT = 'secret_accessed';

/** Duration of a lock for a score over `auto_quarantine_threshold`, and default of `quarantine set` (docs/risk.md). */
export const DEFAULT_LOCK_MS = 3_600_000;

export const MEMORY = {
  /** A finding scores once in this time, because agents resend their history with every turn. */
  findingMs: 86_400_000,
  /** If there are more, the oldest may score again. */
  maxFindings: 10_000,
  /** For all sessions. If there are more, the oldest may score again. */
  maxKnownFlags: 10_000,
  /** Further flags score but are not stored. */
  maxTaintFlags: 64,
} as const;

const MAX_EVENT_FINDINGS = 64;
const MAX_FLAG_CHARS = 128;
const MAX_FINDING_CHARS = 256;

export interface Scoring {
  readonly points: number;
  readonly counter: 'total_policy_blocks' | 'total_escalations' | undefined;
  readonly findings: readonly string[];
  readonly flag: string | undefined;
  /** Whether the event scores only if the flag is new in its session. */
  readonly flagScores: boolean;
  readonly flagMemoryId: string | undefined;
  /** Duration of a lock that does not depend on the score. 0: no lock. */
  readonly ownLockMs: number;
  readonly cause: LockCause | undefined;
}

export function toScoring(
  event: RiskEvent,
  settings: Pick<RiskSettings, 'autoQuarantineThreshold'>,
): Scoring {
  const { points, counter } = TRIGGERS[event.trigger];
  const flag = flagOf(event);
  const ownLockMs = ('lockMs' in event ? event.lockMs : undefined) ?? 0;
  return {
    points,
    counter,
    findings: reportedFindings(event),
    flag,
    flagScores: event.trigger === 'taint',
    flagMemoryId: flag === undefined ? undefined : memoryId(event, flag),
    ownLockMs,
    cause: ownLockMs > 0 ? ownCause(event) : scoreCause(event, settings),
  };
}

/** Returns the outcome without risk profiles, when only the event's own lock applies. */
export function lockOnly(ownLockMs: number): RiskOutcome {
  return {
    riskScore: 0,
    scored: false,
    blocked: false,
    ...(ownLockMs > 0 && { lock: { ttlMs: ownLockMs } }),
  };
}

function ownCause(event: RiskEvent): LockCause | undefined {
  if (event.trigger === 'quarantine') return { kind: 'policy' };
  return 'cause' in event ? event.cause : undefined;
}

function scoreCause(
  { trigger }: RiskEvent,
  { autoQuarantineThreshold: threshold }: Pick<RiskSettings, 'autoQuarantineThreshold'>,
): LockCause {
  return { kind: 'risk_score', trigger, threshold };
}

function flagOf(event: RiskEvent): string | undefined {
  if (event.trigger === 'taint') return event.flag.slice(0, MAX_FLAG_CHARS);
  return event.trigger === 'secret_exfiltration' ? SECRET_TAINT : undefined;
}

// Unambiguous, because session ids contain no slash.
function memoryId(event: RiskEvent, flag: string): string {
  const sessionId = 'sessionId' in event ? event.sessionId : undefined;
  return `taint:${sessionId ?? ''}/${flag}`;
}

function reportedFindings(event: RiskEvent): readonly string[] {
  const findings = 'findings' in event ? event.findings : undefined;
  return (findings ?? []).slice(0, MAX_EVENT_FINDINGS).map((id) => id.slice(0, MAX_FINDING_CHARS));
}
