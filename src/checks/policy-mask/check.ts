import { calledTool } from '../../mcp/message.ts';
import { PASS, type Check, type Denial, type Verdict } from '../../pipeline/check.ts';
import { withholdHeaders } from '../../pipeline/carried.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { policyDenied, toolDenied } from '../denials.ts';
import type { MaskRule } from '../../policy/cards/mask-rule.ts';
import type { Masks } from '../../policy/masking/masks.ts';
import { createAnswerRewriter, maskAnswer } from '../../inspect/whole/mask-answer.ts';
import { maskRequest } from './model-calls.ts';
import { createResultRewriter, maskWholeResult } from './tool-results.ts';

export interface PolicyMaskDeps {
  /** The judgement whose masks apply: the first one, or the second one after the session changed. */
  readonly judgement: 'judged' | 'judgedAgain';
  readonly masksOf: (rules: readonly MaskRule[]) => Masks | undefined;
}

export interface PolicyMaskState {
  masks: Masks | undefined;
}

/**
 * Masks what policy `mask` rules match in a call and its answer, using the policy set that judged the call. If a call
 * is judged twice, a second check also applies the second judgement's masks.
 */
export function createPolicyMaskCheck(deps: PolicyMaskDeps): Check<PolicyMaskState, 'policy'> {
  const { judgement, masksOf } = deps;

  function mask(exchange: Parsed, state: PolicyMaskState): Verdict | Promise<Verdict> {
    const { [judgement]: judged } = exchange.facts;
    const masks = judged && masksOf(judged.set.masksFor(judged.call));
    state.masks = masks;
    return masks === undefined ? PASS : maskBy(exchange, masks);
  }

  async function maskBy(exchange: Parsed, masks: Masks): Promise<Verdict> {
    const { rules, unmaskable, edits, headers } = await maskRequest(exchange, masks);
    if (rules.size === 0) return PASS;
    const [first] = unmaskable;
    if (first !== undefined) return { ...notMaskable(exchange, first.rule), findings: unmaskable };
    return {
      kind: 'rewrite',
      reason: `masked in the request: ${[...rules].join(', ')}`,
      apply() {
        for (const edit of edits) exchange.edits.push(edit);
        withholdHeaders(exchange, headers);
      },
    };
  }

  return {
    name: 'policy',
    shadowable: true,
    repeatable: true,
    judgesLast: judgement === 'judgedAgain',
    begin: () => ({ masks: undefined }),
    requestBody: mask,
    response(exchange, { masks }) {
      if (masks?.everywhere === undefined || exchange.origin !== 'provider') return PASS;
      return exchange.mcp === undefined
        ? maskAnswer(exchange, masks)
        : maskWholeResult(exchange, masks.everywhere);
    },
    stream(exchange, { masks }) {
      if (masks?.everywhere === undefined) return undefined;
      return exchange.mcp === undefined
        ? createAnswerRewriter(masks)
        : createResultRewriter(masks.everywhere);
    },
  };
}

function notMaskable({ request }: Parsed, rule: string): Denial {
  const reason = `the policy rule ${rule} masks a value that cannot be edited (member name, URL, signed or encoded text): send it as plain text, or leave it out`;
  const tool = calledTool(request.mcp);
  if (tool !== undefined) return toolDenied({ tool, reason, rule });
  return policyDenied(reason, { reason, rule });
}
