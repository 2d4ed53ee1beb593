import type { Refusal } from '../errors.ts';
import type { JsonObject } from '../json/is-object.ts';
import type { JsonEdit, JsonPath } from '../json/path.ts';
import type { Frame } from '../streams/frame.ts';
import type { Stepwise } from '../turns.ts';
import type { RequestFacts } from './request-facts.ts';

/** Closed set of endpoint purposes, used as a metric label. */
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

export interface Endpoint {
  readonly operation: Operation;
  readonly dialect: Dialect;
  /** The decoded model name if the path contains it (Gemini, Bedrock, Azure deployments). */
  readonly model?: string;
  /** Path segments of an unknown endpoint that the operator's pattern leaves open. They may be ids. */
  readonly openSegments?: readonly string[];
  /** The stream format if the Content-Type does not reveal it (Gemini's JSON array). */
  readonly streamFormat?: 'json-array';
}

export type Credential =
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | {
      readonly kind: 'sigv4';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string;
    };

/** Reads the bodies of a family of endpoints. Stateless, except for the readers that `stream()` returns. */
export interface Dialect {
  readonly name: string;
  readonly hasBody: boolean;
  /** False if clients fail on SSE lines other than data. They then receive no comments. */
  readonly acceptsComments?: false;
  /** Reads a parsed request body. Throws GatewayError invalid_request if a required field has the wrong type. */
  request(body: JsonObject, endpoint: Endpoint): RequestFacts;
  /** Reads an unstreamed 2xx answer. Never throws; unreadable parts are absent. */
  readonly answer: Stepwise<unknown, AnswerFacts>;
  /** Returns a reader for one answer, or undefined if the dialect never streams. JSON-RPC needs the request. */
  stream(request?: RequestFacts): StreamReader | undefined;
}

/** A frame that reports an error in the dialect. The first frame has the gateway's `type` at the top level. */
export interface CutPayload {
  /** SSE `event:` name, or AWS `:exception-type`. */
  readonly event?: string;
  readonly json: JsonObject;
  /** See `ClosingFrame.line`. */
  readonly line?: string;
  /** Number of spaces after the JSON, for clients that lose short events. */
  readonly pad?: number;
}

/** Token counts as billed. `inputTokens` includes cache reads and writes in every dialect. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  /** The part of inputTokens written to a cache (with a 5-minute TTL if the provider distinguishes). */
  readonly cacheWriteTokens?: number;
  /** The part of inputTokens written to Anthropic's 1-hour cache. */
  readonly cacheWrite1hTokens?: number;
  /** The part of outputTokens spent on reasoning. */
  readonly reasoningTokens?: number;
  readonly inputAudioTokens?: number;
  readonly outputAudioTokens?: number;
  /** The amount a router reports as billed, in nano-USD. */
  readonly billedNanoUsd?: number;
  /** Billed units of flat-priced search, if reported (Cohere's rerank). */
  readonly searchUnits?: number;
}

export interface AnswerFacts {
  /** Undefined if the answer reports no usage, or an invalid count (negative, NaN or over 1e9). */
  readonly usage: Usage | undefined;
  readonly texts: readonly AnswerText[];
  /** Groups of `texts` that clients concatenate. Absent if no text joins another. */
  readonly joined?: readonly (readonly AnswerText[])[];
  /** Tokens from probability lists, which spell the texts again. */
  readonly tokens?: readonly TokenText[];
}

/** A token from a probability list (`logprobs`). The tokens of a channel usually spell its whole text. */
export interface TokenText {
  /**
   * In a whole answer, the path of the spelled text, joined by `.`; in a stream, the channel of the delta. A suffix
   * such as `/bytes` marks tokens with a different spelling.
   */
  readonly channel: string;
  readonly text: string;
  /** The edits that erase it: token `***`, no bytes, no alternatives. */
  readonly blank: readonly JsonEdit[];
}

export interface AnswerText {
  readonly kind: 'text' | 'reasoning' | 'tool_arguments';
  readonly text: string;
  readonly path: JsonPath;
  /** Marks `tool_arguments` that are a JSON document in a string, as opposed to a value in an arguments object. */
  readonly isJson?: true;
  /** Covered by a signature. The provider rejects changed text, but accepts empty text (`''`). */
  readonly signed?: true;
  /** See `PromptText.editable`. */
  readonly editable?: false;
}

export interface StreamReader {
  /** Reads a frame. The event's frame may be repacked without hidden data. */
  readonly read: Stepwise<Frame, StreamEvent>;
  /**
   * Returns payloads that end the stream with an error visible to clients.
   * @param isLastWithheld set if the last event must not be repeated, because it may be the reason for the cut
   */
  cut(refusal: Refusal, isLastWithheld?: true): readonly CutPayload[];
}

export interface StreamEvent {
  readonly frame: Frame;
  /** The JSON that delta paths point into, if it is packed inside the frame's payload. */
  readonly inner?: InnerPayload;
  readonly deltas: readonly TextDelta[];
  /** The parsed JSON that delta paths point into. Undefined if the payload is not JSON, such as `[DONE]`. */
  readonly json?: unknown;
  /** Channels that end after this event's deltas: a name, a prefix ending in `/` (`0/`), or `*` for all channels. */
  readonly ends?: readonly string[];
  /** Channels that start in this event without text, such as a tool call with only a name so far. */
  readonly begins?: readonly BegunChannel[];
  /** The texts of a choice are sequential, so each ends where the next begins. */
  readonly isInOrder?: true;
  readonly tokens?: readonly TokenText[];
  /**
   * Marks an event with data outside the payload (`Frame.sideband`), which `json` contains. It precedes the frame's
   * own event. Clients never join these texts, and edits remove them.
   */
  readonly sideband?: true;
  /** Usage of the whole answer so far, if this frame reports it. The reader merges partial reports. */
  readonly usage?: Usage;
  /** Sent only because usage was requested. Hidden from clients that did not request it. */
  readonly usageOnly?: boolean;
  /** The dialect's end marker. Once seen, the answer is complete even if the connection breaks. */
  readonly done?: boolean;
  readonly failed?: boolean;
}

export interface BegunChannel {
  readonly channel: string;
  /** Index of the first delta after the channel's start. */
  readonly before: number;
}

/** A JSON document within a frame's payload (Base64 in Bedrock's invoke streams). */
export interface InnerPayload {
  readonly json: string;
  /** Returns the frame's payload with this document as its content. */
  pack(json: string): string;
}

/** A piece of a text. Its path points into the frame's JSON. */
export interface TextDelta extends Omit<AnswerText, 'editable'> {
  /** The text that this piece continues: one per choice, block and tool call (`0/text`, `0/tool/1`). */
  readonly channel: string;
  /** Clients concatenate sequential channels with the same `joins` name into one text. */
  readonly joins?: string;
  /** Repeats text already streamed (`response.output_text.done`): scanned, but not counted again. */
  readonly repeats?: true;
  /** The channel on which some clients read this text, as a repetition (with `repeats`) or a continuation. */
  readonly copies?: string;
  /** The element that contains the text, if the provider's API forbids empty elements. */
  readonly part?: JsonPath;
  /** May be a separate text, or continue the channel's text in the previous event. */
  readonly loose?: true;
}
