/** Scored events (docs/risk.md), with the counters that they increase. */
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

/** Taint of a secret in an answer; it scores no taint points. */
export const SECRET_TAINT = 'secret_accessed';

/** Lock of a score over `auto_quarantine_threshold`, and default of `quarantine set` (docs/risk.md). */
export const DEFAULT_LOCK_MS = 3_600_000;

/** Memory of one key. */
export const MEMORY = {
  /** A finding scores once in this time, since agents repeat their history with every turn. */
  findingMs: 86_400_000,
  /** Beyond this, the oldest ones may score again. */
  maxFindings: 10_000,
  /** Flags of all sessions; beyond this, the oldest ones may score again. */
  maxKnownFlags: 10_000,
  /** Further flags score, but are not kept. */
  maxTaintFlags: 64,
} as const;

export const MAX_EVENT_FINDINGS = 64;
