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

/** One call as policies judge it: of a model, or of an MCP server (docs/policies.md). */
export interface PolicyCall {
  readonly input: PolicyInput;
  /** All that the call says. */
  readonly texts: readonly CallText[];
  /** What is sent beside the body, in headers and address; put together only for rules about data that is detected. */
  readonly carried?: () => readonly string[];
  /** What neighbouring parts of a message say together, where something stands over two of them (`joined-parts.ts`). */
  readonly joined?: () => Iterable<string>;
  /** The texts once more, with what stands beside them and may tell what they are (`context-readings.ts`). */
  readonly contextReadings: () => Iterable<ContextReading>;
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
export interface ContextText {
  readonly before: string;
  readonly text: string;
}

/** Readings of texts that belong together. */
export interface ContextReading {
  /** A document of which all of them are; undefined where they depend on other texts. */
  readonly document: string | undefined;
  /** In a tool's arguments, from below `arguments`; undefined elsewhere. */
  readonly argument: JsonPath | undefined;
  readonly texts: () => Iterable<ContextText>;
}

type MembersOf<Rows extends Readonly<Record<string, FieldRow>>> = {
  readonly [Name in keyof Rows]: DeepReadonly<z.output<Rows[Name]['type']>>;
};

/** `input` of policies, without `action`. Its members: `input-fields.ts`. */
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
