import type { Decision, RuleHit } from './decision.ts';

export type DefaultAction = 'allow' | 'deny';

/**
 * Returns the action for calls that no rule allows or denies (docs/policies.md).
 * @param written `policy.default_action`
 */
export function defaultActionOf(written: DefaultAction | undefined, canAllow: boolean): DefaultAction {
  return written ?? (canAllow ? 'deny' : 'allow');
}

/** Strongest first; `none` leaves the decision to the default action. */
export const VERDICTS = ['quarantine', 'deny', 'escalate', 'mask', 'allow', 'none'] as const;
export type PolicyVerdict = (typeof VERDICTS)[number];

/** Returns the strongest kind of rule that fired, and its rules. */
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
