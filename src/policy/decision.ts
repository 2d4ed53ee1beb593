import type { RefusalFinding } from '../where-found.ts';

/** A rule that fired, and what it says. */
export interface RuleHit {
  /** As its card names it; of Rego, the rule's name in the package. */
  readonly rule: string;
  /** Told to whoever is refused. May hold what an agent wrote. */
  readonly reason: string;
  /** Where the rule stands; absent where its engine does not tell. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** What its conditions found in the texts, and where; absent where nothing was looked for. */
  readonly found?: readonly RefusalFinding[];
  /** The key's risk score stays as it is (`score: false`). */
  readonly isUnscored?: true;
}

/** A rule that marks the session. */
export interface TaintHit extends RuleHit {
  readonly flag: string;
}

/** A rule that fired in mode `report`: it changes nothing. */
export interface ReportedHit extends RuleHit {
  /** What it would have done. */
  readonly action: 'quarantine' | 'deny' | 'escalate' | 'mask' | 'taint' | 'allow';
}

/** What policies say of one call, each list in a fixed order (docs/policies.md). */
export interface Decision {
  /** The strongest kind that has any wins: quarantine, deny, escalate, mask. */
  readonly quarantine: readonly RuleHit[];
  readonly deny: readonly RuleHit[];
  readonly escalate: readonly RuleHit[];
  /** Rules by which something is taken out of this request. */
  readonly mask: readonly RuleHit[];
  /** Flags that the session gets, unless the call is denied. */
  readonly taint: readonly TaintHit[];
  readonly allow: readonly RuleHit[];
  /** Absent where none did. */
  readonly reported?: readonly ReportedHit[];
}

export const NO_DECISION: Decision = {
  quarantine: [],
  deny: [],
  escalate: [],
  mask: [],
  taint: [],
  allow: [],
};

/** What several engines say of one call, together. */
export function merged(one: Decision, other: Decision): Decision {
  const reported = [...(one.reported ?? []), ...(other.reported ?? [])];
  return {
    quarantine: [...one.quarantine, ...other.quarantine],
    deny: [...one.deny, ...other.deny],
    escalate: [...one.escalate, ...other.escalate],
    mask: [...one.mask, ...other.mask],
    taint: [...one.taint, ...other.taint],
    allow: [...one.allow, ...other.allow],
    ...(reported.length > 0 && { reported }),
  };
}

/** Reasons and flags that are longer are read by nobody, and searched for secrets by nobody. */
const MAX_READ_CHARS = 4_096;
const MAX_SHOWN_CHARS = 512;

/**
 * What a rule says, as it goes into answers, headers, logs and terminals: rules may put into it what an agent wrote.
 * Masked before it is cut: half of a secret would not be known for one.
 */
export function shownReason(text: string, maskSecrets: (text: string) => string): string {
  if (text.length > MAX_READ_CHARS) return 'a policy rule, whose words are too many to be shown';
  return maskSecrets(text).slice(0, MAX_SHOWN_CHARS);
}
