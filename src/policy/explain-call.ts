import { addAll } from '../add-all.ts';
import { maskSecrets, mask } from '../detectors/mask.ts';
import type { PolicyCall, TraceStep } from './call.ts';
import type { WrittenCall } from './call-from-json.ts';
import type { ExplainedRule } from './cards/card-set.ts';
import { whyDefault } from './describe-set.ts';
import {
  defaultActionOf,
  passes,
  strongestOf,
  type DefaultAction,
  type PolicyVerdict,
  merged,
  NO_DECISION,
  type Decision,
  shownReason,
} from './decision.ts';
import type { LoadedPolicies } from './load-policies.ts';
import type { POLICY_RULES } from './rego/engine-thread.ts';
import type { PolicySet } from './policy-set.ts';
import { findSecrets } from '../detectors/secrets/secrets.ts';
import { MASK } from '../text/mask.ts';
import type { RefusalFinding } from '../where-found.ts';
import type { Evidence } from './cards/evidence.ts';

/** How the policies judge a call, and why. Contains none of the call's secrets. */
export interface Explanation {
  /** For example `llm_call gpt-4o` or `mcp_tool_call db.query`. */
  readonly call: string;
  readonly verdict: PolicyVerdict;
  readonly passes: boolean;
  readonly reasons: readonly string[];
  readonly default_action: { readonly action: DefaultAction; readonly why: string };
  /** Rules of cards and presets whose `match` includes the call. */
  readonly rules: readonly RuleExplanation[];
  readonly rules_for_other_calls: number;
  /** Result of `gateway.policy`; null without Rego. */
  readonly rego: Readonly<Record<RegoRule, readonly string[]>> | null;
  /** Flags that the call sets if it passes. */
  readonly taints: readonly string[];
  readonly state: string;
  /** State after the call if it passes; null if the state stays the same. */
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
  /** `holds` is null if undetermined, which counts as true in restricting rules and as false in allowing rules. */
  readonly conditions: readonly { readonly condition: unknown; readonly holds: boolean | null }[];
  readonly found: readonly FoundWords[];
}

type RegoRule = (typeof POLICY_RULES)[number];

/** @throws RegoEvaluationError if the engine cannot judge the call, which the gateway would deny */
export async function explainCall(
  { cards, rego, set }: LoadedPolicies,
  written: WrittenCall,
  writtenDefault: DefaultAction | undefined,
): Promise<Explanation> {
  const call = await withMarks(written, set);
  const explained = await cards.explain(call);
  const byRego = await rego?.decide(call, cards.initialState);
  const decision = merged(await cards.decide(call), byRego ?? NO_DECISION);
  const { verdict, by } = strongestOf(decision);
  const action = defaultActionOf(writtenDefault, set.canAllow);
  const isSent = passes(decision, action);
  const applying = explained.filter(({ applies }) => applies);
  return {
    call: modelOrTool(call),
    verdict,
    passes: isSent,
    reasons: by
      .map(({ reason }) => reason)
      .filter((reason) => reason !== '')
      .map(shown),
    default_action: { action, why: whyDefault(writtenDefault, set.canAllow) },
    rules: applying.map(ruleExplained),
    rules_for_other_calls: explained.length - applying.length,
    rego: byRego === undefined ? null : regoExplained(byRego),
    taints: decision.taint.map(({ flag }) => shown(flag)),
    state: call.input.session.state || set.initialState,
    next_state: (isSent ? await set.nextState(call) : undefined) ?? null,
  };
}

export async function withMarks({ call, history }: WrittenCall, set: PolicySet): Promise<PolicyCall> {
  const marks = await marksOf(history, set);
  return { ...call, marks: [...new Set([...call.marks, ...marks])] };
}

async function marksOf(steps: readonly TraceStep[], set: PolicySet): Promise<string[]> {
  const marks: string[] = [];
  for (const step of steps) if (set.needsSteps(step.type)) addAll(marks, await set.marksOf(step));
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

function regoExplained(decision: Decision): Explanation['rego'] {
  const texts = (rule: RegoRule): string[] => decision[rule].map(({ reason }) => shown(reason));
  return {
    allow: texts('allow'),
    deny: texts('deny'),
    escalate: texts('escalate'),
    quarantine: texts('quarantine'),
    taint: texts('taint'),
  };
}

function modelOrTool({ input: { request } }: PolicyCall): string {
  const target =
    request.method === 'llm_call'
      ? request.model
      : request.tool_name || request.prompt_name || request.resource_uri || request.mcp_method;
  return `${request.method} ${shown(target)}`.trimEnd();
}

function shown(text: string): string {
  return shownReason(text, maskSecrets);
}

/** A match with its surrounding text, secrets masked, for the author of the call. */
interface FoundWords extends RefusalFinding {
  readonly before: string;
  readonly words: string;
  readonly after: string;
}

const CONTEXT_CHARS = 40;
const MAX_WORDS_CHARS = 256;
/** Characters on each side of a match that are searched for secrets. */
const AROUND = 4_096;
const SECRET: ReadonlySet<string> = new Set(['secret', 'credentials', 'wallet_key', 'seed_phrase']);

function foundWords({ finding, match }: Evidence): FoundWords {
  const { text, start, end } = match;
  const from = Math.max(0, start - AROUND);
  const secrets = findSecrets(text.slice(from, end + AROUND)).map((secret) => ({
    start: secret.start + from,
    end: secret.end + from,
  }));
  function shown(begin: number, over: number): string {
    const inside = secrets
      .filter((secret) => secret.start < over && secret.end > begin)
      .map((secret) => ({
        start: Math.max(secret.start, begin) - begin,
        end: Math.min(secret.end, over) - begin,
      }));
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
