import { PASS, type Denial, type Verdict } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JudgedCall } from '../../pipeline/facts.ts';
import { retryAfter } from '../../errors.ts';
import { owaspIds } from '../../owasp.ts';
import { distinctFindings, type RefusalFinding } from '../../where-found.ts';
import { StaleRead } from '../../pipeline/read-ahead.ts';
import { findingId } from '../finding-id.ts';
import { callDenied, policyDenied } from '../denials.ts';
import type { PolicyCall } from '../../policy/call.ts';
import {
  defaultActionOf,
  passes,
  type Decision,
  type ReportedHit,
  type RuleHit,
  type TaintHit,
  shownReason,
} from '../../policy/decision.ts';
import type { Escalate } from './escalate.ts';
import { areModelsAlike } from './judged-alike.ts';
import { RegoEvaluationError } from '../../policy/rego/rego-error.ts';
import type { Awaitable } from '../../turns.ts';

export interface JudgeDeps {
  /** `policy.default_action`. If unset, calls that no rule allows are denied only if there is an allow rule. */
  readonly defaultAction: 'allow' | 'deny' | undefined;
  /** Scores a policy action against its key, and locks the key after `quarantine` (docs/risk.md). */
  readonly score: (verdict: PolicyScore) => Promise<void>;
  /** Adds taints to the call's session and scores them. Returns false if the session cannot store more. */
  readonly taint: (exchange: Parsed, flags: readonly Taint[]) => Promise<boolean>;
  readonly escalate?: Escalate | undefined;
  readonly shadowMode: boolean;
  /** Masks reasons, which may quote an agent's text and appear in answers, headers and logs. */
  readonly maskSecrets: (text: string) => string;
  readonly onTrouble: (cause: unknown) => void;
  readonly onDecision: (exchange: Parsed, record: DecisionRecord) => void;
}

/** A decision: rules and their locations, without call content. */
export interface DecisionRecord {
  readonly policySet: string;
  readonly verdict: Strength | 'mask' | 'allow' | 'default_deny';
  /** The rules that fired, strongest first, and then those that were only reported; at most 64. */
  readonly rules: readonly DecidingRule[];
}

interface DecidingRule {
  readonly action: ReportedHit['action'];
  readonly rule: string;
  /** Set if the rule was only reported (`policy.overrides`). */
  readonly mode?: 'report';
  readonly file?: string;
  readonly line?: number;
  readonly found?: readonly RefusalFinding[];
  readonly owasp?: readonly string[];
}

export interface PolicyScore {
  readonly keyHash: string;
  readonly trigger: 'policy_block' | 'quarantine' | 'escalation';
  readonly findings: readonly string[];
}

export interface Taint {
  readonly flag: string;
  readonly isUnscored: boolean;
}

export type Judge = (exchange: Parsed, judged: JudgedCall) => Promise<Verdict>;

type Strength = 'quarantine' | 'deny' | 'escalate';

const MODELS_APART = policyDenied(
  'the request names several models, and the policies decide differently for them: request only one model',
);

/** Strongest first (docs/policies.md), each with its risk trigger. */
const STRENGTHS: readonly (readonly [Strength, PolicyScore['trigger']])[] = [
  ['quarantine', 'quarantine'],
  ['deny', 'policy_block'],
  ['escalate', 'escalation'],
];

