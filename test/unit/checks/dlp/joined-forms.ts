import type { ProviderName } from '../../../../src/providers/registry.ts';

/** A form in which an answer has one text in several members. */
export interface Form {
  readonly name: string;
  readonly provider: ProviderName;
  readonly path: string;
  /** A member with a piece of the text. */
  member(text: string): unknown;
  /** Between two members, and not itself one. */
  readonly between?: unknown;
  /** The answer with these members in their list. */
  body(members: readonly unknown[]): object;
  /** The result for its clients: the pieces in order. */
  read(body: unknown): readonly unknown[];
}

export type Json = Readonly<Record<string, unknown>>;

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

const object = (value: unknown): Json => value as Json;

const CHAT = '/v1/chat/completions';

export const GENERATE = '/v1beta/models/gemini-2.5-flash:generateContent';

const CONVERSE = '/model/anthropic.claude-sonnet-4/converse';

export const candidate = (parts: readonly unknown[]): object => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
});

const partsOf = (body: unknown): readonly Json[] =>
  list(object(object(list(object(body)['candidates'])[0])['content'])['parts']);

export const message = (content: readonly unknown[]): object => ({ type: 'message', content });

export const contentOf = (body: unknown): readonly Json[] => list(object(body)['content']);

const converse = (content: readonly unknown[]): object => ({ output: { message: { content } } });

const converseOf = (body: unknown): readonly Json[] =>
  list(object(object(object(body)['output'])['message'])['content']);

const chat = (said: object): object => ({
  choices: [{ index: 0, message: { role: 'assistant', ...said } }],
});

const chatOf = (body: unknown): Json => object(object(list(object(body)['choices'])[0])['message']);

const cohere = (content: readonly unknown[]): object => ({ message: { role: 'assistant', content } });

const cohereOf = (body: unknown): readonly Json[] => list(object(object(body)['message'])['content']);

export const textsOf = (members: readonly Json[], name = 'text'): readonly unknown[] =>
  members.flatMap((member) => (typeof member[name] === 'string' ? [member[name]] : []));

