/** A request as the fake provider received it. */
export interface FakeRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query: string;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as received. */
  readonly body: Buffer;
  /** The parsed body; an empty object if it is not a JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** The model's output, computed by the server from the test's script and the request's limit. */
export interface AnswerPlan {
  /** One piece of text for each output token; together they are the answer. */
  readonly pieces: readonly string[];
  /** Reported numbers, also nonsensical ones; undefined: the answer has no usage. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  /** Whether the output limit cut the answer short. */
  readonly truncated: boolean;
  /** The answer calls this tool, and the pieces are parts of its arguments instead of text. */
  readonly tool?: string;
  /** Appended to the tool's name in the call's id. */
  readonly toolId?: string;
  /** The group to which the tool belongs, in OpenAI's Responses. */
  readonly toolNamespace?: string;
  /** OpenAI's chat stream reports its usage without a request: in its last chunk (Mistral, xAI …), or there as `x_groq`. */
  readonly unaskedUsage?: 'last_chunk' | 'x_groq';
}

/** One write of a stream. */
export interface StreamPiece {
  readonly bytes: Buffer | string;
  /** Output tokens that the provider bills once it has generated this piece. */
  readonly outputTokens: number;
}

export type FakeReply =
  | { readonly kind: 'whole'; readonly body: unknown; readonly outputTokens: number }
  /** The dialect refuses the request itself, such as a wrong signature; sent with the body of `error`. */
  | { readonly kind: 'error'; readonly status: number; readonly message: string }
  | { readonly kind: 'stream'; readonly contentType: string; readonly pieces: readonly StreamPiece[] };

/** One dialect of the fake provider: its paths and the format of its answers. Stateless. */
export interface FakeHandler {
  readonly name: string;
  matches(method: string, path: string): boolean;
  /** The output limit that the request sets, per choice. */
  outputLimit(request: FakeRequest): number | undefined;
  /** How many answers it requests at once; 1 if the dialect has no such option. */
  choices?(request: FakeRequest): number;
  reply(request: FakeRequest, plan: AnswerPlan): FakeReply;
  /** The dialect's error body. */
  error(status: number, message: string): unknown;
}
