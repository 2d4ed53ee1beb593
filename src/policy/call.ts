import type { JsonPath } from '../json/path.ts';
import type { McpCallType } from '../mcp/methods.ts';
import type { InstructionRole } from '../providers/instructions.ts';
import type { PromptText } from '../providers/request-facts.ts';
import type { CallTrust } from './trust.ts';
import type { RuleOverrides } from './rule-modes.ts';

/** One call as policies judge it: of a model, or of an MCP server (docs/policies.md). */
export interface PolicyCall {
  readonly input: PolicyInput;
  /** All that the call says. */
  readonly texts: readonly CallText[];
  /** What is sent beside the body, in headers and address; put together only for rules about data that is detected. */
  readonly carried?: () => readonly string[];
  /** What neighbouring parts of a message say together, where something stands over two of them (`joined-parts.ts`). */
  readonly joined?: () => Iterable<string>;
  /** The texts once more, with what stands beside them and may tell what they are (`told-readings.ts`). */
  readonly told: () => Iterable<ToldReading>;
  /** Marks of the session's earlier steps, as `PolicySet.marksOf` gave them. */
  readonly marks: readonly string[];
  /** Whose instructions rules about injections leave alone. */
  readonly trust: CallTrust;
  /** How rules count for the call's key, where that is not as for all. */
  readonly overrides?: RuleOverrides | undefined;
  /** docs/normalization.md; put together only for a policy that reads it. */
  readonly action: () => ActionInput;
  /** Stands for what the model would say of the texts, where a test names it. */
  readonly injectionScore?: number | undefined;
}

/** Where a session begins unless a card says else (docs/sessions.md). */
export const INITIAL_STATE = 'INIT';

export type CallType = PolicyInput['request']['method'];

/** One text of a call as it was sent, and without its disguises. */
export interface CallText {
  readonly raw: string;
  readonly normalized: string;
  /** In the arguments of an MCP server's call, from below `arguments`; undefined elsewhere. */
  readonly argument: JsonPath | undefined;
  /** Not sent: where a path that was sent leads. */
  readonly isResolved?: true;
  /** Of an instruction in a system or developer message; undefined for all that others say. */
  readonly role?: InstructionRole | undefined;
  /** Where it was said, and by whom. */
  readonly source?: Pick<PromptText, 'path' | 'role' | 'kind'>;
  /** The model said it, or the maker of the agent: a turn of the assistant, arguments of its calls, a tool's definition. */
  readonly isOwn?: boolean;
}

/** A text of a call, with what stands before it and may tell what it is. */
export interface ToldText {
  readonly before: string;
  readonly text: string;
}

/** Readings of texts that belong together. */
export interface ToldReading {
  /** A document of which all of them are; undefined where they depend on other texts. */
  readonly document: string | undefined;
  /** In a tool's arguments, from below `arguments`; undefined elsewhere. */
  readonly argument: JsonPath | undefined;
  readonly texts: () => Iterable<ToldText>;
}

/** `input` of policies, without `action`. */
export interface PolicyInput {
  readonly agent: AgentInput;
  readonly request: LlmRequestInput | McpRequestInput;
  readonly session: SessionInput;
  readonly agent_risk: AgentRiskInput;
}

interface LlmRequestInput {
  readonly provider: string;
  /** Empty where the endpoint has none. */
  readonly model: string;
  readonly method: 'llm_call';
  /** As sent to the gateway, without a key: `/<provider>/v1/…`. */
  readonly path: string;
  /** Text that the gateway cannot see takes part. */
  readonly unseen_content: boolean;
}

/** What a call does not name is empty, so that a rule about it is decided and not undefined. */
export interface McpRequestInput {
  readonly provider: string;
  readonly method: McpCallType;
  /** Of the message: `tools/call`, `resources/read`; empty for a client's answer to a server. */
  readonly mcp_method: string;
  readonly tool_name: string;
  /** Several of one subscription are a line each. */
  readonly resource_uri: string;
  readonly prompt_name: string;
  readonly mcp_server: string;
  /** `/mcp/<server>/tools/call` for a tool, whichever address was called; `/mcp/<server>` for all else. */
  readonly path: string;
  /** As the agent wrote them; empty where there are none. Of other methods than tools and prompts: their `params`. */
  readonly arguments: unknown;
  readonly unseen_content: boolean;
}

/** What a key does not say is empty, so that a rule about it is decided and not undefined. */
export interface AgentInput {
  readonly key_hash: string;
  readonly name: string;
  readonly agent_name: string;
  readonly owner: string;
  readonly provider: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Without a session: nothing that came before. */
export interface SessionInput {
  readonly id: string;
  /** Empty until a policy moves it: whoever judges takes it for the first of its states. */
  readonly state: string;
  /** USD. */
  readonly spend: number;
  readonly steps: number;
  readonly taint_flags: Readonly<Record<string, true>>;
  /** In the order of their first calls. */
  readonly tools_called: readonly string[];
  readonly drift: {
    readonly drift_detected: boolean;
    readonly drift_score: number;
    readonly anchor_similarity: number;
    readonly prior_similarity: number;
    readonly turn_count: number;
  };
}

export interface AgentRiskInput {
  readonly risk_score: number;
  readonly total_policy_blocks: number;
  readonly total_escalations: number;
  /** USD. */
  readonly total_spend: number;
  readonly persistent_taint_flags: readonly string[];
  readonly session_count: number;
  readonly quarantine_active: boolean;
}

/** `input.action`, of which `injection_score` is added where a policy reads it. */
export interface ActionInput {
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

/** One step of a session as `contains_matching_trace` looks for it. */
export interface TraceStep {
  readonly type: 'llm_call' | 'llm_response' | McpCallType | 'mcp_tool_response';
  /** The provider, or the MCP server. */
  readonly provider: string;
  /** Empty where no tool is called. */
  readonly tool: string;
  /** Texts of a prompt, of arguments, of an answer, of a tool's result. */
  readonly content: readonly string[];
}
