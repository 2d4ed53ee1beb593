import { anthropicCountTokens, anthropicMessages } from './dialects/anthropic-messages.ts';
import { modelList } from './dialects/model-list.ts';
import { bearer, headerSafe } from './openai-style.ts';
import type { Endpoint, Provider } from './provider.ts';

const POST: Readonly<Record<string, Endpoint>> = {
  '/v1/messages': { operation: 'chat', dialect: anthropicMessages },
  '/v1/messages/count_tokens': { operation: 'count_tokens', dialect: anthropicCountTokens },
};

const MODELS = /^\/v1\/models(\/[^/]+)?$/;

/** Anthropic's own API. Message batches and files answer out of the gateway's sight: not readable. */
export const anthropic: Provider = {
  name: 'anthropic',
  defaultBaseUrl: 'https://api.anthropic.com',
  needsKey: true,
  selfHosted: false,
  roots: ['/v1'],
  endpoint(method, path) {
    if (method === 'POST') return Object.hasOwn(POST, path) ? POST[path] : undefined;
    return MODELS.test(path) ? { operation: 'models', dialect: modelList } : undefined;
  },
  credential(key) {
    // Tokens of a subscription login are OAuth tokens, and refused in the API key's header.
    return key.startsWith('sk-ant-oat')
      ? bearer(key)
      : { kind: 'header', name: 'x-api-key', value: headerSafe(key) };
  },
};