export function createJudge(deps: JudgeDeps): Judge {
  async function judge(exchange: Parsed, judged: JudgedCall): Promise<Verdict> {
    const deciding = decide(exchange, judged);
    const decision = deciding instanceof Promise ? await deciding : deciding;
    if ('kind' in decision) return decision;
    const { request, facts } = exchange;
    const isOne = request.models.length < 2 && facts.toolModels === undefined;
    const apart = isOne ? undefined : await modelsApart(exchange, judged);
    if (apart !== undefined) {
      if (exchange.facts.isReadAhead === true) throw new StaleRead('policy');
      return apart;
    }
    const verdict = verdictOf(judged, decision);
    if (exchange.facts.isReadAhead === true && (verdict !== 'allow' || leavesTraces(decision))) {
      throw new StaleRead('policy');
    }
    deps.onDecision(exchange, { policySet: judged.set.digest, verdict, rules: decidingRules(decision) });
    if (verdict === 'default_deny')
      return callDenied(
        exchange,
        'no policy allows this call: ask the operator for a rule that allows it',
        'default_action',
      );
    if (verdict === 'escalate' && deps.escalate !== undefined && !deps.shadowMode) {
      return escalated(exchange, judged, decision, deps.escalate);
    }
    const denial = denialOf(exchange, judged, decision);
    if (denial !== undefined) return denial;
    return withReports(
      decision.taint.length === 0 ? PASS : await tainted(exchange, decision.taint),
      decision,
    );
  }

  /** Scores before asking for approval, because the answer does not affect the score. */
  async function escalated(
    exchange: Parsed,
    judged: JudgedCall,
    decision: Decision,
    escalate: Escalate,
  ): Promise<Verdict> {
    const score = async (): Promise<void> => denialOf(exchange, judged, decision)?.enforce?.();
    const rules = decision.escalate.map(({ rule, reason }) => ({ rule: safe(rule), reason: safe(reason) }));
    const approved = await escalate(exchange, rules, score);
    if (approved.kind === 'deny') return { ...approved, findings: refusedFor(decision.escalate) };
    const taints = await tainted(exchange, decision.taint);
    if (taints.kind !== 'flag') return taints.kind === 'pass' ? approved : taints;
    return { kind: 'flag', reason: `${approved.reason}; ${taints.reason}` };
  }

  function decide(exchange: Parsed, { set, call }: JudgedCall): Awaitable<Decision | Denial> {
    try {
      const deciding = set.decide(call);
      return deciding instanceof Promise ? deciding.catch((cause) => failed(exchange, cause)) : deciding;
    } catch (cause) {
      return failed(exchange, cause);
    }
  }

  /** Denies a request that names several models if the policies decide differently for them, or fail to decide. */
  async function modelsApart(exchange: Parsed, judged: JudgedCall): Promise<Denial | undefined> {
    try {
      return (await areModelsAlike(exchange, judged)) ? undefined : MODELS_APART;
    } catch (cause) {
      return failed(exchange, cause);
    }
  }

  function failed(exchange: Parsed, cause: unknown): Denial {
    deps.onTrouble(cause);
    return isBusy(cause) ? POLICIES_BUSY : notEvaluated(exchange);
  }

  function verdictOf({ set }: JudgedCall, decision: Decision): DecisionRecord['verdict'] {
    const strongest = STRENGTHS.find(([strength]) => decision[strength].length > 0);
    if (strongest !== undefined) return strongest[0];
    if (!passes(decision, defaultActionOf(deps.defaultAction, set.canAllow))) return 'default_deny';
    return decision.mask.length > 0 ? 'mask' : 'allow';
  }

  function denialOf(exchange: Parsed, { call }: JudgedCall, decision: Decision): Denial | undefined {
    const { keyHash } = exchange.key;
    for (const [strength, trigger] of STRENGTHS) {
      const [first] = decision[strength];
      if (first === undefined) continue;
      const origin = findingId('call', toolCallName(call));
      const findings = decision[strength]
        .filter(({ isUnscored }) => isUnscored !== true)
        .map(({ reason }) => findingId(`policy-${strength}`, reason + origin));
      const score = (): Promise<void> => deps.score({ keyHash, trigger, findings });
      return {
        ...callDenied(exchange, shown(strength, first.reason), safe(first.rule)),
        findings: refusedFor(decision[strength]),
        ...(findings.length > 0 && { enforce: score }),
      };
    }
    return undefined;
  }

  const safe = (text: string): string => shownReason(text, deps.maskSecrets);

  function shown(strength: Strength, reason: string): string {
    const masked = safe(reason);
    return strength === 'escalate' && deps.escalate === undefined
      ? `${masked} (approval required, but approvals are off)`
      : masked;
  }

  async function tainted(exchange: Parsed, taints: readonly TaintHit[]): Promise<Verdict> {
    if (taints.length === 0) return PASS;
    const flags = taints.map(({ flag, isUnscored = false }) => ({ flag: safe(flag), isUnscored }));
    const reason = `taints: ${flags.map(({ flag }) => flag).join(', ')}`;
    if (deps.shadowMode || (await deps.taint(exchange, flags))) return { kind: 'flag', reason };
    return callDenied(exchange, 'this session cannot store more taints: start a new session', 'taint');
  }

  return judge;
}

function leavesTraces({ taint, reported = [] }: Decision): boolean {
  return taint.length + reported.length > 0;
}

function withReports(verdict: Verdict, { reported = [] }: Decision): Verdict {
  if (reported.length === 0 || (verdict.kind !== 'pass' && verdict.kind !== 'flag')) return verdict;
  const reports = `reported: ${reported.map(({ action, rule }) => `${action} ${rule}`).join(', ')}`;
  return { kind: 'flag', reason: verdict.kind === 'flag' ? `${verdict.reason}; ${reports}` : reports };
}

const BY_STRENGTH = ['quarantine', 'deny', 'escalate', 'mask', 'taint', 'allow'] as const;
/** Maximum number of rules per record. No useful set fires more. */
const MAX_RECORDED = 64;

function decidingRules(decision: Decision): DecidingRule[] {
  const enforced = BY_STRENGTH.flatMap((action) => decision[action].map((hit) => decidingRule(action, hit)));
  const reported = (decision.reported ?? []).map((hit) => decidingRule(hit.action, hit, 'report'));
  return [...enforced, ...reported].slice(0, MAX_RECORDED);
}

function decidingRule(
  action: DecidingRule['action'],
  { rule, file, line, found }: RuleHit,
  mode?: 'report',
): DecidingRule {
  const owasp = owaspIds({ classes: found?.map((finding) => finding.class) ?? [] });
  return {
    action,
    rule,
    ...(mode !== undefined && { mode }),
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(found !== undefined && { found }),
    ...(owasp.length > 0 && { owasp }),
  };
}

/** Returns the findings of the rules that fired. A rule without findings is listed by name. */
function refusedFor(hits: readonly RuleHit[]): readonly RefusalFinding[] {
  return distinctFindings(hits.flatMap(({ rule, found }) => found ?? [{ rule }]));
}

/** May be retried, unlike a policy denial, because the call was not judged. */
const POLICIES_BUSY: Denial = {
  kind: 'deny',
  type: 'gateway_unavailable',
  message: 'the policies are busy with other calls: try again',
  headers: retryAfter('gateway_unavailable', 1_000),
};

function isBusy(cause: unknown): boolean {
  return cause instanceof RegoEvaluationError && cause.isBusy;
}

export function notEvaluated(exchange: Parsed): Denial {
  return callDenied(
    exchange,
    'the policies could not be evaluated: try again, or ask the operator',
    'engine',
  );
}

/** Distinguishes MCP calls. Empty for model calls, so that a resent conversation does not score again. */
function toolCallName({ input: { request } }: PolicyCall): string {
  if (request.method === 'llm_call') return '';
  const { method, tool_name: tool, mcp_method: mcpMethod, prompt_name: prompt, arguments: args } = request;
  return JSON.stringify(method === 'mcp_tool_call' ? [tool, args] : [mcpMethod, prompt, args]);
}
