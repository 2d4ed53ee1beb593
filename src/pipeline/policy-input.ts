import { calledTool } from '../mcp/message.ts';
import { paramsOf } from '../mcp/read-message.ts';
import type { Parsed } from './exchange.ts';
import type { AgentRisk, DriftFacts, Facts, SessionFacts } from './facts.ts';
import { INITIAL_STATE } from './session-turn.ts';

const NANO_USD = 1e9;

/** What policies are asked of a call of a model (SPEC "Policy input (LLM call)", "(prompt analysis)"). */
export interface LlmCallInput extends CommonInput {
  readonly request: {
    readonly provider: string;
    /** Empty where the endpoint has none. */
    readonly model: string;
    readonly method: 'llm_call';
    /** As sent to the gateway, without a key: `/<provider>/v1/…`. */
    readonly path: string;
    /** Text that the gateway cannot see takes part. */
    readonly unseen_content: boolean;
  };
}

/** What policies are asked of a call of a tool (SPEC "Policy input (MCP tool call)"). */
export interface McpToolCallInput extends CommonInput {
  readonly request: {
    readonly provider: string;
    readonly method: 'mcp_tool_call';
    readonly tool_name: string;
    readonly mcp_server: string;
    /** `/mcp/<server>/tools/call`, whichever address was called. */
    readonly path: string;
    /** As the agent wrote them; empty where there are none. */
    readonly arguments: unknown;
    readonly unseen_content: boolean;
  };
}

interface CommonInput {
  readonly agent: AgentInput;
  readonly session: SessionInput;
  readonly agent_risk: AgentRiskInput;
  readonly action: ActionInput;
}

/** What a key does not say is empty, so that a rule about it is decided and not undefined. */
interface AgentInput {
  readonly key_hash: string;
  readonly name: string;
  readonly agent_name: string;
  readonly owner: string;
  readonly provider: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Without a session: the state in which one begins, and nothing that came before. */
interface SessionInput {
  readonly id: string;
  readonly state: string;
  /** USD. */
  readonly spend: number;
  readonly steps: number;
  readonly taint_flags: Readonly<Record<string, true>>;
  readonly tools_called: readonly string[];
  readonly drift: {
    readonly drift_detected: boolean;
    readonly drift_score: number;
    readonly anchor_similarity: number;
    readonly prior_similarity: number;
    readonly turn_count: number;
  };
}

interface AgentRiskInput {
  readonly risk_score: number;
  readonly total_policy_blocks: number;
  readonly total_escalations: number;
  /** USD. */
  readonly total_spend: number;
  readonly persistent_taint_flags: readonly string[];
  readonly session_count: number;
  readonly quarantine_active: boolean;
}

interface ActionInput {
  /** The texts of the request without their disguises, a line each. */
  readonly normalized_prompt: string;
  readonly obfuscation: {
    readonly obfuscation_detected: boolean;
    readonly has_homoglyphs: boolean;
    readonly has_invisible_chars: boolean;
    readonly has_base64_payloads: boolean;
    readonly has_encoding_attacks: boolean;
    readonly has_delim_padding: boolean;
  };
}

export function llmCallInput(exchange: Parsed): LlmCallInput {
  const { provider, path, request } = exchange;
  return Object.freeze({
    ...commonInput(exchange),
    request: Object.freeze({
      provider: provider.name,
      model: request.model ?? '',
      method: 'llm_call',
      path: `/${provider.name}${path}`,
      unseen_content: request.unseenContent,
    }),
  });
}

/** @throws Error where the exchange calls no tool */
export function mcpToolCallInput(exchange: Parsed): McpToolCallInput {
  const { provider, mcp, request, json } = exchange;
  const tool = calledTool(request.mcp);
  if (mcp === undefined || tool === undefined) throw new Error('this exchange calls no tool');
  return Object.freeze({
    ...commonInput(exchange),
    request: Object.freeze({
      provider: provider.name,
      method: 'mcp_tool_call',
      tool_name: tool,
      mcp_server: mcp.server,
      path: `/mcp/${mcp.server}/tools/call`,
      arguments: paramsOf(json)['arguments'] ?? {},
      unseen_content: request.unseenContent,
    }),
  });
}

function commonInput({ key, request, facts }: Parsed): CommonInput {
  const { keyHash, name, agentName = '', owner = '', provider, tags } = key;
  return {
    agent: Object.freeze({
      key_hash: keyHash,
      name,
      agent_name: agentName,
      owner,
      provider,
      tags: Object.freeze({ ...tags }),
    }),
    session: sessionInput(facts.session, facts.drift),
    agent_risk: riskInput(facts.agentRisk),
    action: actionInput(facts, request.texts),
  };
}

function sessionInput(session: SessionFacts | undefined, drift: DriftFacts | undefined): SessionInput {
  return Object.freeze({
    id: session?.id ?? '',
    state: session?.state ?? INITIAL_STATE,
    spend: (session?.spendNanoUsd ?? 0) / NANO_USD,
    steps: session?.steps ?? 0,
    taint_flags: Object.freeze(
      Object.fromEntries((session?.taintFlags ?? []).map((flag) => [flag, true as const])),
    ),
    tools_called: Object.freeze([...(session?.toolsCalled ?? [])]),
    drift: Object.freeze({
      drift_detected: drift?.driftDetected ?? false,
      drift_score: drift?.driftScore ?? 0,
      anchor_similarity: drift?.anchorSimilarity ?? 0,
      prior_similarity: drift?.priorSimilarity ?? 0,
      turn_count: drift?.turnCount ?? 0,
    }),
  });
}

function riskInput(risk: AgentRisk): AgentRiskInput {
  return Object.freeze({
    risk_score: risk.riskScore,
    total_policy_blocks: risk.totalPolicyBlocks,
    total_escalations: risk.totalEscalations,
    total_spend: risk.totalSpendNanoUsd / NANO_USD,
    persistent_taint_flags: Object.freeze([...risk.persistentTaintFlags]),
    session_count: risk.sessionCount,
    quarantine_active: risk.quarantineActive,
  });
}

function actionInput({ prompt }: Facts, texts: Parsed['request']['texts']): ActionInput {
  const normalized = prompt?.normalizedTexts ?? texts.map(({ text }) => text);
  const { obfuscation } = prompt ?? {};
  return Object.freeze({
    normalized_prompt: normalized.join('\n'),
    obfuscation: Object.freeze({
      obfuscation_detected: obfuscation?.obfuscationDetected ?? false,
      has_homoglyphs: obfuscation?.hasHomoglyphs ?? false,
      has_invisible_chars: obfuscation?.hasInvisibleChars ?? false,
      has_base64_payloads: obfuscation?.hasBase64Payloads ?? false,
      has_encoding_attacks: obfuscation?.hasEncodingAttacks ?? false,
      has_delim_padding: obfuscation?.hasDelimPadding ?? false,
    }),
  });
}
