import { addAll } from '../add-all.ts';
import { maskSecrets, mask } from '../detectors/mask.ts';
import type { PolicyCall, TraceStep } from './call.ts';
import type { WrittenCall } from './call-from-json.ts';
import type { ExplainedRule } from './cards/card-set.ts';
import { whyDefault } from './describe-set.ts';
import { merged, NO_DECISION, type Decision, shownReason } from './decision.ts';
import type { LoadedPolicies } from './load-policies.ts';
import type { PolicySet } from './policy-set.ts';
import { defaultActionOf, passes, strongestOf, type DefaultAction, type PolicyVerdict } from './verdict.ts';
import { findSecrets } from '../detectors/secrets/secrets.ts';
import { MASK } from '../text/mask.ts';
import type { RefusalFinding } from '../where-found.ts';
import type { Evidence } from './cards/evidence.ts';

/** Which rules fired for a call and why, as `gateway policy explain` prints it. No secret of the call is in it. */
export interface Explanation {
  /** `llm_call gpt-4o`, `mcp_tool_call db.query`. */
  readonly call: string;
  /** `none`: no rule decides. */
  readonly verdict: PolicyVerdict;
  readonly passes: boolean;
  readonly reasons: readonly string[];
  readonly default_action: { readonly action: DefaultAction; readonly why: string };
  /** Of cards and presets, those whose `match` is for such a call. */
  readonly rules: readonly RuleExplanation[];
  readonly rules_for_other_calls: number;
  /** What `gateway.policy` says; null where there is no Rego. */
  readonly rego: Readonly<Record<RegoRule, readonly string[]>> | null;
  /** The session's flags if the call passes. */
  readonly taints: readonly string[];
  readonly state: string;
  /** Where a call that passes moves its session; null where it stays. */
  readonly next_state: string | null;
}

export interface RuleExplanation {
  readonly rule: string;
  readonly file: string;
  readonly line: number;
  readonly action: ExplainedRule['action'];
  readonly mode: ExplainedRule['mode'];
  readonly fired: boolean;
  readonly reason: string;
  /** `holds` is null where it cannot be told: then rules that restrict fire, and rules that allow do not. */
  readonly conditions: readonly { readonly condition: unknown; readonly holds: boolean | null }[];
  /** The words that its conditions found, and where. */
  readonly found: readonly FoundWords[];
}

type RegoRule = 'allow' | 'deny' | 'escalate' | 'quarantine' | 'taint';

/** @throws RegoEvaluationError where the engine could not judge the call: on the wire it is denied */
export async function explainCall(
  { cards, rego, set }: LoadedPolicies,
  written: WrittenCall,
  writtenDefault: DefaultAction | undefined,
): Promise<Explanation> {
  const call = await remembered(written, set);
  const explained = await cards.explain(call);
  const said = await rego?.decide(call, cards.initialState);
  const decision = merged(await cards.decide(call), said ?? NO_DECISION);
  const { verdict, by } = strongestOf(decision);
  const action = defaultActionOf(writtenDefault, set.canAllow);
  const isSent = passes(decision, action);
  const asked = explained.filter(({ isFor }) => isFor);
  return {
    call: modelOrTool(call),
    verdict,
    passes: isSent,
    reasons: by
      .map(({ reason }) => reason)
      .filter((reason) => reason !== '')
      .map(shown),
    default_action: { action, why: whyDefault(writtenDefault, set.canAllow) },
    rules: asked.map(ruleExplained),
    rules_for_other_calls: explained.length - asked.length,
    rego: said === undefined ? null : regoExplained(said),
    taints: decision.taint.map(({ flag }) => shown(flag)),
    state: call.input.session.state || set.initialState,
    next_state: (isSent ? await set.nextState(call) : undefined) ?? null,
  };
}

/** A call with the marks that the set gives to the session's earlier steps. */
export async function remembered({ call, history }: WrittenCall, set: PolicySet): Promise<PolicyCall> {
  const marks = await marksOf(history, set);
  return { ...call, marks: [...new Set([...call.marks, ...marks])] };
}

async function marksOf(steps: readonly TraceStep[], set: PolicySet): Promise<string[]> {
  const marks: string[] = [];
  for (const step of steps) if (set.looksFor(step.type)) addAll(marks, await set.marksOf(step));
  return marks;
}

function ruleExplained({ hit, action, mode, fired, conditions, evidence }: ExplainedRule): RuleExplanation {
  return {
    rule: hit.rule,
    file: hit.file ?? '',
    line: hit.line ?? 0,
    action,
    mode,
    fired,
    reason: shown(hit.reason),
    conditions: conditions.map(({ written, truth }) => ({ condition: written, holds: truth ?? null })),
    found: evidence.map(foundWords),
  };
}

function regoExplained(said: Decision): Explanation['rego'] {
  const texts = (rule: RegoRule): string[] => said[rule].map(({ reason }) => shown(reason));
  return {
    allow: texts('allow'),
    deny: texts('deny'),
    escalate: texts('escalate'),
    quarantine: texts('quarantine'),
    taint: texts('taint'),
  };
}

function modelOrTool({ input: { request } }: PolicyCall): string {
  const what =
    request.method === 'llm_call'
      ? request.model
      : request.tool_name || request.prompt_name || request.resource_uri || request.mcp_method;
  return `${request.method} ${shown(what)}`.trimEnd();
}

function shown(text: string): string {
  return shownReason(text, maskSecrets);
}

/** What a condition found, with its words, for whoever wrote the call down. Secrets are masked. */
interface FoundWords extends RefusalFinding {
  readonly before: string;
  readonly words: string;
  readonly after: string;
}

const CONTEXT_CHARS = 40;
const MAX_WORDS_CHARS = 256;
/** Around the words, so that a secret which reaches beyond them is known for one. */
const AROUND = 4_096;
const SECRET: ReadonlySet<string> = new Set(['secret', 'credentials', 'wallet_key', 'seed_phrase']);

function foundWords({ finding, match }: Evidence): FoundWords {
  const { text, start, end } = match;
  const from = Math.max(0, start - AROUND);
  const secrets = findSecrets(text.slice(from, end + AROUND)).map((one) => ({
    start: one.start + from,
    end: one.end + from,
  }));
  function shown(begin: number, over: number): string {
    const inside = secrets
      .filter((one) => one.start < over && one.end > begin)
      .map((one) => ({ start: Math.max(one.start, begin) - begin, end: Math.min(one.end, over) - begin }));
    return mask(text.slice(begin, over), inside);
  }
  const isSecret = SECRET.has(match.class ?? '');
  return {
    ...finding,
    before: shown(Math.max(0, start - CONTEXT_CHARS), start),
    words: isSecret ? MASK : shown(start, Math.min(end, start + MAX_WORDS_CHARS)),
    after: shown(end, Math.min(text.length, end + CONTEXT_CHARS)),
  };
}
