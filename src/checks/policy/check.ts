import { PASS, type Check, type Verdict } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JudgedCall } from '../../pipeline/facts.ts';
import { judgedAlike } from './judged-alike.ts';
import { policyCallOf } from './policy-call.ts';
import type { PolicySet } from '../../policy/policy-set.ts';
import type { TrustSettings } from '../../policy/trust.ts';
import type { Judge } from './judge.ts';

export interface PolicyDeps {
  readonly policies: () => PolicySet;
  readonly judge: Judge;
  readonly trust: TrustSettings;
}

/**
 * Judges model calls, and MCP messages with a target or client text, by the policies (docs/policies.md). A call that
 * cannot be judged is denied.
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
      const verdict = judge(exchange, judged);
      return exchange.fallbacks === undefined ? verdict : withFallbacks(exchange, judged, verdict);
    },
  };

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
