import { anthropicMessages } from './dialects/anthropic-messages.ts';
import { ollamaChat, ollamaEmbed, ollamaGenerate } from './dialects/ollama-native.ts';
import { ANTHROPIC_HEADERS, ANTHROPIC_PARAMETERS } from './client-headers.ts';
import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

const endpoints = openaiEndpoints({ limitFields: ['max_tokens'], asksUsage: true });

/** Ollama's own API, and its OpenAI and Anthropic APIs. Pulling, creating and deleting models are not supported. */
export const ollama = tableProvider({
  name: 'ollama',
  defaultBaseUrl: 'http://localhost:11434',
  selfHosted: true,
  roots: ['/v1', '/api'],
  openable: /^\/api\/show$/,
  basePaths: { openai: '/v1' },
  errorShape: 'ollama',
  errorShapesAt: [
    [/^\/(api\/)?v1\/messages/, 'anthropic'],
    [/^\/v1\//, 'openai'],
  ],
  exec: { keys: ['OLLAMA_API_KEY'], keyedAddresses: { OLLAMA_HOST: '', OLLAMA_API_BASE: '' } },
  // The speed depends on the server's hardware.
  pricing: { outputTokensPerSecond: 3_000 },
  headers: ANTHROPIC_HEADERS,
  parameters: ANTHROPIC_PARAMETERS,
  post: {
    '/api/chat': { operation: 'chat', dialect: ollamaChat },
    '/api/generate': { operation: 'completions', dialect: ollamaGenerate },
    '/api/embed': { operation: 'embeddings', dialect: ollamaEmbed },
    '/api/embeddings': { operation: 'embeddings', dialect: ollamaEmbed },
    ...under('/v1', pick(endpoints, '/chat/completions', '/completions', '/responses', '/embeddings')),
    '/v1/messages': { operation: 'chat', dialect: anthropicMessages },
  },
  models: /^\/(v1\/models(\/[^/]+)?|api\/(tags|ps|version))$/,
});
