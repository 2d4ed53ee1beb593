import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { policyCallOf } from '../../../src/checks/policy/policy-call.ts';
import { holdsEncodedBytes } from '../../../src/providers/encoded-bytes.ts';
import type { JsonObject } from '../../../src/json/is-object.ts';
import type { ProviderName } from '../../../src/providers/registry.ts';
import { parsed } from '../../support/exchange.ts';
import { threadCpuMs } from '../../support/cpu-time.ts';

const BYTES = Buffer.concat([Buffer.from('PK\x03\x04'), randomBytes(1_500)]);
const BASE64 = BYTES.toString('base64');
const DATA_URL = `data:font/woff2;base64,${BYTES.subarray(0, 300).toString('base64')}`;
const WORDS = 'The quick brown fox jumps over the lazy dog. '.repeat(60);

function wrapped(columns: number, between = '\n'): string {
  return BASE64.replace(new RegExp(`.{${columns}}`, 'g'), `$&${between}`);
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('\n');
}

describe('encoded bytes in a text are recognized', () => {
  it.each([
    ['only Base64', BASE64],
    ['URL-safe Base64', BYTES.toString('base64url')],
    ['only hexadecimal digits', BYTES.toString('hex')],
    ['a data URL', DATA_URL],
    ['a short data URL', ' DATA:image/png;base64,iVBORw0KGgo='],
    ['a data URL in a sentence', `see ${DATA_URL} there`],
    ['a data URL in Markdown', `# Title\n\n![chart](${DATA_URL})`],
    ['Base64 after a sentence', `Decode this and follow it:\n${BASE64}`],
    ['wrapped Base64', wrapped(76, '\r\n')],
    ['wrapped Base64 in a fence', `Here:\n\`\`\`\n${wrapped(64)}\n\`\`\``],
    ['indented Base64', `data: |\n  ${wrapped(76, '\n  ')}`],
    ['Base64 in short lines', wrapped(40)],
    ['Base64 in JSON', JSON.stringify({ file: BASE64 })],
    ['wrapped Base64 in JSON', JSON.stringify({ file: wrapped(76) })],
    ['two files', `${BASE64}${BASE64}`],
    [
      'bytes after encoded words',
      Buffer.concat([Buffer.from(WORDS.repeat(9)), Buffer.alloc(400, 0x91)]).toString('base64'),
    ],
  ])('%s', (_what, text) => {
    expect(holdsEncodedBytes(text)).toBe(true);
  });
});

describe('ordinary text has none', () => {
  const digest = (bytes: number) => randomBytes(bytes).toString('hex');
  it.each([
    ['prose', WORDS],
    ['encoded words', Buffer.from(WORDS).toString('base64')],
    ['a list of commits', lines(60, () => digest(20))],
    ['checksums', lines(60, (index) => `${digest(32)}  src/file${index}.ts`)],
    ['a list of folders', lines(90, (index) => `package-name-${'abcdefg'.slice(index % 7)}`)],
    [
      'a JWT',
      `Authorization: Bearer ${['{"alg":"RS256"}', `{"sub":"${'y'.repeat(600)}"}`]
        .map((part) => Buffer.from(part).toString('base64url'))
        .join('.')}.${randomBytes(256).toString('base64url')}`,
    ],
    ['a public key', `ssh-rsa ${randomBytes(535).toString('base64')} me@host`],
    ['a lock file', lines(60, () => `"integrity": "sha512-${randomBytes(64).toString('base64')}",`)],
    ['rulers', `${'-'.repeat(1_500)}\n${'='.repeat(1_300)}`],
    ['digits of a number', `3.${'14159'.repeat(500)}`],
    ['one letter', `see ${'a'.repeat(3_000)}`],
    ['a path', '/usr/lib/node/x/'.repeat(20)],
    ['another script', '这是一个测试'.repeat(400)],
  ])('%s', (_what, text) => {
    expect(holdsEncodedBytes(text)).toBe(false);
  });

  it('and is searched quickly', () => {
    const texts = [
      WORDS.repeat(800),
      'a'.repeat(2_000_000),
      'alpha\nbeta\n'.repeat(180_000),
      `${'a'.repeat(75)}\n`.repeat(27_000),
      `${'Ab1/'.repeat(63)} `.repeat(8_000),
      Buffer.from(WORDS).toString('base64').repeat(500),
    ];
    for (const text of texts) {
      const started = threadCpuMs();
      holdsEncodedBytes(text);
      expect(threadCpuMs() - started).toBeLessThan(100);
    }
  });
});

/** `request.unseen_content` of policies. */
function isUnseen(provider: ProviderName, path: string, body: JsonObject): boolean | undefined {
  return policyCallOf(parsed({ provider, path, body }))?.input.request.unseen_content;
}

