import type { AnswerPlan, FakeHandler, FakeRequest } from './handler.ts';

/** A test's instructions for the fake provider; everything unset behaves well. */
export interface Script {
  /** Tokens that the model would write without a limit; default: as many as the limit allows, else 16. */
  readonly outputTokens?: number;
  /** Reported input tokens; default 10. */
  readonly inputTokens?: number;
  /** The text of the answer instead of generated words; one token for every four letters. */
  readonly text?: string;
  /** The model calls a tool instead of writing text; one token for every four letters of the arguments' JSON. */
  readonly tool?: {
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    /** In OpenAI's Responses. */
    readonly namespace?: string;
    /** Distinguishes calls of one tool, for Anthropic's clients. */
    readonly id?: string;
  };
  /** Its usage: the truth (default), none, nonsense, or these numbers. */
  readonly usage?: 'right' | 'missing' | 'zero' | 'negative' | Required<AnswerPlan>['usage'];
  /** Where an OpenAI stream reports its usage without a request; nowhere by default, as at OpenAI. */
  readonly unaskedUsage?: Required<AnswerPlan>['unaskedUsage'];
  /** Answers with an error of this status in the dialect's form. */
  readonly status?: number;
  /** Extra response headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Nothing is sent before this is settled. */
  readonly hold?: Promise<unknown>;
  readonly headersDelayMs?: number;
  /** Between headers and body of a whole answer, and before each piece of a stream. */
  readonly bodyDelayMs?: number;
  readonly pieceDelayMs?: number;
  /** Breaks off: before the headers, after them, or after this many pieces of a stream (half of a whole body). */
  readonly breakOff?: {
    readonly at: 'before_headers' | 'after_headers' | number;
    /** reset: the connection dies; end: the body just stops; stall: silence until the client disconnects. */
    readonly how: 'reset' | 'end' | 'stall';
  };
  /** After this many pieces, a stream waits for this. */
  readonly holdStream?: { readonly afterPieces: number; readonly until: Promise<unknown> };
  readonly gzip?: boolean;
  readonly trailers?: Readonly<Record<string, string>>;
}

const DEFAULT_OUTPUT_TOKENS = 16;
const DEFAULT_INPUT_TOKENS = 10;

/** Computes the model's output for a request. */
export function planAnswer(script: Script, handler: FakeHandler, request: FakeRequest): AnswerPlan {
  const limit = handler.outputLimit(request);
  const words = script.tool === undefined ? script.text : JSON.stringify(script.tool.arguments);
  const wanted = words === undefined ? undefined : piecesOf(words);
  const willing = wanted?.length ?? script.outputTokens ?? limit ?? DEFAULT_OUTPUT_TOKENS;
  const count = Math.min(willing, limit ?? Infinity);
  const pieces = wanted?.slice(0, count) ?? Array.from({ length: count }, (_, index) => ` word${index}`);
  return {
    pieces,
    usage: reported(script, count * (handler.choices?.(request) ?? 1)),
    truncated: count < willing,
    ...(script.tool !== undefined && { tool: script.tool.name }),
    ...(script.tool?.id !== undefined && { toolId: script.tool.id }),
    ...(script.tool?.namespace !== undefined && { toolNamespace: script.tool.namespace }),
    ...(script.unaskedUsage !== undefined && { unaskedUsage: script.unaskedUsage }),
  };
}

function piecesOf(text: string): string[] {
  return text.match(/[\s\S]{1,4}/gu) ?? [];
}

function reported(script: Script, outputTokens: number): AnswerPlan['usage'] {
  const usage = script.usage ?? 'right';
  if (usage === 'missing') return undefined;
  if (usage === 'zero') return { inputTokens: 0, outputTokens: 0 };
  if (usage === 'negative') return { inputTokens: -5, outputTokens: -7 };
  if (usage === 'right') return { inputTokens: script.inputTokens ?? DEFAULT_INPUT_TOKENS, outputTokens };
  return usage;
}
