import type { Refusal } from '../errors.ts';
import type { JsonEdit, JsonPath } from '../json/path.ts';
import type { Frame } from '../streams/frame.ts';
import type { Stepwise } from '../turns.ts';
import type { ClientFields } from './client-headers.ts';
import type { RequestFacts } from './request-facts.ts';

export * from './request-facts.ts';

/** Provider values, exact (docs/routing.md). */
export const PROVIDER_NAMES = [
  'openai',
  'anthropic',
  'gemini',
  'bedrock',
  'azure',
  'mistral',
  'groq',
  'cohere',
  'deepseek',
  'together',
  'ollama',
  'fireworks',
  'xai',
  'vllm',
  'openrouter',
] as const;

export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** What an endpoint is for: a closed set, used as metric label. */
export type Operation =
  | 'chat'
  | 'completions'
  | 'responses'
  | 'embeddings'
  | 'rerank'
  | 'count_tokens'
  | 'moderations'
  | 'images'
  | 'audio'
  | 'models'
  | 'mcp'
  | 'unknown';

/**
 * One provider: a thin file that says which paths it has, what dialect each speaks and how it wants its
 * credential. Pure: no network, no state, no configuration but what is passed in.
 */
export interface Provider extends ClientFields {
  readonly name: ProviderName;
  /** Public API base with its base path, without a trailing slash; undefined where there is none (azure, vllm). */
  readonly defaultBaseUrl: string | undefined;
  /** False where the provider takes requests without a key (ollama, vllm). */
  readonly needsKey: boolean;
  /**
   * What its paths begin with before what an SDK appends (`/v1`), the most usual first: what a base URL may lack, or
   * have twice. Empty text where paths begin at once.
   */
  readonly roots: readonly string[];
  /** Paths of a self-hosted provider beside its endpoints that use a model, and which an operator may therefore open. */
  readonly openable?: RegExp;
  /** Words with capitals that its paths end in, behind a colon. */
  readonly verbs?: readonly string[];
  /** True where the provider is self-hosted: plain http is accepted and models cost 0 unless overridden. */
  readonly selfHosted: boolean;
  /**
   * The endpoint at a path of the provider's own (`/v1/chat/completions`, after the base path, without query),
   * or undefined where the gateway cannot read it. `method` is GET, HEAD or POST; `query` is what stands after
   * the `?`, for the few endpoints whose form of answer it decides.
   */
  endpoint(method: string, path: string, query?: string): Endpoint | undefined;
  /**
   * Why the cost cannot be bounded, where a request header says so (lower-case names): a dearer service tier.
   * Joins RequestFacts.unbounded.
   */
  unboundedBy?(headers: ReadonlyMap<string, string>): string | undefined;
  /** How this credential travels upstream; throws GatewayError invalid_request on a malformed one. */
  credential(key: string): Credential;
}

export interface Endpoint {
  readonly operation: Operation;
  readonly dialect: Dialect;
  /** The model where the path names it (gemini, bedrock, azure deployments), decoded. */
  readonly model?: string;
  /** The answer is a stream of this format although its Content-Type does not say so (gemini's JSON array). */
  readonly streamFormat?: 'json-array';
}

/** The one credential that goes upstream. */
export type Credential =
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | {
      readonly kind: 'sigv4';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string;
    };

/** How the bodies of a family of endpoints are read. Stateless; `stream()` makes the state of one answer. */
export interface Dialect {
  readonly name: string;
  /** True where the request has a JSON body to parse (false: models). */
  readonly hasBody: boolean;
  /** False where clients trip over lines of an event stream that are no data: no comment is sent to them. */
  readonly bearsComments?: false;
  /** Reads a parsed request body; throws GatewayError invalid_request where a needed field has the wrong type. */
  request(body: JsonObject, endpoint: Endpoint): RequestFacts;
  /** Reads a whole (unstreamed) answer of status 2xx. Never throws: what it cannot read is absent. */
  readonly answer: Stepwise<unknown, AnswerFacts>;
  /**
   * The reader of one streamed answer; undefined where the dialect never streams. `request` is what it answers: of use
   * where frames name the request they belong to (JSON-RPC).
   */
  stream(request?: RequestFacts): StreamReader | undefined;
}

/** A frame of a dialect's own that reports an error; the first one's JSON has `type`, the refusal's, at its top level. */
export interface CutPayload {
  /** SSE `event:` name, or AWS `:exception-type`. */
  readonly event?: string;
  readonly json: JsonObject;
  /** As in ClosingFrame. */
  readonly line?: string;
  /** Spaces behind the JSON, where a client takes in what is long and loses what is short. */
  readonly pad?: number;
}

export type JsonObject = { readonly [name: string]: unknown };

/** Token counts as billed, normalised: `inputTokens` includes cached and cache-write tokens in every dialect. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of inputTokens that was read from a cache. */
  readonly cacheReadTokens?: number;
  /** Part of inputTokens that was written to a cache (5-minute TTL where the provider tells). */
  readonly cacheWriteTokens?: number;
  /** Part of inputTokens that was written to Anthropic's 1-hour cache. */
  readonly cacheWrite1hTokens?: number;
  /** Part of outputTokens that was spent on reasoning. */
  readonly reasoningTokens?: number;
  readonly inputAudioTokens?: number;
  readonly outputAudioTokens?: number;
  /** What a router says it billed, in nano-USD. */
  readonly billedNanoUsd?: number;
  /** Units of a flat-priced search that were billed, where the provider tells (Cohere's rerank). */
  readonly searchUnits?: number;
}

