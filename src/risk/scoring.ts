/** Scored events (docs/risk.md), with the profile's counter that each increases. */
export const TRIGGERS = {
  policy_block: { points: 10, counter: 'total_policy_blocks' },
  quarantine: { points: 25, counter: undefined },
  escalation: { points: 15, counter: 'total_escalations' },
  /** For a flag that is new in its session. */
  taint: { points: 5, counter: undefined },
  secret_exfiltration: { points: 30, counter: undefined },
  /** `server.dlp.action: quarantine` without a secret: the action is scored (docs/risk.md). */
  data_exfiltration: { points: 30, counter: undefined },
} as const;

/** The taint left by a secret in an answer; it scores no taint points. */
export const SECRET_TAINT = 'secret_accessed';

/**
 * Duration of the lock set by a score over `auto_quarantine_threshold`, and the default of `quarantine set`
 * (docs/risk.md).
 */
export const DEFAULT_LOCK_MS = 3_600_000;

/** Limits of what is remembered for one key. */
export const MEMORY = {
  /** The same finding scores once in this time, since agents send their history with every turn. */
  findingMs: 86_400_000,
  /** Beyond this, the oldest are forgotten and may score again. */
  maxFindings: 10_000,
  /** Flags of all its sessions; beyond this, the oldest are forgotten and may score again. */
  maxKnownFlags: 10_000,
  /** Flags kept in the profile; further ones score, but are not kept. */
  maxTaintFlags: 64,
} as const;

/** Findings considered per event. */
export const MAX_EVENT_FINDINGS = 64;