export const FORMS: readonly Form[] = [
  {
    name: 'parts of a Gemini candidate, with a call between',
    provider: 'gemini',
    path: GENERATE,
    member: (text) => ({ text }),
    between: { functionCall: { name: 'f', args: { a: 'b' } } },
    body: candidate,
    read: (body) => textsOf(partsOf(body)),
  },
  {
    name: 'parts of a Gemini candidate, with a thought between',
    provider: 'gemini',
    path: GENERATE,
    member: (text) => ({ text }),
    between: { text: 'Hm.', thought: true },
    body: candidate,
    read: (body) => textsOf(partsOf(body).filter(({ thought }) => thought !== true)),
  },
  {
    name: 'thoughts of a Gemini candidate',
    provider: 'gemini',
    path: GENERATE,
    member: (text) => ({ text, thought: true }),
    between: { text: 'Well.' },
    body: candidate,
    read: (body) => textsOf(partsOf(body).filter(({ thought }) => thought === true)),
  },
  {
    name: 'text blocks of an Anthropic message, with a tool between',
    provider: 'anthropic',
    path: '/v1/messages',
    member: (text) => ({ type: 'text', text, citations: null }),
    between: { type: 'tool_use', id: 't', name: 'f', input: { a: 'b' } },
    body: message,
    read: (body) => textsOf(contentOf(body)),
  },
  {
    name: 'thinking blocks of an Anthropic message',
    provider: 'anthropic',
    path: '/v1/messages',
    member: (thinking) => ({ type: 'thinking', thinking, signature: '' }),
    between: { type: 'text', text: 'Well.' },
    body: message,
    read: (body) => textsOf(contentOf(body), 'thinking'),
  },
  {
    name: 'text blocks of an Anthropic message from Bedrock',
    provider: 'bedrock',
    path: '/model/anthropic.claude-sonnet-4/invoke',
    member: (text) => ({ type: 'text', text }),
    body: message,
    read: (body) => textsOf(contentOf(body)),
  },
  {
    name: 'text blocks of Bedrock Converse, with a tool between',
    provider: 'bedrock',
    path: CONVERSE,
    member: (text) => ({ text }),
    between: { toolUse: { toolUseId: 't', name: 'f', input: { a: 'b' } } },
    body: converse,
    read: (body) => textsOf(converseOf(body)),
  },
  {
    name: 'cited texts of Bedrock Converse, with a text between',
    provider: 'bedrock',
    path: CONVERSE,
    member: (text) => ({ citationsContent: { content: [{ text }], citations: [{ title: 'x' }] } }),
    body: converse,
    read: (body) =>
      converseOf(body).flatMap(({ citationsContent }) => textsOf(list(object(citationsContent)['content']))),
  },
  {
    name: 'thoughts of Bedrock Converse',
    provider: 'bedrock',
    path: CONVERSE,
    member: (text) => ({ reasoningContent: { reasoningText: { text } } }),
    between: { text: 'Well.' },
    body: converse,
    read: (body) =>
      converseOf(body).flatMap(({ reasoningContent }) =>
        reasoningContent === undefined ? [] : textsOf([object(object(reasoningContent)['reasoningText'])]),
      ),
  },
  {
    name: 'content parts of an OpenAI response',
    provider: 'openai',
    path: '/v1/responses',
    member: (text) => ({ type: 'output_text', text, annotations: [] }),
    between: { type: 'refusal', refusal: 'No.' },
    body: (content) => ({ output: [{ type: 'message', id: 'm', content }] }),
    read: (body) => list(object(body)['output']).flatMap(({ content }) => textsOf(list(content))),
  },
  {
    name: 'messages of an OpenAI response, with a call between',
    provider: 'openai',
    path: '/v1/responses',
    member: (text) => ({ type: 'message', content: [{ type: 'output_text', text }] }),
    between: { type: 'function_call', name: 'f', arguments: '{"a":"b"}' },
    body: (output) => ({ output }),
    read: (body) => list(object(body)['output']).flatMap(({ content }) => textsOf(list(content))),
  },
  {
    name: 'summaries of an OpenAI response’s reasoning',
    provider: 'openai',
    path: '/v1/responses',
    member: (text) => ({ type: 'summary_text', text }),
    body: (summary) => ({ output: [{ type: 'reasoning', id: 'r', summary }] }),
    read: (body) => list(object(body)['output']).flatMap(({ summary }) => textsOf(list(summary))),
  },
  {
    name: 'content blocks of Cohere',
    provider: 'cohere',
    path: '/v2/chat',
    member: (text) => ({ type: 'text', text }),
    between: { type: 'thinking', thinking: 'Hm.' },
    body: cohere,
    read: (body) => textsOf(cohereOf(body)),
  },
  {
    name: 'thoughts of Cohere',
    provider: 'cohere',
    path: '/v2/chat',
    member: (thinking) => ({ type: 'thinking', thinking }),
    between: { type: 'text', text: 'Well.' },
    body: cohere,
    read: (body) => textsOf(cohereOf(body), 'thinking'),
  },
  {
    name: 'content chunks of Mistral, with a reference between',
    provider: 'mistral',
    path: CHAT,
    member: (text) => ({ type: 'text', text }),
    between: { type: 'reference', reference_ids: [1] },
    body: (content) => chat({ content }),
    read: (body) => textsOf(list(chatOf(body)['content'])),
  },
  {
    name: 'thoughts of Mistral',
    provider: 'mistral',
    path: CHAT,
    member: (text) => ({ type: 'text', text }),
    body: (thinking) =>
      chat({
        content: [
          { type: 'thinking', thinking },
          { type: 'text', text: 'So.' },
        ],
      }),
    read: (body) => textsOf(list(list(chatOf(body)['content'])[0]?.['thinking'])),
  },
  {
    name: 'reasoning details of OpenRouter',
    provider: 'openrouter',
    path: CHAT,
    member: (text) => ({ type: 'reasoning.text', text }),
    between: { type: 'reasoning.encrypted', data: 'eA==' },
    body: (details) => chat({ content: 'So.', reasoning_details: details }),
    read: (body) => textsOf(list(chatOf(body)['reasoning_details'])),
  },
];
