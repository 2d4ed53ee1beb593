import type { ConformanceRow } from '../../support/conformance-row.ts';
import { ndjson } from '../../../src/streams/ndjson.ts';

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

/** Ollama's own dialect. */
export const ollamaRows: readonly ConformanceRow[] = [
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
];
