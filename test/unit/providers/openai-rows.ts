import { ollamaRows } from './ollama-rows.ts';
import { responsesRow } from './openai-responses-row.ts';
import { PIXEL, sseBytes, type ConformanceRow } from '../../support/conformance-row.ts';
import { sse } from '../../../src/streams/sse.ts';

/** A chat body with a marked string in every place of text. */
const chatBody = {
  model: 'a-model',
  messages: [
    { role: 'system', content: '§system' },
    { role: 'developer', content: [{ type: 'text', text: '§developer part' }] },
    {
      role: 'user',
      name: '§name',
      content: [
        { type: 'text', text: '§user part' },
        { type: 'image_url', image_url: { url: PIXEL } },
        { type: 'a_part_of_next_year', inner: { words: ['§unknown part'] } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      refusal: '§refusal',
      reasoning_content: '§reasoning',
      reasoning_details: [{ type: 'reasoning.text', text: '§reasoning details' }],
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: '§call name', arguments: '§{"city":"Berlin"}' } },
        { id: 'call_2', type: 'custom', custom: { name: 'c', input: '§custom input' } },
      ],
      function_call: { name: 'old', arguments: '§old arguments' },
      a_member_of_next_year: '§unknown member',
    },
    { role: 'tool', tool_call_id: 'call_1', content: '§tool result' },
    { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: '§tool result part' }] },
    { role: 'function', name: 'old', content: '§function result' },
    { role: 'somebody', content: '§unknown role' },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'weather',
        description: '§tool description',
        parameters: { type: 'object', properties: { city: { type: 'string', description: '§parameter' } } },
      },
    },
  ],
  functions: [{ name: 'old', description: '§function description' }],
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { description: '§schema' } } },
  a_field_of_next_year: { deep: ['§unknown field'] },
  temperature: 0.5,
  max_tokens: 12,
};

const chatAnswer = {
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Hello',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'weather', arguments: '{"a":1}' } }],
      },
      finish_reason: 'tool_calls',
    },
    { index: 1, message: { role: 'assistant', content: 'World', reasoning_content: 'hm' } },
  ],
  usage: {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 64 },
    completion_tokens_details: { reasoning_tokens: 5 },
  },
};

const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 64, reasoningTokens: 5 };
const texts = ['Hello', '{"a":1}', 'hm', 'World'];

const chunk = (delta: object, index = 0) => ({ choices: [{ index, delta, finish_reason: null }] });
const call = (piece: string) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
const chunks = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'hm' }),
  chunk({ content: 'Hel' }),
  chunk({ content: 'Wör' }, 1),
  chunk({ content: 'lo' }),
  chunk({
    tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'weather', arguments: '' } }],
  }),
  chunk(call('{"a"')),
  chunk(call(':1}')),
  chunk({ content: 'ld€' }, 1),
];
const streamTexts = {
  '0/reasoning/reasoning_content': 'hm',
  '0/text': 'Hello',
  '1/text': 'Wörld€',
  '0/tool/0': '{"a":1}',
};
const ending = { choices: [], usage: chatAnswer.usage };

const askedStream = {
  format: sse,
  bytes: sseBytes(...chunks.map((data) => ({ ...data, usage: null })), ending, '[DONE]'),
  usage,
  texts: streamTexts,
};
/** Usage in the last chunk with a choice. */
const telling = (last: object) => ({
  format: sse,
  bytes: sseBytes(
    ...chunks,
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...last },
    '[DONE]',
  ),
  usage,
  texts: streamTexts,
});
const tellingStream = telling({ usage: chatAnswer.usage });

const chatRow = {
  path: '/v1/chat/completions',
  operation: 'chat',
  body: chatBody,
  model: 'a-model',
  limit: 12,
  tools: ['weather', 'old'],
  answer: chatAnswer,
  usage,
  texts,
} as const;

const completionsRow = {
  path: '/v1/completions',
  operation: 'completions',
  body: { model: 'a-model', prompt: ['§one', '§two'], suffix: '§suffix', max_tokens: 9 },
  model: 'a-model',
  limit: 9,
  answer: {
    choices: [{ index: 0, text: 'Hi' }],
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  },
  usage: { inputTokens: 3, outputTokens: 1 },
  texts: ['Hi'],
  stream: {
    format: sse,
    bytes: sseBytes(
      { choices: [{ index: 0, text: 'H' }] },
      { choices: [{ index: 0, text: 'i' }] },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } },
      '[DONE]',
    ),
    usage: { inputTokens: 3, outputTokens: 1 },
    texts: { '0/text': 'Hi' },
  },
} as const;

