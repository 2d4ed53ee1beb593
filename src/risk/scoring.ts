/** What is scored (docs/risk.md); the profile's counter that it adds one to, where it has one. */
export const TRIGGERS = {
  policy_block: { points: 10, counter: 'total_policy_blocks' },
  quarantine: { points: 25, counter: undefined },
  escalation: { points: 15, counter: 'total_escalations' },
  /** For a flag that is new in its session. */
  taint: { points: 5, counter: undefined },
  secret_exfiltration: { points: 30, counter: undefined },
  /** `server.dlp.action: quarantine` where nothing found is a secret: the action is scored (docs/risk.md). */
  data_exfiltration: { points: 30, counter: undefined },
} as const;

/** The taint that a secret in an answer leaves behind, without the points of a taint. */
export const SECRET_TAINT = 'secret_accessed';

/** The lock that a score over `auto_quarantine_threshold` sets, and `quarantine set` by default (docs/risk.md). */
export const DEFAULT_LOCK_MS = 3_600_000;

/** What is remembered of one key. */
export const MEMORY = {
  /** One and the same finding scores once in this time: agents send their history again with every turn. */
  findingMs: 86_400_000,
  /** The oldest go first, and may then score again. */
  maxFindings: 10_000,
  /** Flags of all its sessions; the oldest go first, and may then score again. */
  maxKnownFlags: 10_000,
  /** Flags that its profile holds; those beyond score, and are not kept. */
  maxTaintFlags: 64,
} as const;

/** Of one event: those beyond are not looked at. */
export const MAX_EVENT_FINDINGS = 64;
