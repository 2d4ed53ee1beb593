import type { JsonObject } from '../json/is-object.ts';
import type { ProviderName } from '../providers/registry.ts';

export type StepType = 'llm_call' | 'llm_response' | 'mcp_tool_call' | 'mcp_tool_response';

export interface TracedStep {
  readonly type: StepType;
  readonly sessionId: string;
  readonly agent: StepAgent;
  /** Unix ms. */
  readonly at: number | undefined;
  /**
   * Links a response to its call. If undefined, the response answers the session's oldest open call of its kind and, if
   * the response names a tool, of this tool.
   */
  readonly callId: string | undefined;
  /** Undefined for MCP tools. */
  readonly provider: ProviderName | undefined;
  readonly model: string | undefined;
  /** A prompt or answer: a string, messages, or a complete body of the provider's API. */
  readonly content: unknown;
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** Set for MCP calls other than tool calls. */
  readonly message?: { readonly method: string; readonly params: JsonObject };
  readonly result: unknown;
  readonly isError: boolean;
}

/** Creates a step. Missing fields are empty. */
export function tracedStep(
  fields: Partial<TracedStep> & Pick<TracedStep, 'type' | 'sessionId' | 'agent'>,
): TracedStep {
  return {
    at: undefined,
    callId: undefined,
    provider: undefined,
    model: undefined,
    content: undefined,
    server: '',
    tool: '',
    arguments: undefined,
    result: undefined,
    isError: false,
    ...fields,
  };
}

export function isCall({ type }: TracedStep): boolean {
  return type === 'llm_call' || type === 'mcp_tool_call';
}

export interface StepAgent {
  readonly id: string;
  readonly name: string;
  /** Default: derived from the id. */
  readonly keyHash: string;
  readonly owner: string | undefined;
  readonly provider: ProviderName | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly allowedTools: readonly string[] | undefined;
  readonly allowedModels: readonly string[] | undefined;
  readonly allowedProviders: readonly ProviderName[] | undefined;
}

export interface TracePlace {
  /** Element index, starting at 0. An element may contain several steps. */
  readonly index: number;
  /** Starts at 1. */
  readonly line: number;
}

export type Read =
  | ({ readonly kind: 'steps'; readonly steps: readonly TracedStep[] } & SpanFields)
  | { readonly kind: 'unreadable'; readonly problem: string }
  /** The element is readable, but contains nothing to judge. */
  | { readonly kind: 'skipped'; readonly why: string }
  /** The element has prompts, tool calls or answers in an unsupported form, or lacks their content. */
  | ({ readonly kind: 'unjudged'; readonly why: string } & SpanFields);

interface SpanFields {
  /** See `span-tree.ts`. */
  readonly span?: string | undefined;
  /** Set if the span repeats model calls below it. */
  readonly isAround?: true;
}

export type ReadElement = TracePlace & Read;

/** A document's defaults for its elements. */
export interface Context {
  readonly sessionId: string;
  readonly agent: StepAgent;
  readonly provider: ProviderName | undefined;
  readonly model: string | undefined;
}

export const DEFAULT_SESSION = 'trace';

export function unreadableStep(problem: string): Read {
  return { kind: 'unreadable', problem };
}
