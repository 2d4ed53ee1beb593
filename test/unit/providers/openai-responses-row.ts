import { PIXEL, sseBytes } from '../../support/conformance-row.ts';
import { sse } from '../../../src/streams/sse.ts';

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

const finished = {
  status: 'completed',
  output: [thought, message, functionCall],
  usage: responseUsage,
};

export const responsesRow = {
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
