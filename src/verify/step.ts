import type { JsonObject, ProviderName } from '../providers/provider.ts';

export type StepType = 'llm_call' | 'llm_response' | 'mcp_tool_call' | 'mcp_tool_response';

/** What an agent did, or got, as far as a trace tells it; whichever format the trace is of. */
export interface TracedStep {
  readonly type: StepType;
  readonly sessionId: string;
  readonly agent: StepAgent;
  /** Unix ms; undefined where the trace does not tell. */
  readonly at: number | undefined;
  /** Tells which call a response answers; undefined: the session's oldest one of its kind that waits for one. */
  readonly callId: string | undefined;
  /** Of a model; undefined where it is a tool of an MCP server. */
  readonly provider: ProviderName | undefined;
  readonly model: string | undefined;
  /** A prompt or an answer: a text, messages, or a whole body of the provider's API. */
  readonly content: unknown;
  readonly server: string;
  readonly tool: string;
  readonly arguments: unknown;
  /** The message of a call that is not of a tool. */
  readonly message?: { readonly method: string; readonly params: JsonObject };
  /** What came of a tool; undefined where that is not told. */
  readonly result: unknown;
  readonly isError: boolean;
}

export function isCall({ type }: TracedStep): boolean {
  return type === 'llm_call' || type === 'mcp_tool_call';
}

/** Who did it, under the names of a proxy key's record. */
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

/** Where a step stands in its trace. */
export interface TracePlace {
  /** Of the element of the trace, from 0; several steps may come of one. */
  readonly index: number;
  /** From 1. */
  readonly line: number;
}

/** What is read of one element of a trace. */
export type Read =
  | ({ readonly kind: 'steps'; readonly steps: readonly TracedStep[] } & OfSpan)
  /** What is wrong with it, and the remedy. */
  | { readonly kind: 'unreadable'; readonly problem: string }
  /** It can be read, and holds nothing that can be judged: why. */
  | { readonly kind: 'skipped'; readonly why: string }
  /** It holds prompts, calls of tools or answers, or should, and no reader reads them: why. */
  | ({ readonly kind: 'unjudged'; readonly why: string } & OfSpan);

interface OfSpan {
  /** The span that it was read of (`span-tree.ts`). */
  readonly span?: string | undefined;
  /** The span repeats what the calls of models below it say. */
  readonly isAround?: true;
}

/** An element of a trace and what was read of it. */
export type ReadElement = TracePlace & Read;

/** What a document says of all its elements. */
export interface Context {
  readonly sessionId: string;
  readonly agent: StepAgent;
  readonly provider: ProviderName | undefined;
  readonly model: string | undefined;
}

/** Of a trace that names none. */
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