const chat = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  model: 'm',
  messages: [message],
  ...more,
});
const call = (more: JsonObject): JsonObject => ({ id: 'c', type: 'function', ...more });
const GEMINI = '/v1beta/models/m:generateContent';
const gemini = (part: unknown): JsonObject => ({ contents: [{ parts: [part] }] });
const CONVERSE = '/model/m/converse';
const converse = (block: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [block] }] });

describe('encoded bytes are recognized in every place of every dialect', () => {
  it.each<[string, ProviderName, string, (text: string) => JsonObject]>([
    ['a message', 'openai', '/v1/chat/completions', (content) => chat({ role: 'user', content })],
    [
      'arguments of a tool call',
      'groq',
      '/v1/chat/completions',
      (text) =>
        chat({
          role: 'assistant',
          tool_calls: [call({ function: { name: 'f', arguments: JSON.stringify({ text }) } })],
        }),
    ],
    [
      'the definition of a tool',
      'xai',
      '/v1/chat/completions',
      (description) =>
        chat({ role: 'user', content: 'hi' }, { tools: [call({ function: { name: 'f', description } })] }),
    ],
    ['a prompt', 'vllm', '/v1/completions', (prompt) => ({ model: 'm', prompt })],
    ['input', 'openai', '/v1/responses', (input) => ({ model: 'm', input })],
    [
      'instructions',
      'openai',
      '/v1/responses',
      (instructions) => ({ model: 'm', input: 'hi', instructions }),
    ],
    ['content', 'anthropic', '/v1/messages', (content) => chat({ role: 'user', content })],
    [
      'a block',
      'anthropic',
      '/v1/messages',
      (text) => chat({ role: 'user', content: [{ type: 'text', text }] }),
    ],
    ['system', 'anthropic', '/v1/messages', (system) => chat({ role: 'user', content: 'hi' }, { system })],
    [
      'a call',
      'anthropic',
      '/v1/messages',
      (text) =>
        chat({ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { text } }] }),
    ],
    [
      'a result',
      'anthropic',
      '/v1/messages',
      (content) => chat({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content }] }),
    ],
    [
      'a text document',
      'anthropic',
      '/v1/messages',
      (data) =>
        chat({
          role: 'user',
          content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data } }],
        }),
    ],
    ['a part', 'gemini', GEMINI, (text) => gemini({ text })],
    ['a part that is a string', 'gemini', GEMINI, (text) => gemini(text)],
    ['a call', 'gemini', GEMINI, (text) => gemini({ functionCall: { name: 'f', args: { text } } })],
    ['code', 'gemini', GEMINI, (code) => gemini({ executableCode: { language: 'PYTHON', code } })],
    ['a block', 'bedrock', CONVERSE, (text) => converse({ text })],
    [
      'a call',
      'bedrock',
      CONVERSE,
      (text) => converse({ toolUse: { toolUseId: 't', name: 'f', input: { text } } }),
    ],
    ['guarded text', 'bedrock', CONVERSE, (text) => converse({ guardContent: { text: { text } } })],
    ['a message', 'cohere', '/v2/chat', (content) => chat({ role: 'tool', content })],
    [
      'a document',
      'cohere',
      '/v2/chat',
      (text) => chat({ role: 'user', content: 'hi' }, { documents: [{ text }] }),
    ],
    ['a preamble', 'cohere', '/v1/chat', (preamble) => ({ model: 'm', message: 'hi', preamble })],
    [
      'an unknown member',
      'cohere',
      '/v2/chat',
      (text) => chat({ role: 'user', content: 'hi' }, { notes: [text] }),
    ],
    ['texts', 'cohere', '/v2/embed', (text) => ({ model: 'm', texts: [text] })],
    ['a document', 'cohere', '/v2/rerank', (text) => ({ model: 'm', query: 'q', documents: [{ text }] })],
    ['a suffix', 'ollama', '/api/generate', (suffix) => ({ model: 'm', prompt: 'hi', suffix })],
    [
      'an unknown member',
      'bedrock',
      '/model/amazon.nova-lite-v1:0/invoke',
      (text) => ({ ...converse({ text: 'hi' }), notes: { text } }),
    ],
  ])('%s of %s %s', (_what, provider, path, body) => {
    expect(isUnseen(provider, path, body(BASE64))).toBe(true);
    expect(isUnseen(provider, path, body(`\n${DATA_URL}`))).toBe(true);
    expect(isUnseen(provider, path, body(WORDS))).toBe(false);
  });

  it.each<[string, ProviderName, string, JsonObject]>([
    [
      'OpenAI',
      'openai',
      '/v1/responses',
      { model: 'm', input: [{ type: 'reasoning', id: 'r', summary: [], encrypted_content: BASE64 }] },
    ],
    [
      'OpenRouter',
      'openrouter',
      '/v1/chat/completions',
      chat({
        role: 'assistant',
        content: 'hi',
        reasoning_details: [{ type: 'reasoning.encrypted', data: BASE64 }],
      }),
    ],
    [
      'Anthropic',
      'anthropic',
      '/v1/messages',
      chat({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: BASE64 },
          { type: 'redacted_thinking', data: BASE64 },
        ],
      }),
    ],
    ['Gemini', 'gemini', GEMINI, gemini({ functionCall: { name: 'f' }, thoughtSignature: BASE64 })],
    [
      'Gemini through OpenAI’s API',
      'gemini',
      '/v1beta/openai/chat/completions',
      chat({
        role: 'assistant',
        tool_calls: [
          call({
            function: { name: 'f', arguments: '{}' },
            extra_content: { google: { thought_signature: BASE64 } },
          }),
        ],
      }),
    ],
  ])('but encrypted reasoning of %s is not', (_who, provider, path, body) => {
    expect(isUnseen(provider, path, body)).toBe(false);
  });
});

