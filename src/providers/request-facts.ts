import type { JsonEdit, JsonPath } from '../json/path.ts';
import type { McpMessage } from '../mcp/message.ts';
import { holdsEncodedBytes } from './encoded-bytes.ts';

/** What a request says, in words common to all dialects. Lists are in document order. */
export interface RequestFacts {
  /** The model that is asked for; undefined only for endpoints without one. */
  readonly model: string | undefined;
  /** Every model that may serve it, `model` first (OpenRouter `models` fallbacks). */
  readonly models: readonly string[];
  /** The client asked for a streamed answer. */
  readonly stream: boolean;
  /** Every place where text hides: content parts, system, tool definitions, results, arguments … */
  readonly texts: readonly PromptText[];
  /** Input that is not text. */
  readonly media: readonly Media[];
  /** Names of the tools that the client offers and runs itself. */
  readonly tools: readonly string[];
  /** Tools that the provider would run itself (docs/hosted-tools.md). */
  readonly hostedTools: readonly HostedTool[];
  /** Answers asked for at once: n, best_of, candidateCount; 1 where unset. */
  readonly choices: number;
  /** The output limit; undefined where the operation generates nothing (embeddings, rerank, count_tokens). */
  readonly output: OutputLimit | undefined;
  /** How much of the output limit the client gives to thinking. */
  readonly thinkingTokens?: number;
  /** The most tokens of an output that the client foretells, billed as output where the model writes another. */
  readonly predictedTokens?: number;
  /** What the answer is asked to be beside text. */
  readonly outputs?: readonly OutputModality[];
  /** Content of unknown length that the gateway does not have (previous_response_id, stored prompts, file ids, templates). */
  readonly unseenContent: boolean;
  /** Encoded bytes stand where the dialect expects something else: the body's length bounds them, and they were not read. */
  readonly undecoded?: true;
  /** Where a prompt stands as token ids or vectors: text that the gateway cannot read. */
  readonly encodedPrompt?: JsonPath;
  /** Why the cost cannot be bounded (`background`, a service tier …), for the 400 of a key with a budget. */
  readonly unbounded?: string;
  /** Edits that ask for the service tier at the list price, where the client leaves it to the provider. */
  readonly pinTier?: readonly JsonEdit[];
  /** The model reasons and the answer does not show all of it: a stream cut short does not tell what was billed. */
  readonly hidesReasoning?: true;
  /** Edits that have a router refuse hosts over a price; absent where no router stands between. */
  readonly capPrice?: (cap: PriceCap) => readonly JsonEdit[];
  /** What is stored at the provider and may bring tools along that it runs itself: the member that names it. */
  readonly storedPrompt?: string;
  /** Edits that make a stream report its usage; present only where it would not by itself. */
  readonly askUsage?: readonly JsonEdit[];
  /** The JSON-RPC message, where an MCP server is called. */
  readonly mcp?: McpMessage;
}

export interface PromptText {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly kind: 'text' | 'tool_definition' | 'tool_arguments' | 'tool_result' | 'reasoning';
  readonly text: string;
  readonly path: JsonPath;
  /** False where no edit may replace it: member names and numbers of the value at `path`, or signed text. */
  readonly editable?: false;
  /** A signature beside it covers it: providers take it back as it was, or empty. */
  readonly signed?: true;
}

/** A picture, a sound, a film or a file: nothing of it is read as text. */
export type Media = InlineMedia | RemoteMedia | StoredMedia;

interface MediaOf<Source extends string> {
  readonly kind: 'image' | 'audio' | 'video' | 'document';
  readonly source: Source;
  readonly mimeType?: string;
}

/** Its bytes are in the request. */
export interface InlineMedia extends MediaOf<'inline'> {
  /** Base64 as sent, without a `data:` prefix; absent where it is encoded in another way. */
  readonly data?: string;
}

/** The provider fetches it. */
export interface RemoteMedia extends MediaOf<'url'> {
  /** As the client wrote it, which need not be a URL. */
  readonly address: string;
  /** Where the address stands in the body. */
  readonly path: JsonPath;
  readonly data?: undefined;
}

/** The provider has it already, under an id or in a store of its own cloud. */
export interface StoredMedia extends MediaOf<'id'> {
  readonly data?: undefined;
}

/**
 * Whether anything reaches the model that the gateway has not read as text (`request.unseen_content`): a medium always
 * does, and so do encoded bytes in a text, so a dialect that reports them cannot forget it here.
 */
export function hasUnseenContent({ unseenContent, undecoded, media, texts }: RequestFacts): boolean {
  return unseenContent || undecoded === true || media.length > 0 || texts.some(isUnread);
}

/** What providers check or decrypt themselves: a model's own thoughts, as it gets them back. */
const SEALED = /^(?:signature|thought_?signature|fingerprint)$/i;

function isUnread({ kind, text, path, editable }: PromptText): boolean {
  if (kind === 'reasoning' || !holdsEncodedBytes(text) || SEALED.test(String(path.at(-1)))) return false;
  // The names of a schema are one text, a line each: words of one length look like encoded bytes.
  const isNames = kind === 'tool_definition' && editable === false;
  return !isNames || text.split('\n').some(holdsEncodedBytes);
}

export interface HostedTool {
  /** The dialect's own type name, as in `proxy.provider_tools`. */
  readonly type: string;
  /** The edits that take it out of the body. */
  readonly remove: readonly JsonEdit[];
  /** The request insists on it (`tool_choice`), so that it cannot silently be taken out. */
  readonly forced: boolean;
}

/** What an answer can be beside text, each with a price of its own. */
export const OUTPUT_MODALITIES = ['audio', 'image', 'video'] as const;
export type OutputModality = (typeof OUTPUT_MODALITIES)[number];

/** The dearest that a host may be; undefined is no matter to the request. */
export interface PriceCap {
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
  readonly requestUsd: number;
  readonly imageUsd?: number;
  readonly audioUsdPerMillion?: number;
}

export interface OutputLimit {
  /** The client's own limit in tokens per choice, where set. */
  readonly tokens: number | undefined;
  /** The edits that set a limit of `tokens` in the dialect's field; several of the client's are not raised by it. */
  set(tokens: number): readonly JsonEdit[];
}
