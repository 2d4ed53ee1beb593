import type { RefusalFinding } from '../where-found.ts';

export interface RuleHit {
  readonly rule: string;
  /** Shown to the refused client. May contain text written by an agent. */
  readonly reason: string;
  /** The rule's file; absent if the engine does not report it. */
  readonly file?: string;
  readonly line?: number;
  /** Matches of the rule's text conditions; absent if there are none. */
  readonly found?: readonly RefusalFinding[];
  /** Set if the rule does not change the key's risk score (`score: false`). */
  readonly isUnscored?: true;
}

export interface TaintHit extends RuleHit {
  readonly flag: string;
}

export interface ReportedHit extends RuleHit {
  readonly action: 'quarantine' | 'deny' | 'escalate' | 'mask' | 'taint' | 'allow';
}

/** Result for one call. Each list is in a fixed order (docs/policies.md). */
export interface Decision {
  /** The strongest kind wins: quarantine, deny, escalate, mask. */
  readonly quarantine: readonly RuleHit[];
  readonly deny: readonly RuleHit[];
  readonly escalate: readonly RuleHit[];
  readonly mask: readonly RuleHit[];
  /** Not applied if the call is denied. */
  readonly taint: readonly TaintHit[];
  readonly allow: readonly RuleHit[];
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

/** Longer reasons and flags are neither scanned for secrets nor shown. */
const MAX_READ_CHARS = 4_096;
const MAX_SHOWN_CHARS = 512;

/**
 * Prepares a rule's text, which may quote an agent, for display. Masks first, because half a secret is not recognized.
 */
export function shownReason(text: string, maskSecrets: (text: string) => string): string {
  if (text.length > MAX_READ_CHARS) return 'a policy rule whose reason is too long to show';
  return maskSecrets(text).slice(0, MAX_SHOWN_CHARS);
}

export type DefaultAction = 'allow' | 'deny';

export function defaultActionOf(written: DefaultAction | undefined, canAllow: boolean): DefaultAction {
  return written ?? (canAllow ? 'deny' : 'allow');
}

/** Strongest first; `none` leaves the decision to the default action. */
export const VERDICTS = ['quarantine', 'deny', 'escalate', 'mask', 'allow', 'none'] as const;
export type PolicyVerdict = (typeof VERDICTS)[number];

export function strongestOf(decision: Decision): {
  readonly verdict: PolicyVerdict;
  readonly by: readonly RuleHit[];
} {
  for (const verdict of VERDICTS) {
    if (verdict !== 'none' && decision[verdict].length > 0) return { verdict, by: decision[verdict] };
  }
  return { verdict: 'none', by: [] };
}

/** Reports whether policies let a call pass. Masking does not allow a call. */
export function passes(
  { quarantine, deny, escalate, allow }: Decision,
  defaultAction: DefaultAction,
): boolean {
  if (quarantine.length + deny.length + escalate.length > 0) return false;
  return allow.length > 0 || defaultAction === 'allow';
}
