import type { JsonObject, ProviderName } from '../providers/provider.ts';

export type StepType = 'llm_call' | 'llm_response' | 'mcp_tool_call' | 'mcp_tool_response';

/** A step that an agent took or a response that it got, from a trace of any format. */
export interface TracedStep {
  readonly type: StepType;
  readonly sessionId: string;
  readonly agent: StepAgent;
  /** Unix ms; undefined if the trace does not say. */
  readonly at: number | undefined;
  /** Links a response to its call. Undefined: it answers the session's oldest open call of its kind. */
  readonly callId: string | undefined;
  /** Undefined for a tool of an MCP server. */
  readonly provider: ProviderName | undefined;
  readonly model: string | undefined;
  /** A prompt or an answer: a text, messages, or a whole body of the provider's API. */
  readonly content: unknown;
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** The message of an MCP call other than a tool call. */
  readonly message?: { readonly method: string; readonly params: JsonObject };
  /** A tool's result; undefined if the trace does not say. */
  readonly result: unknown;
  readonly isError: boolean;
}

export function isCall({ type }: TracedStep): boolean {
  return type === 'llm_call' || type === 'mcp_tool_call';
}

/** The acting agent, with the field names of a proxy key's record. */
export interface StepAgent {
  readonly id: string;
  readonly name: string;
  readonly keyHash: string | undefined;
  readonly owner: string | undefined;
  readonly provider: ProviderName | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly allowedTools: readonly string[] | undefined;
  readonly allowedModels: readonly string[] | undefined;
  readonly allowedProviders: readonly ProviderName[] | undefined;
}

/** Position of a step in its trace. */
export interface TracePlace {
  /** Index of the trace's element, from 0; one element may hold several steps. */
  readonly index: number;
  /** From 1. */
  readonly line: number;
}

/** Result of reading one element of a trace. */
export type Read =
  | ({ readonly kind: 'steps'; readonly steps: readonly TracedStep[] } & SpanFields)
  /** The problem and its remedy. */
  | { readonly kind: 'unreadable'; readonly problem: string }
  /** The reason why a readable element holds nothing to judge. */
  | { readonly kind: 'skipped'; readonly why: string }
  /** The reason why an element with prompts, tool calls or answers could not be read by any reader. */
  | ({ readonly kind: 'unjudged'; readonly why: string } & SpanFields);

interface SpanFields {
  /** The element's span (`span-tree.ts`). */
  readonly span?: string | undefined;
  /** The span repeats what the model calls below it say. */
  readonly isAround?: true;
}

export type ReadElement = TracePlace & Read;

/** Defaults that a document sets for all its elements. */
export interface Context {
  readonly sessionId: string;
  readonly agent: StepAgent;
  readonly provider: ProviderName | undefined;
  readonly model: string | undefined;
}

/** Session of a trace that names none. */
export const DEFAULT_SESSION = 'trace';

export const UNKNOWN_AGENT: StepAgent = {
  id: 'trace',
  name: 'trace',
  keyHash: undefined,
  owner: undefined,
  provider: undefined,
  tags: {},
  allowedTools: undefined,
  allowedModels: undefined,
  allowedProviders: undefined,
};

export function unreadableStep(problem: string): Read {
  return { kind: 'unreadable', problem };
}
