import { PASS, type Check } from '../../pipeline/check.ts';
import { policyCallOf } from './policy-call.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import type { TrustSettings } from '../../policy/trust.ts';
import type { Judge } from './judge.ts';

export interface PolicyDeps {
  /** Returns the policy set in force. */
  readonly policies: () => PolicySet;
  readonly judge: Judge;
  /** `policy.trust`. */
  readonly trust: TrustSettings;
}

/**
 * Asks the policies about each model and tool call (docs/policies.md). A call that cannot be judged is
 * denied.
 */
export function createPolicyCheck({ policies, judge, trust }: PolicyDeps): Check<unknown, 'policy'> {
  return {
    name: 'policy',
    shadowable: true,
    repeatable: true,
    requestBody(exchange) {
      const call = policyCallOf(exchange, trust);
      if (call === undefined) return PASS;
      const judged = { set: policies(), call };
      exchange.facts.judged = judged;
      return judge(exchange, judged);
    },
  };
}
