import { MAX_EVENT_FINDINGS, SECRET_TAINT, TRIGGERS } from './scoring.ts';
import type { LockCause } from './lock-cause.ts';
import type { RiskEvent, RiskOutcome, RiskSettings } from './store.ts';

/** Effect of an event, independent of the store. */
export interface Scoring {
  readonly points: number;
  /** Counter to increase. */
  readonly counter: 'total_policy_blocks' | 'total_escalations' | undefined;
  readonly findings: readonly string[];
  /** A taint flag that the profile keeps. */
  readonly flag: string | undefined;
  /** No points if the flag's session has it already. */
  readonly flagScores: boolean;
  readonly flagMemoryId: string | undefined;
  /** Locks regardless of the score; 0 does not lock. */
  readonly ownLockMs: number;
  readonly cause: LockCause | undefined;
}

const MAX_FLAG_CHARS = 128;
const MAX_FINDING_CHARS = 256;

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

/** Returns the outcome of an event without risk profiles: its own lock applies. */
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

// Session ids contain no slash.
function memoryId(event: RiskEvent, flag: string): string {
  const sessionId = 'sessionId' in event ? event.sessionId : undefined;
  return `taint:${sessionId ?? ''}/${flag}`;
}

function reportedFindings(event: RiskEvent): readonly string[] {
  const findings = 'findings' in event ? event.findings : undefined;
  return (findings ?? []).slice(0, MAX_EVENT_FINDINGS).map((id) => id.slice(0, MAX_FINDING_CHARS));
}
