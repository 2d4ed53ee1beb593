import { anthropicCountTokens, anthropicMessages } from './dialects/anthropic-messages.ts';
import { bearer, headerSafe, tableProvider } from './openai-style.ts';
import type { Endpoint } from './provider.ts';

const POST: Readonly<Record<string, Endpoint>> = {
  '/v1/messages': { operation: 'chat', dialect: anthropicMessages },
  '/v1/messages/count_tokens': { operation: 'count_tokens', dialect: anthropicCountTokens },
};

/** Anthropic's own API. Message batches and files answer out of the gateway's sight: not readable. */
export const anthropic = tableProvider({
  name: 'anthropic',
  defaultBaseUrl: 'https://api.anthropic.com',
  post: POST,
  models: /^\/v1\/models(\/[^/]+)?$/,
  credential(key) {
    // Tokens of a subscription login are OAuth tokens, and refused in the API key's header.
    return key.startsWith('sk-ant-oat')
      ? bearer(key)
      : { kind: 'header', name: 'x-api-key', value: headerSafe(key) };
  },
});
