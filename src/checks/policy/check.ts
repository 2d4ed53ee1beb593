import { PASS, type Check, type Verdict } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JudgedCall } from '../../pipeline/facts.ts';
import { areModelsAlike, judgedAlike } from './judged-alike.ts';
import { policyCallOf } from './policy-call.ts';
import { policyDenied } from '../denials.ts';
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

const MODELS_APART = policyDenied(
  'the request names several models, and the policies do not decide alike about them: ask for one of them alone',
);

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
      const verdict =
        exchange.request.models.length > 1 ? judgeModels(exchange, judged) : judge(exchange, judged);
      return exchange.fallbacks === undefined ? verdict : withFallbacks(exchange, judged, verdict);
    },
  };

  /** Denies a request that also names a model about which policies decide differently. */
  async function judgeModels(exchange: Parsed, judged: JudgedCall): Promise<Verdict> {
    // Policies that cannot judge are reported and refused with the first model.
    const alike = await areModelsAlike(exchange, judged).catch(() => true);
    return alike ? judge(exchange, judged) : MODELS_APART;
  }

  async function withFallbacks(
    exchange: Parsed,
    judged: JudgedCall,
    judging: Promise<Verdict>,
  ): Promise<Verdict> {
    const verdict = await judging;
    if (verdict.kind === 'deny') return verdict;
    exchange.fallbacks = await judgedAlike(exchange.fallbacks ?? [], judged, (fallback) =>
      policyCallOf(fallback, trust),
    );
    return verdict;
  }
}
