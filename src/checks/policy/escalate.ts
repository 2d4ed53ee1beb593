import { isDeepStrictEqual } from 'node:util';
import type { ApprovalRequest } from '../../escalation/approvals.ts';
import type { ApprovalResult } from '../../escalation/escalation.ts';
import { requestDigest } from '../../escalation/approval.ts';
import { retryAfter, type ErrorType } from '../../errors.ts';
import { mcpCallOf } from '../../mcp/called.ts';
import { calledTool } from '../../mcp/message.ts';
import type { KeyRecord } from '../../auth/key-record.ts';
import type { Denial, Flag } from '../../pipeline/check.ts';
import type { KeyBudgets, Parsed, Wait } from '../../pipeline/exchange.ts';
import { callDenied, toolDenied } from '../denials.ts';
import type { Shown } from './shown-arguments.ts';
import { timeSpan } from '../../text/time-span.ts';

export interface EscalateDeps {
  readonly ask: (request: ApprovalRequest, wait: Wait) => Promise<ApprovalResult>;
  /** Checks key, lock and risk again. Throws GatewayError if the key may not be used. */
  readonly authenticateAgain: (
    admitted: Pick<Parsed, 'key' | 'rawKeyHash' | 'tokenEndsAt'>,
  ) => Promise<{ readonly record: KeyRecord; readonly limits: KeyBudgets }>;
  readonly maskSecrets: (text: string) => string;
  /** Parts of a call, besides names, that approvers may see (`zsp.escalation_arguments`, `zsp.escalation_prompts`). */
  readonly shown?: Partial<Shown> | undefined;
}

export interface EscalatingRule {
  readonly rule: string;
  readonly reason: string;
}

/** Asks a person whether a call may proceed. `score` counts the escalation against its key, whatever the answer. */
export type Escalate = (
  exchange: Parsed,
  rules: readonly EscalatingRule[],
  score: () => Promise<void>,
) => Promise<Flag | Denial>;

const MAX_RULES = 8;
const MAX_OTHER_MODELS = 32;
const MAX_NAME_CHARS = 256;
/** Agents do not wait longer, although an approval may take longer. */
const RETRY_MS = 10_000;

/**
 * Asks for approval. Checks the key before, because the escalation itself may have locked it, and afterwards, because
 * the key may have been revoked, locked or changed, or have a new budget.
 * @throws GatewayError invalid_key, quarantined, agent_risk_blocked, redis_unavailable
 */
export function createEscalate(deps: EscalateDeps): Escalate {
  const { ask, authenticateAgain, maskSecrets, shown } = deps;
  const named = (name: string | undefined): string => maskSecrets(name ?? '').slice(0, MAX_NAME_CHARS);

  function requestOf(exchange: Parsed, rules: readonly EscalatingRule[]): ApprovalRequest {
    const { key, provider, mcp, request, facts } = exchange;
    const called = mcpCallOf(request, exchange.json);
    return {
      key_hash: key.keyHash,
      key_name: named(key.name),
      agent_name: named(key.agentName),
      owner: named(key.owner),
      method: called?.type ?? 'llm_call',
      provider: provider.name,
      model: mcp === undefined ? named(request.model) : '',
      other_models: mcp === undefined ? otherModels(exchange).map(named) : [],
      mcp_server: mcp?.server ?? '',
      tool_name: named(called?.tool),
      resource_uri: named(called?.resourceUri),
      prompt_name: named(called?.promptName),
      arguments: called === undefined ? '' : (shown?.arguments?.(called.arguments) ?? ''),
      prompt_text: called === undefined ? (shown?.prompt?.(request) ?? '') : '',
      session_id: facts.session?.id ?? '',
      rules: rules.slice(0, MAX_RULES),
      request_digest: requestDigest(exchange),
    };
  }

  return async (exchange, rules, score) => {
    const { facts, patience } = exchange;
    if (patience === undefined)
      throw new Error('the request needs an approval, but its edge does not support waiting for one');
    const known = facts.approvedRules;
    // A second judgement, in a session that has changed, needs no second approval of the same rules.
    if (known !== undefined && rules.every((rule) => known.has(ruleWithReason(rule)))) {
      return { kind: 'flag', reason: 'approved before' };
    }
    await score();
    const before = await authenticateAgain(exchange);
    const wait = patience.begin();
    const startedAt = performance.now();
    const result = await ask(requestOf(exchange, rules), wait);
    if (result.kind !== 'approved') {
      return notApproved(exchange, rules, result.kind, performance.now() - startedAt);
    }
    const { record, limits } = await authenticateAgain(exchange);
    if (!isDeepStrictEqual(rightsOf(record), rightsOf(before.record))) return keyChanged(exchange);
    // A call that is judged again already has a reservation, made with the earlier limits.
    if (facts.judgedAgain !== undefined && !isDeepStrictEqual(limits, exchange.budget.limits)) {
      return budgetChanged(exchange);
    }
    exchange.budget.limits = limits;
    facts.approvedRules = new Set([...(known ?? []), ...rules.map(ruleWithReason)]);
    return { kind: 'flag', reason: `approved by ${result.approver} (${result.id})` };
  };
}

