import { describe, expect, it } from 'vitest';
import { instructionRole } from '../../../src/providers/instructions.ts';
import type { JsonObject } from '../../../src/json/is-object.ts';
import { type ProviderName, providers } from '../../../src/providers/registry.ts';

interface Row {
  readonly dialect: string;
  readonly provider: ProviderName;
  readonly path: string;
  readonly body: JsonObject;
  /** `role: text` of all instructions, in order. */
  readonly instructions: readonly string[];
}

const user = { role: 'user', content: 'asked' };
const CHAT = '/v1/chat/completions';
const MESSAGES = { model: 'm', max_tokens: 9, messages: [user] };
const openaiTool = { type: 'function', function: { name: 'look', description: 'looks' } };
const converse = { messages: [{ role: 'user', content: [{ text: 'asked' }] }] };

/** Places of instructions in all dialects, with other texts beside them. */
const ROWS: readonly Row[] = [
  {
    dialect: 'OpenAI chat',
    provider: 'openai',
    path: CHAT,
    body: {
      model: 'm',
      messages: [
        { role: 'system', content: 'one' },
        { role: 'developer', content: [{ type: 'text', text: 'two' }], name: 'maker' },
        user,
        { role: 'assistant', content: 'said', tool_calls: [{ id: 'c', function: { arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c', content: 'result' },
        { role: 'system', content: 'three' },
      ],
      tools: [openaiTool],
      response_format: { type: 'json_schema', json_schema: { description: 'schema' } },
    },
    instructions: ['system: one', 'developer: two', 'system: three'],
  },
  {
    dialect: 'vLLM chat with documents and a template',
    provider: 'vllm',
    path: CHAT,
    body: {
      model: 'm',
      messages: [{ role: 'system', content: 'one' }, user],
      documents: [{ title: 'found', text: 'in a store' }],
      chat_template: 'template',
    },
    instructions: ['system: one'],
  },
  {
    dialect: 'OpenAI responses',
    provider: 'openai',
    path: '/v1/responses',
    body: {
      model: 'm',
      instructions: 'one',
      input: [
        { role: 'system', content: 'two' },
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'three' }] },
        {
          type: 'message',
          role: 'developer',
          content: [{ type: 'input_file', file_data: 'data:text/plain,file' }],
        },
        { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'look' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'asked' }] },
        { type: 'function_call_output', call_id: 'c', output: 'result' },
      ],
      text: { format: { type: 'json_schema', description: 'schema' } },
      client_metadata: { note: 'a client' },
    },
    instructions: ['system: one', 'system: two', 'developer: three'],
  },
  {
    dialect: 'OpenAI responses with a list of instructions',
    provider: 'openai',
    path: '/v1/responses',
    body: {
      model: 'm',
      instructions: [{ role: 'developer', content: [{ type: 'input_text', text: 'one' }] }],
      input: 'asked',
    },
    instructions: ['developer: one'],
  },
  {
    dialect: 'Anthropic messages',
    provider: 'anthropic',
    path: '/v1/messages',
    body: { ...MESSAGES, system: 'one', tools: [{ name: 'look', description: 'looks' }] },
    instructions: ['system: one'],
  },
  {
    dialect: 'Anthropic messages with blocks, and a system message among them',
    provider: 'anthropic',
    path: '/v1/messages',
    body: {
      ...MESSAGES,
      system: [
        { type: 'text', text: 'one' },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a document' } },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'its words' }] } },
      ],
      messages: [
        user,
        { role: 'system', content: [{ type: 'text', text: 'two' }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'result' }] },
      ],
      output_config: { format: { type: 'json_schema', schema: { description: 'schema' } } },
    },
    instructions: ['system: one', 'system: two'],
  },
  {
    dialect: 'Gemini',
    provider: 'gemini',
    path: '/v1beta/models/g:generateContent',
    body: {
      systemInstruction: {
        parts: [{ text: 'one' }, { inlineData: { mimeType: 'text/plain', data: 'ZmlsZQ==' } }],
      },
      contents: [
        {
          role: 'user',
          parts: [{ text: 'asked' }, { functionResponse: { name: 'f', response: { a: 'result' } } }],
        },
      ],
      tools: [{ functionDeclarations: [{ name: 'look', description: 'looks' }] }],
      generationConfig: { responseSchema: { description: 'schema' } },
    },
    instructions: ['system: one'],
  },
  {
    dialect: 'Gemini with names in snake case',
    provider: 'gemini',
    path: '/v1beta/models/g:streamGenerateContent',
    body: { system_instruction: { parts: [{ text: 'one' }] }, contents: [{ parts: [{ text: 'asked' }] }] },
    instructions: ['system: one'],
  },
  {
    dialect: 'Gemini, counting',
    provider: 'gemini',
    path: '/v1beta/models/g:countTokens',
    body: {
      generateContentRequest: {
        systemInstruction: { parts: [{ text: 'one' }] },
        contents: [{ parts: [{ text: 'asked' }] }],
      },
    },
    instructions: ['system: one'],
  },
  {
    dialect: 'Bedrock converse',
    provider: 'bedrock',
    path: '/model/anthropic.claude-sonnet-4/converse',
    body: {
      ...converse,
      system: [
        { text: 'one' },
        { guardContent: { text: { text: 'two' } } },
        { cachePoint: { type: 'default' } },
      ],
      toolConfig: { tools: [{ toolSpec: { name: 'look', description: 'looks' } }] },
      promptVariables: { name: { text: 'a variable' } },
    },
    instructions: ['system: one', 'system: two'],
  },
  {
    dialect: 'Bedrock, counting',
    provider: 'bedrock',
    path: '/model/anthropic.claude-sonnet-4/count-tokens',
    body: { input: { converse: { ...converse, system: [{ text: 'one' }] } } },
    instructions: ['system: one'],
  },
  {
    dialect: "Bedrock invoke in Anthropic's format",
    provider: 'bedrock',
    path: '/model/anthropic.claude-sonnet-4/invoke',
    body: { anthropic_version: 'bedrock-2023-05-31', max_tokens: 9, system: 'one', messages: [user] },
    instructions: ['system: one'],
  },
  {
    dialect: "Bedrock invoke in Nova's format",
    provider: 'bedrock',
    path: '/model/amazon.nova-pro-v1:0/invoke',
    body: { ...converse, system: [{ text: 'one' }] },
    instructions: ['system: one'],
  },
  {
    dialect: 'Bedrock invoke with a plain prompt',
    provider: 'bedrock',
    path: '/model/meta.llama3-70b-instruct-v1:0/invoke',
    body: { prompt: 'asked' },
    instructions: [],
  },
  {
    dialect: 'Cohere v2',
    provider: 'cohere',
    path: '/v2/chat',
    body: {
      model: 'c',
      messages: [
        { role: 'system', content: 'one' },
        { role: 'developer', content: [{ type: 'text', text: 'two' }] },
        user,
      ],
      documents: ['found'],
      response_format: { type: 'json_object', schema: { description: 'schema' } },
    },
    instructions: ['system: one', 'developer: two'],
  },
  {
    dialect: 'Cohere v1',
    provider: 'cohere',
    path: '/v1/chat',
    body: {
      model: 'c',
      message: 'asked',
      preamble: 'one',
      chat_history: [
        { role: 'SYSTEM', message: 'two' },
        { role: 'USER', message: 'said' },
        { role: 'TOOL', tool_results: [{ outputs: [{ text: 'result' }] }] },
      ],
      documents: [{ text: 'found' }],
    },
    instructions: ['system: one', 'system: two'],
  },
  {
    dialect: 'Ollama chat',
    provider: 'ollama',
    path: '/api/chat',
    body: {
      model: 'l',
      messages: [{ role: 'system', content: 'one' }, user],
      format: { description: 'schema' },
    },
    instructions: ['system: one'],
  },
  {
    dialect: 'Ollama generate',
    provider: 'ollama',
    path: '/api/generate',
    body: { model: 'l', system: 'one', prompt: 'asked', template: 'template' },
    instructions: ['system: one'],
  },
  {
    dialect: 'OpenAI completions',
    provider: 'openai',
    path: '/v1/completions',
    body: { model: 'm', prompt: 'asked' },
    instructions: [],
  },
];

describe('instructions of system and developer messages', () => {
  it.each(ROWS)('are recognized in $dialect, and nothing else', (row) => {
    const endpoint = providers[row.provider].endpoint('POST', row.path);
    if (endpoint === undefined) throw new Error(`no endpoint at ${row.path}`);
    const { texts } = endpoint.dialect.request(row.body, endpoint);
    const found = texts.flatMap((text) => {
      const role = instructionRole(text);
      return role === undefined ? [] : [`${role}: ${text.text}`];
    });
    expect(found).toEqual(row.instructions);
    expect(texts.length).toBeGreaterThan(found.length);
  });

  it('do not include member names and numbers of a message', () => {
    const text = { role: 'system', kind: 'text', text: 'x', path: ['messages', 0, 'content'] } as const;
    expect(instructionRole(text)).toBe('system');
    expect(instructionRole({ ...text, editable: false })).toBeUndefined();
    expect(instructionRole({ ...text, kind: 'reasoning' })).toBeUndefined();
    expect(instructionRole({ ...text, kind: 'tool_definition' })).toBeUndefined();
    expect(instructionRole({ ...text, role: 'user' })).toBeUndefined();
  });
});
