import { createPolicyMaskCheck } from '../../../../src/checks/policy-mask/check.ts';
import { policyCallOf } from '../../../../src/checks/policy/policy-call.ts';
import { createCardSet } from '../../../../src/policy/cards/card-set.ts';
import type { Check, Denial } from '../../../../src/pipeline/check.ts';
import type { Answered, Parsed } from '../../../../src/pipeline/exchange.ts';
import { createRunner, type Run } from '../../../../src/pipeline/run.ts';
import type { ObservedVerdict } from '../../../../src/pipeline/enforcement.ts';
import type { MaskPattern, MaskRule } from '../../../../src/policy/cards/mask-rule.ts';
import { createMasksOf } from '../../../../src/policy/masking/masks.ts';
import { applyEdits } from '../../../../src/json/edit.ts';

export interface MaskRig {
  readonly verdicts: (ObservedVerdict & { readonly enforced: boolean })[];
  run(): Run;
}

/** The check as in a gateway, after others. */
export function maskRig(before: readonly Check[] = [], shadowMode = false): MaskRig {
  const check = createPolicyMaskCheck({
    judgement: 'judged',
    masksOf: createMasksOf(),
  });
  const verdicts: MaskRig['verdicts'] = [];
  const run = createRunner({
    checks: [...before, check],
    shadowMode,
    observer: {
      verdict: (_exchange, _name, verdict, enforced) => verdicts.push({ ...verdict, enforced }),
      enforceFailed: (_exchange, _name, cause) => {
        throw cause;
      },
      endFailed: (_exchange, _name, cause) => {
        throw cause;
      },
    },
  });
  return { verdicts, run };
}

const anywhere = (pattern: MaskPattern['pattern']): MaskPattern => ({ argument: undefined, pattern });
export const contains = (text: string): MaskPattern =>
  anywhere({ kind: 'contains', text, ignoreCase: false });
export const regex = (source: string): MaskPattern => anywhere({ kind: 'regex', source });
export const detects = (
  detector: Extract<MaskPattern['pattern'], { kind: 'detects' }>['detector'],
): MaskPattern => anywhere({ kind: 'detects', detector });
export const inArgument = (argument: readonly string[], pattern: MaskPattern): MaskPattern => ({
  ...pattern,
  argument,
});

export function rule(name: string, ...patterns: readonly MaskPattern[]): MaskRule {
  return { hit: { rule: name, reason: name }, patterns };
}

/** The exchange as the policy check leaves it. */
export function judged<Exchange extends Parsed>(exchange: Exchange, ...masks: readonly MaskRule[]): Exchange {
  const call = policyCallOf(exchange);
  if (call === undefined) throw new Error('policies do not judge it');
  const cards = { ...createCardSet([]), masksFor: () => masks };
  const set = { ...cards, digest: 'sha256:0', close: () => Promise.resolve() };
  exchange.facts.judged = { set, call };
  return exchange;
}

export interface Sent {
  /** The output; undefined if it is refused. */
  readonly body: string | undefined;
  readonly denial: Denial | undefined;
}

export async function sendRequest({ run }: MaskRig, exchange: Parsed): Promise<Sent> {
  const denial = await run().requestBody(exchange);
  if (denial !== undefined) return { body: undefined, denial };
  return { body: applyEdits(exchange.body, exchange.edits).toString(), denial };
}

export async function sendAnswer({ run }: MaskRig, exchange: Answered): Promise<Sent> {
  const asked = run();
  await asked.requestBody(exchange);
  const denial = await asked.response(exchange);
  const { whole } = exchange.answer;
  if (denial !== undefined || whole === undefined) return { body: undefined, denial };
  return { body: (whole.replacement ?? applyEdits(whole.body, whole.edits)).toString(), denial };
}
