import type { ConformanceRow } from '../../support/conformance-row.ts';
import { sseBytes } from '../../support/conformance-row.ts';
import { ndjson } from '../../../src/streams/ndjson.ts';
import { sse } from '../../../src/streams/sse.ts';

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';

/** A chat body with a marked string in every place where text can hide. */
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
const texts = ['Hello', '{"a":1}', 'World', 'hm'];

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
/** Usage by itself, in the last chunk that has a choice. */
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

const responsesBody = {
  model: 'a-model',
  instructions: '§instructions',
  input: [
    { role: 'user', content: '§plain message' },
    {
      type: 'message',
      role: 'developer',
      content: [
        { type: 'input_text', text: '§input text' },
        { type: 'input_image', image_url: PIXEL, detail: 'low' },
        { type: 'input_file', filename: '§filename', file_data: 'data:application/pdf;base64,JVBERg==' },
      ],
    },
    {
      type: 'message',
      role: 'assistant',
      id: 'm',
      content: [{ type: 'output_text', text: '§output text', annotations: [] }],
    },
    {
      type: 'reasoning',
      id: 'r',
      summary: [{ type: 'summary_text', text: '§summary' }],
      content: [{ type: 'reasoning_text', text: '§reasoning' }],
    },
    { type: 'function_call', call_id: 'c', name: '§call name', arguments: '§arguments' },
    { type: 'function_call_output', call_id: 'c', output: '§output' },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: '§output part' }] },
    { type: 'custom_tool_call', call_id: 'd', name: 'patch', input: '§custom input' },
    { type: 'custom_tool_call_output', call_id: 'd', output: '§custom output' },
    {
      type: 'local_shell_call',
      id: 's',
      call_id: 's',
      action: { type: 'exec', command: ['ls', '§command'], env: { A: '§environment' } },
    },
    { type: 'mcp_approval_response', approval_request_id: 'a', approve: true, reason: '§reason' },
    { type: 'an_item_of_next_year', words: '§unknown item' },
    {
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'function', name: 'later', description: '§later tool' }],
    },
  ],
  tools: [
    {
      type: 'function',
      name: 'weather',
      description: '§tool description',
      parameters: { description: '§parameter' },
    },
    { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: '§grammar' } },
    {
      type: 'namespace',
      name: 'crm',
      description: '§namespace',
      tools: [{ type: 'function', name: 'f', description: '§inner' }],
    },
  ],
  text: { format: { type: 'json_schema', name: 'x', schema: { description: '§schema' } } },
  max_output_tokens: 50,
};

const responseUsage = {
  input_tokens: 30,
  input_tokens_details: { cached_tokens: 10, cache_write_tokens: 4 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 37,
};
const readUsage = {
  inputTokens: 30,
  outputTokens: 7,
  cacheReadTokens: 10,
  cacheWriteTokens: 4,
  reasoningTokens: 3,
};
const message = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
};
const functionCall = { type: 'function_call', name: 'weather', arguments: '{}' };
const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] };
const finished = { status: 'completed', output: [thought, message, functionCall], usage: responseUsage };

const responsesRow = {
  path: '/v1/responses',
  operation: 'responses',
  body: responsesBody,
  model: 'a-model',
  limit: 50,
  tools: ['later', 'weather', 'patch', 'crm'],
  answer: finished,
  usage: readUsage,
  texts: ['hm', 'Hi', '{}'],
  stream: {
    format: sse,
    bytes: sseBytes(
      { type: 'response.created', response: { status: 'in_progress', output: [], usage: null } },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', summary: [] } },
      { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'hm' },
      { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'H' },
      { type: 'response.output_text.delta', output_index: 1, content_index: 0, delta: 'i' },
      { type: 'response.output_text.done', output_index: 1, content_index: 0, text: 'Hi' },
      { type: 'response.output_item.done', output_index: 1, item: message },
      { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{}' },
      { type: 'response.function_call_arguments.done', output_index: 2, arguments: '{}' },
      { type: 'response.completed', response: finished },
    ),
    usage: readUsage,
    texts: { '0/summary/0': 'hm', '1/text/0': 'Hi', '2/tool': '{}' },
  },
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
/** Reasoning stands beside `completion_tokens`, and in the total. */
const xaiUsage = {
  ...chatAnswer.usage,
  completion_tokens: 15,
  completion_tokens_details: { reasoning_tokens: 5 },
};

const ollamaUsage = { prompt_eval_count: 26, eval_count: 9 };
const ollamaRow: ConformanceRow = {
  provider: 'ollama',
  path: '/api/chat',
  operation: 'chat',
  body: {
    model: 'a-model',
    messages: [
      { role: 'system', content: '§system' },
      { role: 'user', content: '§user', images: ['iVBORw0KGgo='] },
      {
        role: 'assistant',
        content: '',
        thinking: '§thinking',
        tool_calls: [{ function: { name: 'w', arguments: { city: '§argument' } } }],
      },
      { role: 'tool', tool_name: 'w', content: '§result' },
    ],
    tools: [{ type: 'function', function: { name: 'w', description: '§description' } }],
    format: { type: 'object', description: '§format' },
    options: { num_predict: 12, temperature: 0 },
  },
  model: 'a-model',
  limit: 12,
  tools: ['w'],
  answer: {
    message: {
      role: 'assistant',
      content: 'Hi',
      thinking: 'hm',
      tool_calls: [{ function: { name: 'w', arguments: { city: 'Rome' } } }],
    },
    done: true,
    ...ollamaUsage,
  },
  usage: { inputTokens: 26, outputTokens: 9 },
  texts: ['hm', 'Hi', 'Rome'],
  stream: {
    format: ndjson,
    bytes: Buffer.from(
      [
        { message: { role: 'assistant', content: '', thinking: 'hm' }, done: false },
        { message: { role: 'assistant', content: 'H' }, done: false },
        { message: { role: 'assistant', content: 'ï' }, done: false },
        { message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', ...ollamaUsage },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    ),
    usage: { inputTokens: 26, outputTokens: 9 },
    texts: { '0/reasoning': 'hm', '0/text': 'Hï' },
  },
};

/** The eleven providers that speak OpenAI's dialects. */
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
  ollamaRow,
  {
    provider: 'ollama',
    path: '/api/generate',
    operation: 'completions',
    body: {
      model: 'a-model',
      prompt: '§prompt',
      suffix: '§suffix',
      system: '§system',
      template: '§template',
      images: ['iVBORw0KGgo='],
      options: { num_predict: 3 },
    },
    model: 'a-model',
    limit: 3,
    answer: { response: 'Hi', thinking: 'hm', done: true, ...ollamaUsage },
    usage: { inputTokens: 26, outputTokens: 9 },
    texts: ['hm', 'Hi'],
    stream: {
      format: ndjson,
      bytes: Buffer.from(
        `${JSON.stringify({ response: 'Hi', done: false })}\n${JSON.stringify({ response: '', done: true, ...ollamaUsage })}`,
      ),
      usage: { inputTokens: 26, outputTokens: 9 },
      texts: { '0/text': 'Hi' },
    },
  },
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