/** Returns other models that may answer: further models in the body, tool models and fallbacks. */
function otherModels(exchange: Parsed): string[] {
  const all = [exchange, ...(exchange.fallbacks ?? [])].flatMap(({ provider, request, facts }) =>
    [...request.models, ...(facts.toolModels ?? [])].map((model) => `${provider.name} ${model}`),
  );
  return [...new Set(all)].slice(1, MAX_OTHER_MODELS + 1);
}

/** Includes the reason, because all rules of a Rego package share a name. */
function ruleWithReason({ rule, reason }: EscalatingRule): string {
  return `${rule}: ${reason}`;
}

/** Returns everything that earlier checks judged by. Key expiry is checked separately. */
function rightsOf({ lastUsedAt: _used, expiresAt: _end, ...rights }: KeyRecord): object {
  return rights;
}

function keyChanged(exchange: Parsed): Denial {
  const reason = 'this key was changed while the call was waiting for approval: send it again';
  return callDenied(exchange, reason, 'key_changed');
}

function budgetChanged(exchange: Parsed): Denial {
  const reason = 'the budget of this key changed while the call was waiting for approval: send it again';
  return callDenied(exchange, reason, 'budget_changed');
}

const WHY: Readonly<Record<'denied' | 'timeout' | 'withdrawn', readonly [ErrorType, string]>> = {
  denied: ['escalation_denied', 'the call needs an approval, and an operator denied it'],
  timeout: ['escalation_timeout', 'the call needs an approval, and none was given'],
  withdrawn: ['escalation_denied', 'the call needs an approval, and the client left'],
};

/** Temporary refusals, because no approver was asked. */
const QUEUE_FULL: Readonly<Record<'full' | 'over_share', Denial>> = {
  full: {
    kind: 'deny',
    type: 'gateway_unavailable',
    message: 'the call needs an approval, and too many requests are waiting for one: try again later',
    headers: retryAfter('gateway_unavailable', RETRY_MS),
  },
  over_share: {
    kind: 'deny',
    type: 'rate_limited',
    message:
      'the call needs an approval, and too many requests of this key are waiting for one: try again later',
    headers: retryAfter('rate_limited', RETRY_MS),
  },
};

function notApproved(
  { request }: Parsed,
  [first]: readonly EscalatingRule[],
  kind: Exclude<ApprovalResult['kind'], 'approved'>,
  waitedMs: number,
): Denial {
  if (kind === 'full' || kind === 'over_share') return QUEUE_FULL[kind];
  const [type, why] = WHY[kind];
  const waited = kind === 'timeout' ? ` within ${timeSpan(Math.floor(waitedMs / 1_000) * 1_000)}` : '';
  const reason = `${first?.reason ?? ''} (${why}${waited})`;
  const tool = calledTool(request.mcp);
  const rule = first?.rule ?? 'escalate';
  if (tool !== undefined) return toolDenied({ tool, reason, rule, type });
  const details = request.mcp === undefined ? undefined : { reason, rule };
  return { kind: 'deny', type, message: reason, ...(details && { details }) };
}
