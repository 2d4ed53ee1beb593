import type { ProviderName } from '../../../src/providers/registry.ts';

export const CHAT = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const MESSAGE = { ...CHAT, max_tokens: 9 };

interface Row {
  readonly provider: ProviderName;
  readonly path: string;
  readonly body: object;
  /** In addition to the headers sent to all, including the provider's credential. */
  readonly headers: readonly string[];
  readonly parameters: readonly string[];
}

const ANTHROPICS = [
  'anthropic-version',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'x-app',
];
const openaiStyle = (
  provider: ProviderName,
  headers: readonly string[] = [],
  parameters: readonly string[] = [],
): Row => ({
  provider,
  path: `/${provider}/v1/chat/completions`,
  body: CHAT,
  headers: ['authorization', ...headers],
  parameters,
});

export const ROWS: readonly Row[] = [
  openaiStyle('openai', ['openai-organization', 'openai-project', 'openai-beta', 'x-client-request-id']),
  {
    provider: 'anthropic',
    path: '/anthropic/v1/messages',
    body: MESSAGE,
    headers: ['x-api-key', ...ANTHROPICS],
    parameters: ['beta'],
  },
  {
    provider: 'gemini',
    path: '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
    body: { contents: [{ parts: [{ text: 'hi' }] }] },
    headers: ['x-goog-api-key', 'x-goog-api-client', 'x-goog-user-project', 'x-server-timeout'],
    parameters: [],
  },
  {
    provider: 'bedrock',
    path: '/bedrock/model/anthropic.claude-3-haiku-20240307-v1%3A0/invoke',
    body: { anthropic_version: 'bedrock-2023-05-31', ...MESSAGE, model: undefined },
    headers: [
      'authorization',
      'x-amz-date',
      'x-amz-content-sha256',
      'x-amzn-bedrock-accept',
      'x-amzn-bedrock-guardrailidentifier',
      'x-amzn-bedrock-guardrailversion',
      'x-amzn-bedrock-performanceconfig-latency',
      'x-amzn-bedrock-request-metadata',
      'x-amzn-bedrock-service-tier',
      'x-amzn-bedrock-trace',
    ],
    parameters: ['maxResults', 'nextToken'],
  },
  {
    provider: 'azure',
    path: '/azure/openai/deployments/d/chat/completions',
    body: CHAT,
    headers: ['api-key', 'x-client-request-id', 'x-ms-client-request-id'],
    parameters: ['api-version'],
  },
  openaiStyle('mistral'),
  openaiStyle('groq'),
  {
    provider: 'cohere',
    path: '/cohere/v2/chat',
    body: CHAT,
    headers: [
      'authorization',
      'x-client-name',
      'x-fern-language',
      'x-fern-sdk-name',
      'x-fern-sdk-version',
      'x-fern-runtime',
      'x-fern-runtime-version',
    ],
    parameters: ['default_only', 'endpoint'],
  },
  openaiStyle('deepseek', ANTHROPICS, ['beta']),
  openaiStyle('together'),
  openaiStyle('ollama', ANTHROPICS, ['beta']),
  openaiStyle('fireworks', ['x-session-affinity']),
  openaiStyle('xai', ['x-grok-conv-id'], ['pagination_token']),
  openaiStyle('vllm', ANTHROPICS, ['beta']),
  openaiStyle(
    'openrouter',
    [...ANTHROPICS, 'http-referer', 'x-title', 'x-openrouter-title', 'x-openrouter-categories'],
    ['beta'],
  ),
];

/** Set by the gateway and Envoy for every request. */
export const ALWAYS = ['content-length', 'content-type', 'host', 'x-request-id'];
/** From the client, forwarded to every provider. */
export const COMMON = [
  'accept',
  'user-agent',
  'idempotency-key',
  'x-stainless-arch',
  'x-stainless-async',
  'x-stainless-helper',
  'x-stainless-helper-method',
  'x-stainless-lang',
  'x-stainless-os',
  'x-stainless-package-version',
  'x-stainless-read-timeout',
  'x-stainless-retry-count',
  'x-stainless-runtime',
  'x-stainless-runtime-version',
  'x-stainless-timeout',
];
export const PAGES = [
  'after',
  'after_id',
  'before',
  'before_id',
  'limit',
  'order',
  'page',
  'page_size',
  'page_token',
];
