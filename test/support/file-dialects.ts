import type { ProviderName } from '../../src/providers/registry.ts';

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>];

/** An agent's messages in one dialect: the user's text, its calls, and their results. */
export interface FileDialect {
  readonly name: string;
  readonly provider: ProviderName;
  readonly path: string;
  system(text: string): object;
  user(text: string): object;
  /** A conversation in which the model has called a tool. */
  called(call: Call, result: string): object;
  /** A whole answer with a text and a call. */
  answer(text: string, call: Call): object;
  /** A conversation with a text that the provider signed, and with a file in base64. */
  unchangeable(text: string): readonly object[];
}

const QUESTION = 'Go on.';

function chat(messages: readonly object[]): object {
  return { model: 'gpt-4o', messages };
}

function chatCall([name, args]: Call): object {
  return { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

function responses(input: readonly object[]): object {
  return { model: 'gpt-5', store: false, input };
}

function responsesCall([name, args]: Call): object {
  return { type: 'function_call', call_id: 'call_1', name, arguments: JSON.stringify(args) };
}

function messages(said: readonly object[], more: object = {}): object {
  return { model: 'claude-sonnet-4-5', max_tokens: 1_000, ...more, messages: said };
}

function gemini(contents: readonly object[], more: object = {}): object {
  return { ...more, contents };
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

const USAGE = { input_tokens: 5, output_tokens: 7 };

export const FILE_DIALECTS: readonly FileDialect[] = [
  {
    name: 'OpenAI chat',
    provider: 'openai',
    path: '/openai/v1/chat/completions',
    system: (text) =>
      chat([
        { role: 'system', content: text },
        { role: 'user', content: QUESTION },
      ]),
    user: (text) => chat([{ role: 'user', content: text }]),
    called: (call, result) =>
      chat([
        { role: 'user', content: QUESTION },
        { role: 'assistant', content: null, tool_calls: [chatCall(call)] },
        { role: 'tool', tool_call_id: 'call_1', content: result },
      ]),
    answer: (content, call) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      model: 'gpt-4o',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content, tool_calls: [chatCall(call)] },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
    }),
    unchangeable: (text) => [
      chat([
        {
          role: 'user',
          content: [
            {
              type: 'file',
              file: { filename: 'a.txt', file_data: `data:text/plain;base64,${toBase64(text)}` },
            },
          ],
        },
      ]),
    ],
  },
  {
    name: 'OpenAI Responses',
    provider: 'openai',
    path: '/openai/v1/responses',
    system: (text) => ({ ...responses([{ role: 'user', content: QUESTION }]), instructions: text }),
    user: (text) => responses([{ role: 'user', content: [{ type: 'input_text', text }] }]),
    called: (call, output) =>
      responses([
        { role: 'user', content: QUESTION },
        responsesCall(call),
        { type: 'function_call_output', call_id: 'call_1', output },
      ]),
    answer: (text, call) => ({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'gpt-5',
      output: [
        { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text }] },
        { id: 'f', ...responsesCall(call) },
      ],
      usage: { ...USAGE, total_tokens: 12 },
    }),
    unchangeable: (text) => [
      responses([
        {
          role: 'user',
          content: [
            {
              type: 'input_file',
              filename: 'a.txt',
              file_data: `data:text/plain;base64,${toBase64(text)}`,
            },
          ],
        },
      ]),
    ],
  },
  {
    name: 'Anthropic',
    provider: 'anthropic',
    path: '/anthropic/v1/messages',
    system: (text) => messages([{ role: 'user', content: QUESTION }], { system: text }),
    user: (text) => messages([{ role: 'user', content: [{ type: 'text', text }] }]),
    called: ([name, input], content) =>
      messages([
        { role: 'user', content: QUESTION },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name, input }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
      ]),
    answer: (text, [name, input]) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [
        { type: 'text', text },
        { type: 'tool_use', id: 'toolu_1', name, input },
      ],
      stop_reason: 'tool_use',
      usage: USAGE,
    }),
    unchangeable: (text) => [
      messages([
        {
          role: 'user',
          content: [
            {
              type: 'document',
              source: { type: 'base64', media_type: 'text/plain', data: toBase64(text) },
            },
          ],
        },
      ]),
      messages([
        { role: 'user', content: QUESTION },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: text, signature: 'c2lnbmF0dXJl' },
            { type: 'text', text: 'Done.' },
          ],
        },
        { role: 'user', content: QUESTION },
      ]),
    ],
  },
  {
    name: 'Gemini',
    provider: 'gemini',
    path: '/gemini/v1beta/models/gemini-2.5-flash:generateContent',
    system: (text) =>
      gemini([{ role: 'user', parts: [{ text: QUESTION }] }], {
        systemInstruction: { parts: [{ text }] },
      }),
    user: (text) => gemini([{ role: 'user', parts: [{ text }] }]),
    called: ([name, args], output) =>
      gemini([
        { role: 'user', parts: [{ text: QUESTION }] },
        { role: 'model', parts: [{ functionCall: { name, args } }] },
        { role: 'user', parts: [{ functionResponse: { name, response: { output } } }] },
      ]),
    answer: (text, [name, args]) => ({
      candidates: [
        {
          index: 0,
          content: { role: 'model', parts: [{ text }, { functionCall: { name, args } }] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 },
    }),
    unchangeable: (text) => [
      gemini([{ role: 'user', parts: [{ inlineData: { mimeType: 'text/plain', data: toBase64(text) } }] }]),
    ],
  },
];
