import { calledTool } from '../../mcp/message.ts';
import { paramsOf } from '../../mcp/read-message.ts';
import { PASS, type Check, type Denial, type Verdict } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { findingId } from '../../pipeline/finding-id.ts';
import { llmCallInput, mcpToolCallInput } from '../../pipeline/policy-input.ts';
import { toolDenied } from '../../pipeline/tool-denial.ts';
import type { Decision } from '../../policy/decision.ts';
import type { PolicySet } from '../../policy/policy-set.ts';

export interface PolicyDeps {
  /** The set that is in force now. */
  readonly policies: () => PolicySet;
  /** `policy.default_action`; unset, a call that nothing allowed is denied where some source can allow. */
  readonly defaultAction: 'allow' | 'deny' | undefined;
  /** Scores what a key did, and locks it after a `quarantine` (SPEC "Scoring rules"). */
  readonly score: (verdict: PolicyScore) => Promise<void>;
  /** Adds flags to the call's session, and scores them; false where the session takes no more of them. */
  readonly taint: (exchange: Parsed, flags: readonly string[]) => Promise<boolean>;
  readonly shadowMode: boolean;
  /** Reasons are written by rules, which may put into them what an agent wrote; they go into answers, headers and logs. */
  readonly maskSecrets: (text: string) => string;
  /** A set could not judge a call. */
  readonly onTrouble: (cause: unknown) => void;
}

export interface PolicyScore {
  readonly keyHash: string;
  readonly trigger: 'policy_block' | 'quarantine' | 'escalation';
  readonly findings: readonly string[];
}

type Strength = 'quarantine' | 'deny' | 'escalate';

/** Reasons and flags that are longer are read by nobody, and searched for secrets by nobody. */
const MAX_READ_CHARS = 4_096;
const MAX_SHOWN_CHARS = 512;
/** From the strongest (DECISIONS "Policy"), and what each scores. */
const STRENGTHS: readonly (readonly [Strength, PolicyScore['trigger']])[] = [
  ['quarantine', 'quarantine'],
  ['deny', 'policy_block'],
  ['escalate', 'escalation'],
];

/**
 * Asks the policies of the platform's team about each call of a model and of a tool (SPEC "Policies"). What cannot be
 * judged is denied.
 */
export function createPolicyCheck(deps: PolicyDeps): Check {
  async function judge(exchange: Parsed): Promise<Verdict> {
    const set = deps.policies();
    const decision = await decide(exchange, set);
    if (decision === undefined) return denied(exchange, 'the policies could not be evaluated', 'engine');
    return denialOf(exchange, decision, set) ?? tainted(exchange, decision.taint);
  }

  /** Undefined where the set could not judge; what fails in Redis is no trouble of the policies'. */
  async function decide(exchange: Parsed, set: PolicySet): Promise<Decision | undefined> {
    try {
      return await set.decide(inputOf(exchange, set.readsPrompt));
    } catch (cause) {
      deps.onTrouble(cause);
      return undefined;
    }
  }

  function denialOf(exchange: Parsed, decision: Decision, set: PolicySet): Denial | undefined {
    const { keyHash } = exchange.key;
    for (const [strength, trigger] of STRENGTHS) {
      const reason = decision[strength][0];
      if (reason === undefined) continue;
      const call = findingId('call', callOf(exchange));
      const findings = decision[strength].map((each) => findingId(`policy-${strength}`, each + call));
      const score = (): Promise<void> => deps.score({ keyHash, trigger, findings });
      return { ...denied(exchange, shown(strength, reason), strength), enforce: score };
    }
    const fallback = deps.defaultAction ?? (set.canAllow ? 'deny' : 'allow');
    if (decision.allow || fallback === 'allow') return undefined;
    return denied(exchange, 'no policy allows this call', 'default_action');
  }

  function shown(strength: Strength, reason: string): string {
    const masked = safe(reason);
    return strength === 'escalate'
      ? `${masked} (it needs an approval, and approvals are switched off)`
      : masked;
  }

  /** Masked before it is cut: half of a secret would not be known for one. */
  function safe(text: string): string {
    if (text.length > MAX_READ_CHARS) return 'a policy rule, whose words are too many to be shown';
    return deps.maskSecrets(text).slice(0, MAX_SHOWN_CHARS);
  }

  async function tainted(exchange: Parsed, taints: readonly string[]): Promise<Verdict> {
    if (taints.length === 0) return PASS;
    const flags = taints.map(safe);
    const reason = `taints: ${flags.join(', ')}`;
    if (deps.shadowMode || (await deps.taint(exchange, flags))) return { kind: 'flag', reason };
    return denied(exchange, 'the session holds too many taints to take another one', 'taint');
  }

  return {
    name: 'policy',
    shadowable: true,
    requestBody: (exchange) => (isJudged(exchange) ? judge(exchange) : PASS),
  };
}

/** Calls of models, and of an MCP server's tools; lists of models and MCP's other methods do nothing by themselves. */
function isJudged({ mcp, request, endpoint }: Parsed): boolean {
  return mcp === undefined ? endpoint.operation !== 'models' : calledTool(request.mcp) !== undefined;
}

function inputOf(exchange: Parsed, withPrompt: boolean): string {
  const input = exchange.mcp === undefined ? llmCallInput(exchange) : mcpToolCallInput(exchange);
  return JSON.stringify(withPrompt ? input : { ...input, action: undefined });
}

/**
 * What tells one finding from another beside its reason. A call of a tool is judged by itself; a conversation is sent
 * again with every turn, and what was denied in it once would score with each.
 */
function callOf({ mcp, request, json }: Parsed): string {
  const tool = mcp === undefined ? undefined : calledTool(request.mcp);
  return tool === undefined ? '' : JSON.stringify([tool, paramsOf(json)['arguments'] ?? {}]);
}

function denied(exchange: Parsed, reason: string, rule: string): Denial {
  const tool = calledTool(exchange.request.mcp);
  if (tool !== undefined) return toolDenied({ tool, reason, rule });
  return { kind: 'deny', type: 'policy_denied', message: reason };
}