const embeddingsRow = {
  path: '/v1/embeddings',
  operation: 'embeddings',
  body: { model: 'a-model', input: ['§one', '§two'] },
  model: 'a-model',
  answer: { data: [{ embedding: [0.1] }], usage: { prompt_tokens: 8, total_tokens: 8 } },
  usage: { inputTokens: 8, outputTokens: 0 },
} as const;

const rerankRow = {
  path: '/v1/rerank',
  operation: 'rerank',
  body: {
    model: 'a-model',
    query: '§query',
    documents: ['§plain', { title: '§title', text: '§text' }],
    top_n: 1,
  },
  model: 'a-model',
  answer: { results: [], usage: { total_tokens: 8 } },
  usage: { inputTokens: 8, outputTokens: 0 },
} as const;

const deepseekUsage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_cache_hit_tokens: 64,
  prompt_cache_miss_tokens: 36,
  completion_tokens_details: { reasoning_tokens: 5 },
};
/** Reasoning is counted beside `completion_tokens`, and in the total. */
const xaiUsage = {
  ...chatAnswer.usage,
  completion_tokens: 15,
  completion_tokens_details: { reasoning_tokens: 5 },
};

/** The providers with OpenAI's dialects. */
export const openaiRows: readonly ConformanceRow[] = [
  { ...chatRow, provider: 'openai', asksUsage: true, stream: askedStream },
  { ...responsesRow, provider: 'openai' },
  { ...completionsRow, provider: 'openai', asksUsage: true, defaultLimit: 16 },
  { ...embeddingsRow, provider: 'openai' },
  {
    provider: 'openai',
    path: '/v1/moderations',
    operation: 'moderations',
    body: {
      input: [
        { type: 'text', text: '§text' },
        { type: 'image_url', image_url: { url: PIXEL } },
      ],
    },
    model: 'omni-moderation-latest',
    answer: { results: [], usage: { prompt_tokens: 2, total_tokens: 2 } },
    usage: { inputTokens: 2, outputTokens: 0 },
  },
  {
    ...chatRow,
    provider: 'azure',
    path: '/openai/deployments/mine/chat/completions',
    query: '?api-version=2024-10-21',
    model: 'mine',
    asksUsage: true,
    stream: askedStream,
  },
  {
    ...chatRow,
    provider: 'azure',
    path: '/openai/v1/chat/completions',
    asksUsage: true,
    stream: askedStream,
  },
  { ...responsesRow, provider: 'azure', path: '/openai/v1/responses' },
  { ...embeddingsRow, provider: 'azure', path: '/openai/deployments/mine/embeddings', model: 'mine' },
  {
    ...chatRow,
    provider: 'mistral',
    stream: {
      ...tellingStream,
      bytes: sseBytes(
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
        chunk({ content: [{ type: 'text', text: 'Hel' }] }),
        { choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: 'stop' }], usage: chatAnswer.usage },
        '[DONE]',
      ),
      texts: { '0/reasoning/thinking': 'hm', '0/text': 'Hello' },
    },
  },
  { ...completionsRow, provider: 'mistral', path: '/v1/fim/completions' },
  { ...embeddingsRow, provider: 'mistral' },
  { ...chatRow, provider: 'groq', stream: telling({ x_groq: { id: 'r', usage: chatAnswer.usage } }) },
  { ...responsesRow, provider: 'groq' },
  {
    ...chatRow,
    provider: 'deepseek',
    path: '/chat/completions',
    answer: { ...chatAnswer, usage: deepseekUsage },
    asksUsage: true,
    stream: telling({ usage: deepseekUsage }),
  },
  { ...chatRow, provider: 'deepseek', asksUsage: true, stream: askedStream },
  { ...completionsRow, provider: 'deepseek', path: '/beta/completions', asksUsage: true },
  { ...chatRow, provider: 'together', stream: tellingStream },
  { ...completionsRow, provider: 'together' },
  { ...rerankRow, provider: 'together' },
  ...ollamaRows,
  {
    ...embeddingsRow,
    provider: 'ollama',
    path: '/api/embed',
    answer: { embeddings: [[0.1]], prompt_eval_count: 8 },
  },
  { ...chatRow, provider: 'ollama', asksUsage: true, stream: askedStream },
  { ...chatRow, provider: 'fireworks', stream: tellingStream },
  { ...rerankRow, provider: 'fireworks' },
  {
    ...chatRow,
    provider: 'xai',
    answer: { ...chatAnswer, usage: xaiUsage },
    stream: telling({ usage: xaiUsage }),
  },
  { ...responsesRow, provider: 'xai' },
  { ...chatRow, provider: 'vllm', asksUsage: true, stream: askedStream },
  { ...rerankRow, provider: 'vllm', path: '/v2/rerank' },
  { ...chatRow, provider: 'openrouter', stream: tellingStream },
  { ...responsesRow, provider: 'openrouter' },
];
