import { anthropicCountTokens, anthropicMessages } from './dialects/anthropic-messages.ts';
import { ANTHROPIC_HEADERS, ANTHROPIC_PARAMETERS } from './client-headers.ts';
import { bearer, headerSafe, tableProvider } from './openai-style.ts';
import { pinTier } from './dialects/openai-request.ts';
import type { Dialect, Endpoint } from './dialect.ts';

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

/** Anthropic's API, without message batches and files, whose answers bypass the gateway. */
export const anthropic = tableProvider({
  name: 'anthropic',
  defaultBaseUrl: 'https://api.anthropic.com',
  basePaths: { anthropic: '' },
  errorShape: 'anthropic',
  exec: {
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    addresses: { ANTHROPIC_BASE_URL: '', ANTHROPIC_API_BASE: '' },
    detours: ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
    model: 'claude-sonnet-4-5',
    // If both variables were set, clients would send two headers.
    keyed: (key) => ({ ANTHROPIC_API_KEY: key }),
  },
  pricing: {
    outputTokensPerSecond: 300,
    searchUsd: 0.01,
    // 4,784 at high resolution (platform.claude.com, vision).
    maxImageTokens: 5_000,
    imageTokens: (width, height) => Math.ceil((width * height) / 750) + 10,
  },
  traces: { models: /^claude/ },
  // At other providers, these members are client-defined labels.
  objects: { ids: new Set(['session_id', 'session_ids']), after: 'after_id' },
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
