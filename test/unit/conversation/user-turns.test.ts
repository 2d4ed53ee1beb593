import { describe, expect, it } from 'vitest';
import { firstQuestion, lastQuestion, lastUserTurn } from '../../../src/conversation/user-turns.ts';
import type { JsonObject } from '../../../src/json/is-object.ts';
import type { RequestFacts } from '../../../src/providers/request-facts.ts';
import { type ProviderName, providers } from '../../../src/providers/registry.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

function read(provider: ProviderName, path: string, body: JsonObject): RequestFacts {
  const endpoint = providers[provider].endpoint('POST', path);
  if (endpoint === undefined) throw new Error(`${provider} does not read ${path}`);
  return endpoint.dialect.request(body, endpoint);
}

function chat(...messages: JsonObject[]): RequestFacts {
  return read('openai', '/v1/chat/completions', { model: 'm', messages });
}

const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } };

/** In each the user sends `first`, gets an answer, and then sends `last`, followed by a tool's result if it has one. */
const DIALECTS: readonly [string, ProviderName, string, JsonObject][] = [
  [
    'chat completions',
    'openai',
    '/v1/chat/completions',
    {
      model: 'm',
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'first', name: 'ann' },
        { role: 'assistant', content: 'answer' },
        { role: 'user', content: [{ type: 'text', text: 'last' }], name: 'ann' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'blue' },
      ],
    },
  ],
  [
    'responses with items',
    'openai',
    '/v1/responses',
    {
      prompt: { id: 'p', variables: { tone: 'first' } },
      model: 'm',
      instructions: 'be brief',
      input: [
        { role: 'assistant', content: [{ type: 'output_text', text: 'answer' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'last' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"at":"sky"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'blue' },
      ],
    },
  ],
  [
    'anthropic messages',
    'anthropic',
    '/v1/messages',
    {
      model: 'm',
      max_tokens: 9,
      system: 'be brief',
      messages: [
        { role: 'user', content: 'first' },
        { role: 'assistant', content: 'answer' },
        { role: 'user', content: [{ type: 'text', text: 'last' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: { at: 'sky' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'blue' }] },
      ],
    },
  ],
  [
    'gemini contents',
    'gemini',
    '/v1beta/models/gemini-x:generateContent',
    {
      system_instruction: { parts: [{ text: 'be brief' }] },
      contents: [
        { role: 'user', parts: [{ text: 'first' }] },
        { role: 'model', parts: [{ text: 'answer' }] },
        { role: 'user', parts: [{ text: 'last' }] },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: { at: 'sky' } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'look', response: { colour: 'blue' } } }] },
      ],
    },
  ],
  [
    'bedrock converse',
    'bedrock',
    '/model/amazon.nova-lite-v1:0/converse',
    {
      system: [{ text: 'be brief' }],
      messages: [
        { role: 'user', content: [{ text: 'first' }] },
        { role: 'assistant', content: [{ text: 'answer' }] },
        { role: 'user', content: [{ text: 'last' }] },
        {
          role: 'assistant',
          content: [{ toolUse: { toolUseId: 'c1', name: 'look', input: { at: 'sky' } } }],
        },
        { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [{ text: 'blue' }] } }] },
      ],
    },
  ],
  [
    'cohere v1, whose message comes after its history',
    'cohere',
    '/v1/chat',
    {
      model: 'm',
      message: 'last',
      chat_history: [
        { role: 'USER', message: 'first' },
        { role: 'CHATBOT', message: 'answer' },
      ],
      documents: [{ text: 'beside' }],
    },
  ],
  [
    'cohere v2',
    'cohere',
    '/v2/chat',
    {
      model: 'm',
      messages: [
        { role: 'user', content: 'first' },
        { role: 'assistant', content: 'answer' },
        { role: 'user', content: [{ type: 'text', text: 'last' }] },
        { role: 'tool', tool_call_id: 'c1', content: 'blue' },
      ],
      documents: ['beside'],
    },
  ],
  [
    'ollama chat',
    'ollama',
    '/api/chat',
    {
      model: 'm',
      messages: [
        { role: 'user', content: 'first' },
        { role: 'assistant', content: 'answer' },
        { role: 'user', content: 'last' },
      ],
    },
  ],
];

/** Dialects that carry one prompt. */
const PROMPTS: readonly [string, ProviderName, string, JsonObject][] = [
  ['completions', 'openai', '/v1/completions', { model: 'm', prompt: 'only', suffix: 'after' }],
  ['responses with a string', 'openai', '/v1/responses', { model: 'm', input: 'only' }],
  ['ollama generate', 'ollama', '/api/generate', { model: 'm', prompt: 'only', system: 'be brief' }],
  [
    'llama on bedrock',
    'bedrock',
    '/model/meta.llama3-8b-instruct-v1:0/invoke',
    { prompt: 'only', max_gen_len: 64 },
  ],
  [
    'titan on bedrock',
    'bedrock',
    '/model/amazon.titan-text-express-v1/invoke',
    { inputText: 'only', textGenerationConfig: { stopSequences: ['END'] } },
  ],
];

