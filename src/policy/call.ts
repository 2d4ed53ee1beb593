import type * as z from 'zod';
import type { DeepReadonly } from '../config/fields.ts';
import type { JsonPath } from '../json/path.ts';
import type { McpCallType } from '../mcp/methods.ts';
import type { InstructionRole } from '../providers/instructions.ts';
import type { PromptText } from '../providers/request-facts.ts';
import type {
  ACTION,
  AGENT,
  AGENT_RISK,
  DRIFT,
  FieldRow,
  LLM_REQUEST,
  MCP_REQUEST,
  OBFUSCATION,
  SESSION,
} from './input-fields.ts';
import type { CallTrust } from './trust.ts';
import type { RuleOverrides } from './rule-modes.ts';

/** A call, as judged by policies (docs/policies.md). */
export interface PolicyCall {
  readonly input: PolicyInput;
  readonly texts: readonly CallText[];
  /** Client headers and URL that are sent upstream. Built only for rules about detected data. */
  readonly carried?: () => readonly string[];
  /** Adjacent parts, joined for matches across two of them (`joined-parts.ts`). */
  readonly joined?: () => Iterable<string>;
  /** Texts with the context that may identify them (`context-readings.ts`). */
  readonly contextReadings: () => Iterable<ContextReading>;
  /** Marks of the session's earlier steps, from `PolicySet.marksOf`. */
  readonly marks: readonly string[];
  /** Roles whose instructions injection rules skip. */
  readonly trust: CallTrust;
  /** The key's own rule modes, if any. */
  readonly overrides?: RuleOverrides | undefined;
  /** Built only for policies that read it (docs/normalization.md). */
  readonly action: () => ActionInput;
  /** Overrides the model's score in inputs that are read from JSON. */
  readonly injectionScore?: number | undefined;
}

/** Initial state of sessions, unless a card defines another one (docs/sessions.md). */
export const INITIAL_STATE = 'INIT';

export type CallType = PolicyInput['request']['method'];

export interface CallText {
  readonly raw: string;
  readonly normalized: string;
  /** Path below `arguments` of an MCP call; undefined elsewhere. */
  readonly argument: JsonPath | undefined;
  /** Set for the resolved form of a path, which was not itself sent. */
  readonly isResolved?: true;
  /** Set for instructions in system and developer messages. */
  readonly role?: InstructionRole | undefined;
  readonly source?: Pick<PromptText, 'path' | 'role' | 'kind'>;
  /** Set for assistant turns, the arguments of their tool calls, and tool definitions. */
  readonly isOwn?: boolean;
}

/** A text and preceding words that may identify it. */
export interface ContextText {
  readonly before: string;
  readonly text: string;
}

/** Texts with context that are searched and cached together. */
export interface ContextReading {
  /** Cache key: the name and the document; undefined if the texts depend on other texts. */
  readonly content: string | undefined;
  /** Path below `arguments` of a tool call; undefined elsewhere. */
  readonly argument: JsonPath | undefined;
  readonly texts: () => Iterable<ContextText>;
}

type MembersOf<Rows extends Readonly<Record<string, FieldRow>>> = {
  readonly [Name in keyof Rows]: DeepReadonly<z.output<Rows[Name]['type']>>;
};

/** Policy `input` without `action` (`input-fields.ts`). */
export interface PolicyInput {
  readonly agent: AgentInput;
  readonly request: LlmRequestInput | McpRequestInput;
  readonly session: SessionInput;
  readonly agent_risk: AgentRiskInput;
}

type LlmRequestInput = MembersOf<typeof LLM_REQUEST>;
export type McpRequestInput = MembersOf<typeof MCP_REQUEST>;
type AgentInput = MembersOf<typeof AGENT>;
export type SessionInput = MembersOf<typeof SESSION> & { readonly drift: MembersOf<typeof DRIFT> };
export type AgentRiskInput = MembersOf<typeof AGENT_RISK>;

/** `input.action`. Rego's `injection_score` is added if a policy reads it. */
export type ActionInput = Omit<MembersOf<typeof ACTION>, 'injection_score'> & {
  readonly obfuscation: MembersOf<typeof OBFUSCATION>;
};

export interface TraceStep {
  readonly type: 'llm_call' | 'llm_response' | McpCallType | 'mcp_tool_response';
  /** The provider, or the MCP server. */
  readonly provider: string;
  /** Empty unless a tool is called. */
  readonly tool: string;
  /** Texts of a prompt, tool arguments, an answer or a tool result. */
  readonly content: readonly string[];
}
