import { anthropicCountTokens, anthropicMessages } from './dialects/anthropic-messages.ts';
import { ANTHROPIC_HEADERS, ANTHROPIC_PARAMETERS } from './client-headers.ts';
import { bearer, headerSafe, tableProvider } from './openai-style.ts';
import { pinTier } from './dialects/openai-request.ts';
import type { Dialect, Endpoint } from './provider.ts';

/** As Anthropic itself reads it: without a tier, a request may be served by the priority tier. */
const messages: Dialect = {
  ...anthropicMessages,
  request: (body, endpoint) => ({
    ...anthropicMessages.request(body, endpoint),
    ...pinTier(body, 'standard_only'),
  }),
};

const POST: Readonly<Record<string, Endpoint>> = {
  '/v1/messages': { operation: 'chat', dialect: messages },
  '/v1/messages/count_tokens': { operation: 'count_tokens', dialect: anthropicCountTokens },
};

/** Anthropic's own API. Message batches and files answer out of the gateway's sight: not readable. */
export const anthropic = tableProvider({
  name: 'anthropic',
  defaultBaseUrl: 'https://api.anthropic.com',
  post: POST,
  headers: ANTHROPIC_HEADERS,
  parameters: ANTHROPIC_PARAMETERS,
  models: /^\/v1\/models(\/[^/]+)?$/,
  credential(key) {
    // Tokens of a subscription login are OAuth tokens, and refused in the API key's header.
    return key.startsWith('sk-ant-oat')
      ? bearer(key)
      : { kind: 'header', name: 'x-api-key', value: headerSafe(key) };
  },
});
