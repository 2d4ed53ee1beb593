import { argumentPath, mcpCallOf, type McpCall } from '../../mcp/called.ts';
import type {
  ActionInput,
  AgentRiskInput,
  CallText,
  PolicyCall,
  PolicyInput,
  SessionInput,
  ContextReading,
} from '../../policy/call.ts';
import { joinedPrompts } from '../../policy/joined-parts.ts';
import { withResolvedPaths } from '../../policy/resolved-path.ts';
import { objectReading, contextReadings, type PlacedText } from '../../policy/context-readings.ts';
import { callTrust, NO_ROLE_TRUSTED, type TrustSettings } from '../../policy/trust.ts';
import { valueAt } from '../../json/path.ts';
import { instructionRole } from '../../providers/instructions.ts';
import { hasUnseenContent, type PromptText } from '../../providers/request-facts.ts';
import { unreadMembers } from './unread-members.ts';
import { carriedTexts } from '../../pipeline/carried.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import {
  writtenFact,
  type AgentRisk,
  type DriftFacts,
  type PromptFacts,
  type SessionFacts,
} from '../../pipeline/facts.ts';

const NANO_USD = 1e9;
/** Text kinds that are scanned across text boundaries, including tool results. */
const RUNNING_TEXT: ReadonlySet<PromptText['kind']> = new Set(['text', 'reasoning', 'tool_result']);
const NO_TEXT: CallText = { raw: '', normalized: '', argument: undefined };

/**
 * Returns the policy input, or undefined for model lists and for MCP messages with neither a target nor client text.
 */
export function policyCallOf(
  exchange: Parsed,
  trust: TrustSettings = NO_ROLE_TRUSTED,
): PolicyCall | undefined {
  const called = mcpCallOf(exchange.request, exchange.json);
  const request = exchange.mcp === undefined ? modelInput(exchange) : mcpInput(exchange, called);
  if (request === undefined) return undefined;
  const { key, facts } = exchange;
  const session = writtenFact(facts, 'session');
  const prompt = writtenFact(facts, 'prompt');
  const texts = callTexts(exchange, prompt.normalizedTexts, called);
  const { keyHash, name, agentName = '', owner = '', provider, tags } = key;
  return {
    input: {
      agent: { key_hash: keyHash, name, agent_name: agentName, owner, provider, tags },
      request,
      session: sessionInput(session, writtenFact(facts, 'drift')),
      agent_risk: riskInput(facts.agentRisk),
    },
    texts,
    joined: () => joinedPrompts(exchange.request.texts),
    contextReadings: () => contextReadingsOf(exchange, texts),
    carried: () => carriedTexts(exchange).map(({ text }) => text),
    marks: session?.marks ?? [],
    trust: callTrust(trust, key.trust),
    overrides: key.policyOverrides,
    action: () => actionInput(prompt),
  };
}

function modelInput({ provider, path, endpoint, request }: Parsed): PolicyInput['request'] | undefined {
  if (endpoint.operation === 'models') return undefined;
  return {
    provider: provider.name,
    model: request.model ?? '',
    method: 'llm_call',
    path: `/${provider.name}${path}`,
    unseen_content: hasUnseenContent(request),
  };
}

function mcpInput(
  { provider, mcp, request }: Parsed,
  called: McpCall | undefined,
): PolicyInput['request'] | undefined {
  if (mcp === undefined || called === undefined) return undefined;
  const { type, method, tool, resourceUri, promptName } = called;
  return {
    provider: provider.name,
    method: type,
    mcp_method: method,
    tool_name: tool,
    resource_uri: resourceUri,
    prompt_name: promptName,
    mcp_server: mcp.server,
    path: type === 'mcp_tool_call' ? `/mcp/${mcp.server}/tools/call` : `/mcp/${mcp.server}`,
    arguments: called.arguments,
    unseen_content: hasUnseenContent(request),
  };
}

function callTexts(
  { request }: Parsed,
  normalizedTexts: readonly string[],
  called: McpCall | undefined,
): CallText[] {
  const texts = request.texts.map((found, index): CallText => {
    const normalized = normalizedTexts[index];
    if (normalized === undefined) throw new Error('a text of the request was not normalized');
    const argument = called && argumentPath(called.type, found.path);
    const isOwn = called === undefined && isWrittenByAgent(found);
    return {
      raw: found.text,
      normalized,
      argument,
      role: instructionRole(found),
      source: found,
      ...(isOwn && { isOwn }),
    };
  });
  return called === undefined ? texts : withResolvedPaths(texts);
}

/** Injections come from others: users, tools and documents. */
function isWrittenByAgent({ role, kind }: PromptText): boolean {
  return role === 'assistant' || kind === 'tool_definition' || kind === 'tool_arguments';
}

function* contextReadingsOf(exchange: Parsed, texts: readonly CallText[]): Iterable<ContextReading> {
  const { json, request, endpoint, mcp } = exchange;
  const placed = request.texts.map(({ path, kind, editable }, index): PlacedText => ({
    ...(texts[index] ?? NO_TEXT),
    path,
    isConversation: RUNNING_TEXT.has(kind),
    isString: editable !== false || typeof valueAt(json, path) === 'string',
  }));
  yield* contextReadings(json, placed);
  if (mcp !== undefined) return;
  // Without a dialect, texts are bare strings, so the whole body is read again with member names.
  const unread = endpoint.operation === 'unknown' ? json : unreadMembers(json, request.texts);
  if (unread !== undefined) yield objectReading(unread, undefined, []);
}

function sessionInput(session: SessionFacts | null, drift: DriftFacts | null): SessionInput {
  return {
    id: session?.id ?? '',
    state: session?.state ?? '',
    spend: (session?.spendNanoUsd ?? 0) / NANO_USD,
    steps: session?.steps ?? 0,
    taint_flags: Object.fromEntries((session?.taintFlags ?? []).map((flag) => [flag, true as const])),
    tools_called: session?.toolsCalled ?? [],
    drift: {
      drift_detected: drift?.driftDetected ?? false,
      drift_score: drift?.driftScore ?? 0,
      anchor_similarity: drift?.anchorSimilarity ?? 0,
      prior_similarity: drift?.priorSimilarity ?? 0,
      turn_count: drift?.turnCount ?? 0,
    },
  };
}

function riskInput(risk: AgentRisk): AgentRiskInput {
  return {
    risk_score: risk.riskScore,
    total_policy_blocks: risk.totalPolicyBlocks,
    total_escalations: risk.totalEscalations,
    total_spend: risk.totalSpendNanoUsd / NANO_USD,
    persistent_taint_flags: risk.persistentTaintFlags,
    session_count: risk.sessionCount,
    quarantine_active: risk.quarantineActive,
  };
}

function actionInput({ normalizedTexts, obfuscation }: PromptFacts): ActionInput {
  return {
    normalized_prompt: normalizedTexts.join('\n'),
    obfuscation: {
      obfuscation_detected: obfuscation.obfuscationDetected,
      has_homoglyphs: obfuscation.hasHomoglyphs,
      has_invisible_chars: obfuscation.hasInvisibleChars,
      has_base64_payloads: obfuscation.hasBase64Payloads,
      has_encoding_attacks: obfuscation.hasEncodingAttacks,
      has_delim_padding: obfuscation.hasDelimPadding,
    },
  };
}