export interface AnswerFacts {
  /** Undefined where the answer carries none, or carries nonsense (negative, NaN, over 1e9). */
  readonly usage: Usage | undefined;
  /** Everything the model wrote, for counting and for scanning. */
  readonly texts: readonly AnswerText[];
  /** Those of `texts` that clients join into one, with nothing between; absent where none has another to be joined to. */
  readonly joined?: readonly (readonly AnswerText[])[];
  /** Tokens that spell texts again, with their probabilities. */
  readonly tokens?: readonly TokenText[];
}

/**
 * One token of a list of probabilities (`logprobs`). The tokens of a channel, joined in order, spell its text; where
 * they do not, nobody can tell which token holds what.
 */
export interface TokenText {
  /**
   * A whole answer's: the path, joined by `.`, of the text that it spells; a stream's: the delta's channel. With more
   * behind it (`/bytes`) what stands beside the tokens and says something else.
   */
  readonly channel: string;
  readonly text: string;
  /** The edits that leave nothing of its words: token `***`, no bytes, no alternatives. */
  readonly blank: readonly JsonEdit[];
}

export interface AnswerText {
  readonly kind: 'text' | 'reasoning' | 'tool_arguments';
  readonly text: string;
  readonly path: JsonPath;
  /** `tool_arguments` that are a JSON document in a string; a value inside an object of arguments is not. */
  readonly isJson?: true;
  /** A signature covers it: the provider refuses it changed, and takes it back emptied (`''`). */
  readonly signed?: true;
  /** As in PromptText. */
  readonly editable?: false;
}

/** Reads one streamed answer, frame by frame. */
export interface StreamReader {
  /** The event's frame may have another payload, of the same meaning with nothing hidden beside it. */
  readonly read: Stepwise<Frame, StreamEvent>;
  /**
   * The payloads that end the stream with an error which this dialect's clients show, one at least.
   * @param isLastWithheld nothing is said again of the event that was read last: it may be what the stream is cut for
   */
  cut(refusal: Refusal, isLastWithheld?: true): readonly CutPayload[];
}

/** A decoded frame of a stream. */
export interface StreamEvent {
  readonly frame: Frame;
  /** The JSON that the deltas' paths point into, where it is not the frame's own payload but packed inside it. */
  readonly inner?: InnerPayload;
  /** Pieces of text in this frame, each with the path of its string in the frame's JSON. */
  readonly deltas: readonly TextDelta[];
  /**
   * The JSON that the deltas' paths point into, parsed: the frame's own payload, or `inner`'s. Undefined where it is
   * not JSON (`[DONE]`, a broken frame).
   */
  readonly json?: unknown;
  /**
   * Channels to which nothing is added after this event's own deltas: a name, or all that begin with one that ends in
   * `/` (`0/`); `*` is every channel.
   */
  readonly ends?: readonly string[];
  /** Channels that begin with this event without a text, such as a tool call of which only the name has come. */
  readonly begins?: readonly BegunChannel[];
  /** Texts of one choice follow one another, and nothing but the next one's beginning says that one is over. */
  readonly isInOrder?: true;
  readonly tokens?: readonly TokenText[];
  /**
   * Not a payload, but what the provider put beside: comments, ids, unknown headers, broken rests; `json` is that text.
   * Comes before the frame's own event, where it has one. No client joins such texts, and an edit takes them out.
   */
  readonly sideband?: true;
  /** Usage of the whole answer so far, where this frame tells (running usage; the reader merges parts). */
  readonly usage?: Usage;
  /** This frame exists only because usage was asked for; hidden from a client that did not ask. */
  readonly usageOnly?: boolean;
  /** The dialect's end marker: after it the answer is complete even if the connection then breaks. */
  readonly done?: boolean;
  /** The provider reports an error inside the stream. */
  readonly failed?: boolean;
}

export interface BegunChannel {
  readonly channel: string;
  /** The index of the delta that stands behind its beginning. */
  readonly before: number;
}

/** A JSON document inside a frame's payload (Bedrock's invoke streams carry it as base64). */
export interface InnerPayload {
  readonly json: string;
  /** The frame's payload with this document in place of the one it came with. */
  pack(json: string): string;
}

export interface TextDelta {
  /** Which text it continues: one per choice, content block and tool call, e.g. `0/text`, `0/tool/1`. */
  readonly channel: string;
  readonly kind: 'text' | 'reasoning' | 'tool_arguments';
  readonly text: string;
  readonly path: JsonPath;
  /** As in AnswerText; pieces of a JSON document, where they stream as such. */
  readonly isJson?: true;
  readonly signed?: true;
  /** Channels of one such name are one text to clients, each behind the one before, where they do not run at once. */
  readonly joins?: string;
  /** A copy of what was already streamed (`response.output_text.done`): to be scanned, not to be counted again. */
  readonly repeats?: true;
  /**
   * The channel whose text some clients take this for: they read it again (with `repeats`), or behind what they have read
   * (a `message` among deltas).
   */
  readonly copies?: string;
  /** The element that holds the text, where the provider's API has none with an empty one. */
  readonly part?: JsonPath;
  /** Nobody knows what it is: a text by itself, or one that goes on with its channel in the event before. */
  readonly loose?: true;
}
