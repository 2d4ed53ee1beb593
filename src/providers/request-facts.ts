import type { JsonEdit, JsonPath } from '../json/path.ts';
import type { McpMessage } from '../mcp/message.ts';
import { holdsEncodedBytes } from './encoded-bytes.ts';

/** A request in terms common to all dialects. Arrays are in document order. */
export interface RequestFacts {
  /** The requested model; undefined if there is none. */
  readonly model: string | undefined;
  /** Every model that may serve the request, `model` first (OpenRouter `models` fallbacks). */
  readonly models: readonly string[];
  readonly stream: boolean;
  /** All texts of the request: content parts, system prompts, tool definitions, results, arguments and so on. */
  readonly texts: readonly PromptText[];
  readonly media: readonly Media[];
  readonly tools: readonly string[];
  /** Tools that the provider would run itself (docs/hosted-tools.md). */
  readonly hostedTools: readonly HostedTool[];
  /** Number of answers requested: n, best_of, candidateCount. Defaults to 1. */
  readonly choices: number;
  /** Undefined if the operation generates nothing (embeddings, rerank, count_tokens). */
  readonly output: OutputLimit | undefined;
  /** The part of the output limit reserved for thinking. */
  readonly thinkingTokens?: number;
  /** Upper bound of the client's predicted output, billed even if the model writes something different. */
  readonly predictedTokens?: number;
  readonly outputs?: readonly OutputModality[];
  /** True if some content is outside the request (previous_response_id, stored prompts, file ids, templates). */
  readonly unseenContent: boolean;
  /** Set if encoded bytes were not interpreted. */
  readonly undecoded?: true;
  /** Path of a prompt given as token ids or vectors, which the gateway cannot read. */
  readonly encodedPrompt?: JsonPath;
  /** The reason why the cost is unbounded, such as `background`. Shown in a 400 to keys with a budget. */
  readonly unbounded?: string;
  /** Edits that select the list-price service tier, if the client leaves the choice to the provider. */
  readonly pinTier?: readonly JsonEdit[];
  /** The answer omits part of the reasoning, so an interrupted stream does not show everything that was billed. */
  readonly hidesReasoning?: true;
  /** Returns edits that make a router refuse more expensive hosts. Absent unless the provider is a router. */
  readonly capPrice?: (cap: PriceCap) => readonly JsonEdit[];
  /** The member that refers to an object stored at the provider, which may contain provider-run tools. */
  readonly storedPrompt?: string;
  /** Edits that make a stream report usage, if it does not by default. */
  readonly askUsage?: readonly JsonEdit[];
  readonly mcp?: McpMessage;
}

export interface PromptText {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly kind: 'text' | 'tool_definition' | 'tool_arguments' | 'tool_result' | 'reasoning';
  readonly text: string;
  readonly path: JsonPath;
  /** Marks texts that cannot be edited: member names and numbers of the value at `path`, or sealed text. */
  readonly editable?: false;
  /** Covered by an adjacent signature. Providers accept the text only unchanged or empty. */
  readonly signed?: true;
}

/** An image, audio, video or file. Its content is not read as text. */
export type Media = InlineMedia | RemoteMedia | StoredMedia;

interface MediaOf<Source extends string> {
  readonly kind: 'image' | 'audio' | 'video' | 'document';
  readonly source: Source;
  readonly mimeType?: string;
}

export interface InlineMedia extends MediaOf<'inline'> {
  /** Base64 as received, without a `data:` prefix. Absent for other encodings. */
  readonly data?: string;
}

export interface RemoteMedia extends MediaOf<'url'> {
  /** As written by the client, not necessarily a URL. */
  readonly address: string;
  readonly path: JsonPath;
  readonly data?: undefined;
}

/** Media that the provider already has, under an id or in its own cloud storage. */
export interface StoredMedia extends MediaOf<'id'> {
  readonly data?: undefined;
}

/**
 * Reports whether the model receives content that the gateway has not read as text (`request.unseen_content`). Media
 * and encoded bytes in texts count even if the dialect does not set `unseenContent`.
 */
export function hasUnseenContent({ unseenContent, undecoded, media, texts }: RequestFacts): boolean {
  return unseenContent || undecoded === true || media.length > 0 || texts.some(isUnread);
}

/** Matches names of members that only the provider can verify or decrypt, such as the signature of a thought. */
const SEALED = /^(?:signature|thought_?signature|fingerprint)$/i;

function isUnread({ kind, text, path, editable }: PromptText): boolean {
  if (kind === 'reasoning' || !holdsEncodedBytes(text) || SEALED.test(String(path.at(-1)))) return false;
  // Schema names form one text, one name per line. Lines of equal length look like encoded bytes.
  const isNames = kind === 'tool_definition' && editable === false;
  return !isNames || text.split('\n').some(holdsEncodedBytes);
}

export interface HostedTool {
  /** The dialect's own type name, as used in `proxy.provider_tools`. */
  readonly type: string;
  readonly remove: readonly JsonEdit[];
  /** True if `tool_choice` requires the tool, which then must not be removed silently. */
  readonly forced: boolean;
  /** Another model that the tool runs (Anthropic's advisor, OpenAI's images). */
  readonly model?: string;
  /** A setting of the tool that makes it more expensive than its listed price (`pricing.tools`). */
  readonly dearer?: string;
}

/** Non-text modalities with an output price. */
export const OUTPUT_MODALITIES = ['audio', 'image', 'video'] as const;
export type OutputModality = (typeof OUTPUT_MODALITIES)[number];

/** The highest prices that a host may charge. Prices that the request does not incur are absent. */
export interface PriceCap {
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
  readonly requestUsd: number;
  readonly imageUsd?: number;
  readonly audioUsdPerMillion?: number;
}

export interface OutputLimit {
  /** The client's own limit in tokens per choice. */
  readonly tokens: number | undefined;
  /** Returns edits that set this limit in the dialect's member. If the client set several members, none is raised. */
  set(tokens: number): readonly JsonEdit[];
}
