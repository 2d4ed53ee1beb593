/** A request as the fake provider received it. */
export interface FakeRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query: string;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes as they came. */
  readonly body: Buffer;
  /** The parsed body; an empty object where it is no JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** What the model is to write, worked out by the server from the test's script and the request's limit. */
export interface AnswerPlan {
  /** One piece of text for each output token; together they are the answer. */
  readonly pieces: readonly string[];
  /** Numbers to report as they stand, nonsense included; undefined: the answer carries no usage. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  /** True where the output limit cut the answer short. */
  readonly truncated: boolean;
  /** The answer is a call of this tool, and the pieces are those of its arguments, in place of text. */
  readonly tool?: string;
  /** Behind the tool's name in the call's id. */
  readonly toolId?: string;
  /** The group to which the tool belongs, in OpenAI's Responses. */
  readonly toolNamespace?: string;
  /** OpenAI's chat stream tells its usage unasked: in its last chunk (Mistral, xAI …), or there as `x_groq`. */
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

/** One dialect of the fake provider: its paths and the form of its answers. Stateless. */
export interface FakeHandler {
  readonly name: string;
  matches(method: string, path: string): boolean;
  /** The output limit that the request sets, per choice. */
  outputLimit(request: FakeRequest): number | undefined;
  /** How many answers it asks for at once; 1 where the dialect has no such thing. */
  choices?(request: FakeRequest): number;
  reply(request: FakeRequest, plan: AnswerPlan): FakeReply;
  /** The dialect's error body. */
  error(status: number, message: string): unknown;
}
