import type { Attributes } from '@opentelemetry/api';
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
} from '@opentelemetry/semantic-conventions';

/** What a span says of an exchange; a narrow view, so that nothing else of it can be told. */
export interface TracedExchange {
  readonly method: string;
  readonly key: { readonly keyHash: string };
  readonly facts: { readonly session: { readonly id: string } | null | undefined };
  readonly provider?: { readonly name: string };
  readonly endpoint?: { readonly operation: string };
  readonly mcp?: { readonly server: string };
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
    { readonly type: string; readonly key?: { readonly keyHash: string } | undefined } | undefined;
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
  readonly firstChunkMs: number | undefined;
}

/** Names of GenAI's conventions where they differ from ours. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};
const OPERATIONS: Readonly<Record<string, string>> = { completions: 'text_completion', responses: 'chat' };
const PROTOCOL_VERSION = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;

export interface SpanFacts {
  readonly name: string;
  readonly attributes: Attributes;
  readonly isError: boolean;
}

/**
 * What the span of a request says once it is over: GenAI's and MCP's semantic conventions, and `gateway.*` for what they do
 * not know. No content, no path, no key; of a resource its address, as MCP's convention has it.
 * @param safe makes a text that a client wrote fit to be shown
 */
export function spanFacts(finish: TracedFinish, safe: (text: string) => string): SpanFacts {
  const { exchange, refusal, status } = finish;
  const error = refusal?.type ?? (status >= 400 ? String(status) : undefined);
  const { name, attributes } =
    exchange === undefined
      ? { name: 'refused', attributes: refusal?.key && { 'gateway.key.hash': refusal.key.keyHash } }
      : ofExchange(exchange, safe);
  return {
    name,
    isError: error !== undefined,
    attributes: {
      ...attributes,
      ...usageAttributes(finish),
      'gateway.request.id': finish.requestId,
      'gateway.outcome': finish.outcome.kind,
      ...(status > 0 && { [ATTR_HTTP_RESPONSE_STATUS_CODE]: status }),
      ...(error !== undefined && { [ATTR_ERROR_TYPE]: error }),
    },
  };
}

function ofExchange(
  exchange: TracedExchange,
  safe: (text: string) => string,
): { readonly name: string; readonly attributes: Attributes } {
  const common = {
    [ATTR_HTTP_REQUEST_METHOD]: exchange.method,
    'gateway.key.hash': exchange.key.keyHash,
    ...(exchange.facts.session && { 'gen_ai.conversation.id': safe(exchange.facts.session.id) }),
  };
  const of =
    exchange.mcp === undefined ? ofModel(exchange, safe) : ofMcp(exchange, exchange.mcp.server, safe);
  return { name: of.name, attributes: { ...common, ...of.attributes } };
}

function ofModel({ provider, endpoint, request }: TracedExchange, safe: (text: string) => string) {
  const operation = endpoint?.operation ?? 'refused';
  const named = OPERATIONS[operation] ?? operation;
  const model = request?.model === undefined ? undefined : safe(request.model);
  return {
    name: model === undefined ? named : `${named} ${model}`,
    attributes: {
      'gen_ai.operation.name': named,
      ...(provider !== undefined && { 'gen_ai.provider.name': PROVIDERS[provider.name] ?? provider.name }),
      ...(model !== undefined && { 'gen_ai.request.model': model }),
      ...(request?.stream === true && { 'gen_ai.request.stream': true }),
    },
  };
}

function ofMcp({ request, headers }: TracedExchange, server: string, safe: (text: string) => string) {
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
        // The older name, for one release.
        'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
      }),
      ...(usage.reasoningTokens !== undefined && {
        'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
      }),
    }),
  };
}
