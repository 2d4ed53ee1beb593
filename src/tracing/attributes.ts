import type { Attributes } from '@opentelemetry/api';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
} from '@opentelemetry/semantic-conventions';
import { ERROR_STATUS, type ErrorType } from '../errors.ts';

/** The exportable parts of an exchange. The narrow type keeps everything else out of spans. */
export interface TracedExchange {
  readonly method: string;
  readonly key: { readonly keyHash: string };
  readonly facts: { readonly session: { readonly id: string } | null | undefined };
  readonly provider?: { readonly name: string };
  readonly endpoint?: { readonly operation: string };
  readonly mcp?: { readonly server: string };
  /** The alias from `models` that the client used. */
  readonly alias?: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly request?: {
    readonly model: string | undefined;
    readonly stream?: boolean;
    readonly mcp?: { readonly kind: string; readonly method?: string; readonly name?: string };
  };
}

export interface TracedFinish {
  readonly requestId: string;
  readonly exchange: TracedExchange | undefined;
  readonly refusal:
    { readonly type: ErrorType; readonly key?: { readonly keyHash: string } | undefined } | undefined;
  readonly status: number;
  readonly outcome: { readonly kind: string };
  readonly usage:
    | {
        readonly inputTokens: number;
        readonly outputTokens: number;
        readonly cacheReadTokens?: number;
        readonly cacheWriteTokens?: number;
        readonly reasoningTokens?: number;
      }
    | undefined;
  readonly identity?:
    | {
        readonly model: string | undefined;
        readonly id: string | undefined;
        readonly finishReasons: readonly string[];
      }
    | undefined;
  readonly firstChunkMs: number | undefined;
}

/** Provider names in the GenAI conventions that differ from the gateway's. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

export function providerName(name: string): string {
  return PROVIDERS[name] ?? name;
}

const OPERATIONS: Readonly<Record<string, string>> = { completions: 'text_completion', responses: 'chat' };
const PROTOCOL_VERSION = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

export interface SpanFacts {
  readonly name: string;
  readonly attributes: Attributes;
  readonly isError: boolean;
}

/**
 * Returns a request span's final name, status and attributes, by OpenTelemetry's GenAI and MCP conventions, plus
 * `gateway.*`. They contain no content, path or raw key, except the URI of an MCP resource.
 * @param safe makes text from clients safe to export
 */
export function spanFacts(finish: TracedFinish, safe: (text: string) => string): SpanFacts {
  const { exchange, refusal, status } = finish;
  // Client errors (4xx) are not errors of a server span (HTTP conventions).
  const isError = (refusal === undefined ? status : ERROR_STATUS[refusal.type]) >= 500;
  const { name, attributes } =
    exchange === undefined
      ? { name: 'refused', attributes: refusal?.key && { 'gateway.key.hash': refusal.key.keyHash } }
      : exchangeFacts(exchange, safe);
  return {
    name,
    isError,
    attributes: {
      ...attributes,
      ...usageAttributes(finish),
      ...answerAttributes(finish, safe),
      'gateway.request.id': finish.requestId,
      'gateway.outcome': finish.outcome.kind,
      ...(status > 0 && { [ATTR_HTTP_RESPONSE_STATUS_CODE]: status }),
      ...(refusal !== undefined && { 'gateway.refusal.type': refusal.type }),
      ...(isError && { [ATTR_ERROR_TYPE]: refusal?.type ?? String(status) }),
    },
  };
}

function exchangeFacts(
  exchange: TracedExchange,
  safe: (text: string) => string,
): { readonly name: string; readonly attributes: Attributes } {
  const common = {
    [ATTR_HTTP_REQUEST_METHOD]: exchange.method,
    'gateway.key.hash': exchange.key.keyHash,
    ...(exchange.facts.session && { 'gen_ai.conversation.id': safe(exchange.facts.session.id) }),
  };
  const facts =
    exchange.mcp === undefined ? modelFacts(exchange, safe) : mcpFacts(exchange, exchange.mcp.server, safe);
  return { name: facts.name, attributes: { ...common, ...facts.attributes } };
}

function modelFacts({ provider, endpoint, request, alias }: TracedExchange, safe: (text: string) => string) {
  const operation = endpoint?.operation ?? 'refused';
  const named = OPERATIONS[operation] ?? operation;
  const model = request?.model === undefined ? undefined : safe(request.model);
  return {
    name: model === undefined ? named : `${named} ${model}`,
    attributes: {
      'gen_ai.operation.name': named,
      ...(provider !== undefined && { 'gen_ai.provider.name': providerName(provider.name) }),
      ...(model !== undefined && { 'gen_ai.request.model': model }),
      ...(alias !== undefined && { 'gateway.alias': alias }),
      ...(request?.stream === true && { 'gen_ai.request.stream': true }),
    },
  };
}

function mcpFacts({ request, headers }: TracedExchange, server: string, safe: (text: string) => string) {
  const method = request?.mcp?.method === undefined ? undefined : safe(request.mcp.method);
  const target = request?.mcp?.name === undefined ? undefined : safe(request.mcp.name);
  const version = headers.get('mcp-protocol-version') ?? '';
  const isTool = method === 'tools/call';
  const isPrompt = method === 'prompts/get';
  const isResource = /^(?:resources|skills)\//.test(method ?? '');
  return {
    name: [method ?? 'mcp', ...(target !== undefined && (isTool || isPrompt) ? [target] : [])].join(' '),
    attributes: {
      'gateway.mcp.server': server,
      'network.transport': 'tcp',
      ...(method !== undefined && { 'mcp.method.name': method }),
      ...(isTool && { 'gen_ai.operation.name': 'execute_tool' }),
      ...(isTool && target !== undefined && { 'gen_ai.tool.name': target }),
      ...(isPrompt && target !== undefined && { 'gen_ai.prompt.name': target }),
      ...(isResource && target !== undefined && { 'mcp.resource.uri': target }),
      ...(PROTOCOL_VERSION.test(version) && { 'mcp.protocol.version': version }),
    },
  };
}

/** Returns the identity of a model's answer. MCP answers contain only request ids. */
function answerAttributes({ exchange, identity }: TracedFinish, safe: (text: string) => string): Attributes {
  if (identity === undefined || exchange?.mcp !== undefined) return {};
  return {
    ...(identity.model !== undefined && { 'gen_ai.response.model': safe(identity.model) }),
    ...(identity.id !== undefined && { 'gen_ai.response.id': safe(identity.id) }),
    ...(identity.finishReasons.length > 0 && {
      'gen_ai.response.finish_reasons': identity.finishReasons.map(safe),
    }),
  };
}

function usageAttributes({ usage, firstChunkMs }: TracedFinish): Attributes {
  return {
    ...(firstChunkMs !== undefined && { 'gen_ai.response.time_to_first_chunk': firstChunkMs / 1_000 }),
    ...(usage !== undefined && {
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      ...(usage.cacheReadTokens !== undefined && {
        'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
      }),
      ...(usage.cacheWriteTokens !== undefined && {
        'gen_ai.usage.cache_write.input_tokens': usage.cacheWriteTokens,
        // Deprecated name, kept for one release.
        'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
      }),
      ...(usage.reasoningTokens !== undefined && {
        'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
      }),
    }),
  };
}