describe('media are recognized in forms that the dialect does not list', () => {
  const URL = 'https://x.test/a';
  const parts = (part: JsonObject): JsonObject => chat({ role: 'user', content: [part] });
  const RESPONSES = '/v1/responses';
  it.each<[string, ProviderName, string, JsonObject]>([
    ...[
      { type: 'image_url', image_url: { url: { href: URL } } },
      { type: 'input_image', input_image: URL },
      { type: 'image', src: URL },
      { type: 'image', other: 'iVBORw0KGgo' },
      { type: 'image_base64', image_base64: 'iVBORw0KGgo' },
      { type: 'image_data', image_data: 'iVBORw0KGgo' },
      { type: 'pdf', pdf: 'JVBERi0' },
      { type: 'media', media: { url: URL } },
      { type: 'document', document: { data: 'JVBERi0' } },
    ].map((part): [string, ProviderName, string, JsonObject] => [
      JSON.stringify(part),
      'vllm',
      '/v1/chat/completions',
      parts(part),
    ]),
    ...['image_data', 'video_data', 'audio_data', 'multi_modal_data', 'mm_data'].map(
      (name): [string, ProviderName, string, JsonObject] => [
        name,
        'vllm',
        '/v1/chat/completions',
        chat({ role: 'user', content: 'hi' }, { [name]: 'iVBORw0KGgo' }),
      ],
    ),
    [
      'an attachment',
      'openai',
      '/v1/chat/completions',
      chat({ role: 'user', content: 'hi', attachments: [{ url: URL, contentType: 'image/png' }] }),
    ],
    ['a batch of token ids', 'vllm', '/v1/completions', { model: 'm', prompt: [{ prompt_token_ids: [1] }] }],
    [
      'an earlier answer',
      'xai',
      '/v1/chat/completions',
      chat({ role: 'user', content: 'hi' }, { previous_response_id: 'r' }),
    ],
    ['a reference without a type', 'openai', RESPONSES, { model: 'm', input: [{ type: null, id: 'msg_1' }] }],
    [
      'a stored picture',
      'openai',
      RESPONSES,
      { model: 'm', input: [{ type: 'image_generation_call', id: 'ig_1' }] },
    ],
    [
      'a container',
      'openai',
      RESPONSES,
      { model: 'm', input: [{ type: 'code_interpreter_call', id: 'c', container_id: 'cntr_1' }] },
    ],
    [
      'an audio part',
      'anthropic',
      '/v1/messages',
      parts({ type: 'audio', source: { type: 'base64', media_type: 'audio/wav', data: 'UklGRg' } }),
    ],
    [
      'an MCP resource',
      'anthropic',
      '/v1/messages',
      parts({
        type: 'mcp_tool_result',
        content: [{ type: 'resource', resource: { uri: 'a:b', blob: 'UEs' } }],
      }),
    ],
    [
      'a result that is an object',
      'anthropic',
      '/v1/messages',
      parts({
        type: 'tool_result',
        tool_use_id: 't',
        content: { type: 'image', source: { type: 'url', url: URL } },
      }),
    ],
    ['a picture by URL', 'bedrock', CONVERSE, converse({ image: { format: 'png', source: { url: URL } } })],
    ['audio by id', 'bedrock', CONVERSE, converse({ audio: { format: 'wav', source: { id: 'a' } } })],
    ['a picture without a source', 'bedrock', CONVERSE, converse({ image: { url: URL } })],
    [
      'a picture in a document',
      'cohere',
      '/v2/chat',
      chat({ role: 'user', content: 'hi' }, { documents: [{ image_url: URL }] }),
    ],
    [
      'another picture to embed',
      'cohere',
      '/v2/embed',
      { model: 'm', inputs: [{ content: [{ type: 'image', image: 'iVBOR' }] }] },
    ],
  ])('%s (%s)', (_what, provider, path, body) => {
    expect(isUnseen(provider, path, body)).toBe(true);
  });
});
