import { anthropicMessages } from './dialects/anthropic-messages.ts';
import { ANTHROPIC_HEADERS, ANTHROPIC_PARAMETERS } from './client-headers.ts';
import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

const endpoints = openaiEndpoints({ limitFields: ['max_tokens'], asksUsage: true });
const chat = pick(endpoints, '/chat/completions');
const beta = pick(endpoints, '/chat/completions', '/completions');

/** `/beta` adds prefix and fill-in-the-middle completion, `/anthropic` Anthropic's API. */
export const deepseek = tableProvider({
  name: 'deepseek',
  defaultBaseUrl: 'https://api.deepseek.com',
  roots: ['', '/v1', '/beta', '/anthropic/v1'],
  basePaths: { openai: '/v1', anthropic: '/anthropic' },
  errorShape: 'openai',
  errorShapesAt: [[/^\/anthropic(\/|$)/, 'anthropic']],
  exec: {
    keys: ['DEEPSEEK_API_KEY'],
    addresses: { DEEPSEEK_BASE_URL: '', DEEPSEEK_API_BASE: '/v1' },
    model: 'deepseek-chat',
  },
  pricing: { outputTokensPerSecond: 300 },
  traces: { models: /^deepseek-/ },
  headers: ANTHROPIC_HEADERS,
  parameters: ANTHROPIC_PARAMETERS,
  post: {
    ...chat,
    ...under('/v1', chat),
    ...under('/beta', beta),
    ...under('/beta/v1', beta),
    '/anthropic/v1/messages': { operation: 'chat', dialect: anthropicMessages },
  },
  models: /^(\/v1)?\/models$/,
});