describe("the user's turns", () => {
  it.each(DIALECTS)('are the first and the last user message of %s', (_name, provider, path, body) => {
    const request = read(provider, path, body);
    expect(firstQuestion(request)).toBe('first');
    expect(lastUserTurn(request)).toBe('last');
  });

  it.each(PROMPTS)('are the prompt of %s', (_name, provider, path, body) => {
    const request = read(provider, path, body);
    expect(firstQuestion(request)).toBe('only');
    expect(lastUserTurn(request)).toBe('only');
  });

  it('contain every text of a message, and of consecutive messages, with any client text between them', () => {
    const request = chat(
      { role: 'user', content: 'the surroundings' },
      { role: 'developer', content: 'be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'the' },
          { type: 'text', text: 'request' },
        ],
      },
    );
    expect(lastUserTurn(request)).toBe('the surroundings\nthe\nrequest');
    expect(firstQuestion(request)).toBe(lastUserTurn(request));
  });

  it('contain the user’s text beside tool results in one message, before and after them', () => {
    const result = { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'blue' }] };
    const request = read('anthropic', '/v1/messages', {
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'first' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'text', text: 'wait' }, result, { type: 'text', text: 'I meant the sea' }],
        },
      ],
    });
    expect(lastUserTurn(request)).toBe('wait\nI meant the sea');
  });

  it('end at an answer, also if the client adds instructions after it', () => {
    const request = chat(
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'answer' },
      { role: 'developer', content: 'be brief' },
      { role: 'user', content: 'last' },
    );
    expect(lastUserTurn(request)).toBe('last');
  });

  it('end at an answer that consists only of a tool call', () => {
    const request = chat(
      { role: 'user', content: 'first' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'blue' },
      { role: 'user', content: 'last' },
    );
    expect(lastUserTurn(request)).toBe('last');
  });

  it('do not exist without a user’s text', () => {
    expect(lastUserTurn(chat({ role: 'system', content: 'be brief' }))).toBeUndefined();
    expect(firstQuestion(chat())).toBeUndefined();
    expect(lastUserTurn(chat({ role: 'tool', tool_call_id: 'c1', content: 'blue' }))).toBeUndefined();
  });
});

describe('a person’s question', () => {
  const REMINDER = '<system-reminder>\nThe list of tasks is empty. <cwd>/srv</cwd>\n</system-reminder>';

  it.each([
    ['reminders before and after it', `${REMINDER}\nmend the parser\n${REMINDER}`],
    [
      'an environment block',
      '<environment_context>\n  <cwd>/srv</cwd>\n</environment_context>mend the parser',
    ],
    ['rules in capitals', '<INSTRUCTIONS>Use tabs.</INSTRUCTIONS>\n\nmend the parser'],
    ['nested elements', '<user-info><open_files>a.ts</open_files> b</user-info> mend the parser'],
    ['attributes', '<file-content path="a.ts">x</file-content>mend the parser'],
  ])('is returned without %s', (_what, content) => {
    expect(lastQuestion(chat({ role: 'user', content }))).toBe('mend the parser');
  });

  it('is returned without messages that contain only an agent’s context, and without turns of such messages', () => {
    const request = chat(
      {
        role: 'user',
        content: 'This is the Gemini CLI. We are setting up the context for our chat.\nToday is …',
      },
      { role: 'assistant', content: 'Got it.' },
      { role: 'user', content: 'I am not sharing any files that you can edit yet.' },
      { role: 'assistant', content: 'Ok.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: REMINDER },
          { type: 'text', text: 'mend the parser' },
        ],
      },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: REMINDER },
    );
    expect(firstQuestion(request)).toBe('mend the parser');
    expect(lastQuestion(request)).toBe('mend the parser');
  });

  it.each([
    ['HTML', 'why is <div class="x">text</div> red?'],
    ['an unterminated element', '<system-reminder> what does this tag mean?'],
    ['overlapping elements', '<system-reminder>is</user-info> this <a href="#">odd</a>'],
    ['only context elements', REMINDER],
  ])('is unchanged if it is %s', (_what, content) => {
    expect(lastQuestion(chat({ role: 'user', content }))).toBe(content);
  });

  it.each(['<', '<a-', '<a-b>', '</a-b>', '<a-b></a-b>', '<a-b ', '<AAAA>', '<system-reminder><', '-', ' '])(
    'is found quickly in 2 MiB of %j',
    (piece) => {
      const content = piece.repeat(Math.ceil((2 * 1_024 * 1_024) / piece.length));
      const request = chat({ role: 'user', content });
      expect(quickestCpuMs(() => lastQuestion(request))).toBeLessThan(50);
    },
  );
});
