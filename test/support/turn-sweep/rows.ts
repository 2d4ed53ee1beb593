import { openaiRows } from '../../unit/providers/openai-rows.ts';
import { ownDialectRows } from '../../unit/providers/own-dialect-rows.ts';
import type { SweptRow } from './places.ts';

const TURNS = [{ role: 'user', content: 'x' }];
const CONTENTS = [
  { role: 'user', parts: [{ text: 'x' }, { functionResponse: { name: 'f', response: { a: 'x' } } }] },
];
const OPENAI_ANSWER = {
  choices: [{ message: { content: 'x' } }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
};

function bedrock(model: string, body: SweptRow['body'], answer: unknown): SweptRow {
  return { provider: 'bedrock', path: `/model/${model}/invoke`, body, answer };
}

/** Endpoints with dialects that are not in the conformance rows. */
const OTHERS: readonly SweptRow[] = [
  bedrock(
    'anthropic.claude-3-haiku-20240307-v1:0',
    { anthropic_version: 'bedrock-2023-05-31', max_tokens: 9, system: 'x', messages: TURNS },
    { content: [{ type: 'text', text: 'x' }], usage: { input_tokens: 1, output_tokens: 1 } },
  ),
  bedrock('amazon.titan-text-lite-v1', { inputText: 'x' }, { results: [{ outputText: 'x' }] }),
  bedrock('amazon.titan-embed-text-v2:0', { inputText: 'x' }, { embedding: [1], inputTextTokenCount: 1 }),
  bedrock(
    'amazon.nova-lite-v1:0',
    { messages: [{ role: 'user', content: [{ text: 'x' }] }] },
    { output: {} },
  ),
  bedrock('meta.llama3-8b-instruct-v1:0', { prompt: 'x' }, { generation: 'x' }),
  bedrock('mistral.mistral-7b-instruct-v0:2', { prompt: 'x' }, { outputs: [{ text: 'x' }] }),
  bedrock('cohere.command-r-v1:0', { message: 'x', preamble: 'x' }, { text: 'x' }),
  bedrock('cohere.embed-english-v3', { texts: ['x'], input_type: 'search_query' }, { embeddings: [[1]] }),
  bedrock('ai21.jamba-1-5-mini-v1:0', { messages: TURNS }, OPENAI_ANSWER),
  {
    provider: 'cohere',
    path: '/v1/chat',
    body: {
      model: 'command-r',
      message: 'x',
      preamble: 'x',
      chat_history: [{ role: 'USER', message: 'x' }],
      documents: [{ title: 'x', text: 'x' }],
      tools: [
        { name: 'x', description: 'x', parameter_definitions: { a: { description: 'x', type: 'str' } } },
      ],
    },
    answer: {
      text: 'x',
      citations: [{ text: 'x' }],
      meta: { tokens: { input_tokens: 1, output_tokens: 1 } },
    },
  },
  {
    provider: 'cohere',
    path: '/v2/embed',
    body: { model: 'embed-v4.0', texts: ['x'], input_type: 'search_query' },
    answer: { texts: ['x'], embeddings: { float: [[1]] } },
  },
  {
    provider: 'cohere',
    path: '/v2/rerank',
    body: { model: 'rerank-v3.5', query: 'x', documents: ['x', 'y'] },
    answer: { results: [{ index: 0, document: { text: 'x' } }] },
  },
  {
    provider: 'cohere',
    path: '/v1/tokenize',
    body: { model: 'command-r', text: 'x' },
    answer: { token_strings: ['x'] },
  },
  {
    provider: 'gemini',
    path: '/v1beta/models/gemini-2.0-flash:generateContent',
    body: { systemInstruction: { parts: [{ text: 'x' }] }, contents: CONTENTS },
    answer: {
      candidates: [
        { content: { parts: [{ text: 'x' }, { functionCall: { name: 'f', args: { a: 'x' } } }] } },
      ],
    },
  },
  {
    provider: 'gemini',
    path: '/v1beta/models/gemini-2.0-flash:countTokens',
    body: { contents: CONTENTS },
    answer: { totalTokens: 1 },
  },
  {
    provider: 'gemini',
    path: '/v1beta/models/text-embedding-004:batchEmbedContents',
    body: { requests: [{ model: 'models/text-embedding-004', content: { parts: [{ text: 'x' }] } }] },
    answer: { embeddings: [{ values: [1] }] },
  },
  {
    provider: 'anthropic',
    path: '/v1/messages/count_tokens',
    body: { model: 'claude-3-5-haiku-latest', system: 'x', messages: TURNS },
    answer: { input_tokens: 1 },
  },
  {
    provider: 'openai',
    path: '/v1/responses/compact',
    body: { model: 'gpt-4o-mini', input: 'x', instructions: 'x' },
    answer: { output: [{ type: 'message', content: [{ type: 'output_text', text: 'x' }] }] },
  },
];

export const SWEPT_ROWS: readonly SweptRow[] = [...openaiRows, ...ownDialectRows, ...OTHERS];
