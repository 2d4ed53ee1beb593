import type { Decision, RuleHit } from './decision.ts';

export type DefaultAction = 'allow' | 'deny';

/** What a call gets that nothing allowed and nothing denied (docs/policies.md); `written` is `policy.default_action`. */
export function defaultActionOf(written: DefaultAction | undefined, canAllow: boolean): DefaultAction {
  return written ?? (canAllow ? 'deny' : 'allow');
}

/** From the strongest; `none`: no rule decides, and the default action does. */
export const VERDICTS = ['quarantine', 'deny', 'escalate', 'mask', 'allow', 'none'] as const;
export type PolicyVerdict = (typeof VERDICTS)[number];

/** The strongest kind of rule that fired, and which did. */
export function strongestOf(decision: Decision): {
  readonly verdict: PolicyVerdict;
  readonly by: readonly RuleHit[];
} {
  for (const verdict of VERDICTS) {
    if (verdict !== 'none' && decision[verdict].length > 0) return { verdict, by: decision[verdict] };
  }
  return { verdict: 'none', by: [] };
}

/** Whether a call is sent, where nothing else keeps it: what is masked is not allowed by that. */
export function passes(
  { quarantine, deny, escalate, allow }: Decision,
  defaultAction: DefaultAction,
): boolean {
  if (quarantine.length + deny.length + escalate.length > 0) return false;
  return allow.length > 0 || defaultAction === 'allow';
}
