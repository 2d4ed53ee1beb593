import { anthropicMessages } from './dialects/anthropic-messages.ts';
import { ANTHROPIC_HEADERS, ANTHROPIC_PARAMETERS } from './client-headers.ts';
import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';

const endpoints = openaiEndpoints({ limitFields: ['max_tokens', 'max_completion_tokens'], asksUsage: true });
const rerank = pick(endpoints, '/rerank');
const score = { '/score': endpoints['/rerank'] };

export const vllm = tableProvider({
  name: 'vllm',
  defaultBaseUrl: undefined,
  selfHosted: true,
  roots: ['/v1', ''],
  openable: /^\/(?:tokenize|detokenize|pooling|classify|v1\/audio\/(?:transcriptions|translations))$/,
  basePaths: { openai: '/v1' },
  errorShape: 'openai',
  errorShapesAt: [[/^\/(api\/)?v1\/messages/, 'anthropic']],
  exec: { keys: ['VLLM_API_KEY'], addresses: { VLLM_API_BASE: '/v1' } },
  // The speed depends on the server's hardware.
  pricing: { outputTokensPerSecond: 3_000 },
  // A `uuid` next to a medium makes the server use the medium cached under this id.
  objects: { ids: new Set(['uuid']) },
  headers: ANTHROPIC_HEADERS,
  parameters: ANTHROPIC_PARAMETERS,
  post: {
    ...under('/v1', pick(endpoints, '/chat/completions', '/completions', '/responses', '/embeddings')),
    ...{ ...rerank, ...under('/v1', rerank), ...under('/v2', rerank) },
    ...{ ...score, ...under('/v1', score) },
    '/v1/messages': { operation: 'chat', dialect: anthropicMessages },
  },
});
