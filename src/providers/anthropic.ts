import { anthropicCountTokens, anthropicMessages } from './dialects/anthropic-messages.ts';
import { ANTHROPIC_HEADERS, ANTHROPIC_PARAMETERS } from './client-headers.ts';
import { bearer, headerSafe, tableProvider } from './openai-style.ts';
import { pinTier } from './dialects/openai-request.ts';
import type { Dialect, Endpoint } from './provider.ts';

/** Without a `service_tier`, Anthropic may serve a request on the priority tier. */
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

/** Anthropic's API. Message batches and files are not readable: their answers bypass the gateway. */
export const anthropic = tableProvider({
  name: 'anthropic',
  defaultBaseUrl: 'https://api.anthropic.com',
  post: POST,
  headers: ANTHROPIC_HEADERS,
  parameters: ANTHROPIC_PARAMETERS,
  models: /^\/v1\/models(\/[^/]+)?$/,
  credential(key) {
    // Subscription logins use OAuth tokens, which Anthropic refuses in `x-api-key`.
    return key.startsWith('sk-ant-oat')
      ? bearer(key)
      : { kind: 'header', name: 'x-api-key', value: headerSafe(key) };
  },
});
