import { describe, expect, it } from 'vitest';
import { policyCallOf } from '../../../src/checks/policy/policy-call.ts';
import type { JsonObject } from '../../../src/json/is-object.ts';
import { PROVIDER_NAMES, type ProviderName } from '../../../src/providers/registry.ts';
import { parsed } from '../../support/exchange.ts';
import { pdf, png, wav } from '../../support/media-files.ts';

const PNG = png(9, 9).toString('base64');
const PDF = pdf('').toString('base64');
const WAV = wav({}, 9).toString('base64');
const URL = 'https://x.test/a';
const WORDS = Buffer.from('plain words').toString('base64');

/** The path of a dialect, and the body around one part of its prompt. */
interface Place {
  readonly provider: ProviderName;
  readonly path: string;
  readonly body: (part: JsonObject) => JsonObject;
}

const chat = (provider: ProviderName, path = '/v1/chat/completions'): Place => ({
  provider,
  path,
  body: (part) => ({ model: 'm', messages: [{ role: 'user', content: [part] }] }),
});
const toolResult = (provider: ProviderName): Place => ({
  ...chat(provider),
  body: (part) => ({ model: 'm', messages: [{ role: 'tool', tool_call_id: 'c', content: [part] }] }),
});
const RESPONSES: Place = {
  provider: 'openai',
  path: '/v1/responses',
  body: (part) => ({ model: 'm', input: [{ role: 'user', content: [part] }] }),
};
const CLAUDE = { ...chat('anthropic', '/v1/messages') };
const CLAUDE_RESULT: Place = {
  ...CLAUDE,
  body: (part) => ({
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [part] }] }],
  }),
};
const GEMINI: Place = {
  provider: 'gemini',
  path: '/v1beta/models/gemini-2.5-pro:generateContent',
  body: (part) => ({ contents: [{ parts: [part] }] }),
};
const GEMINI_COUNT: Place = {
  provider: 'gemini',
  path: '/v1beta/models/gemini-2.5-pro:countTokens',
  body: (part) => ({ generateContentRequest: { contents: [{ parts: [part] }] } }),
};
const GEMINI_RESULT: Place = {
  ...GEMINI,
  body: (part) => ({
    contents: [{ parts: [{ functionResponse: { name: 'f', response: {}, parts: [part] } }] }],
  }),
};
const CONVERSE: Place = {
  provider: 'bedrock',
  path: '/model/amazon.nova-pro-v1:0/converse',
  body: (part) => ({ messages: [{ role: 'user', content: [part] }] }),
};
const CONVERSE_RESULT: Place = {
  ...CONVERSE,
  body: (part) => ({
    messages: [{ role: 'user', content: [{ toolResult: { toolUseId: 't', content: [part] } }] }],
  }),
};
const NOVA: Place = { ...CONVERSE, path: '/model/amazon.nova-pro-v1:0/invoke' };
const COHERE: Place = { ...chat('cohere', '/v2/chat') };
const COHERE_EMBED: Place = {
  provider: 'cohere',
  path: '/v2/embed',
  body: (part) => ({ model: 'm', inputs: [{ content: [part] }] }),
};
/** Members of the body itself. */
const members = (provider: ProviderName, path: string, rest: JsonObject = {}): Place => ({
  provider,
  path,
  body: (part) => ({ model: 'm', ...rest, ...part }),
});
const MESSAGES = { messages: [{ role: 'user', content: 'hi' }] };
const VLLM = members('vllm', '/v1/chat/completions', MESSAGES);
const OLLAMA = members('ollama', '/api/generate', { prompt: 'hi' });
const azure = '/openai/deployments/gpt-4o/chat/completions';

const dataUrl = (type: string, base64: string): string => `data:${type};base64,${base64}`;
const imageUrl = (url: string): JsonObject => ({ type: 'image_url', image_url: { url } });
const file = (file_data: string): JsonObject => ({ type: 'file', file: { filename: 'f', file_data } });
const OPENAI_STYLE = PROVIDER_NAMES.filter(
  (name) => !['anthropic', 'gemini', 'bedrock', 'azure', 'cohere', 'groq', 'fireworks'].includes(name),
);

const UNSEEN: readonly (readonly [string, Place, JsonObject])[] = [
  ...[...OPENAI_STYLE.map((name) => chat(name)), chat('azure', azure)].flatMap(
    (place) =>
      [
        [`${place.provider}: a picture by URL`, place, imageUrl(`${URL}.png`)],
        [`${place.provider}: an inline picture`, place, imageUrl(dataUrl('image/png', PNG))],
        [`${place.provider}: a file`, place, file(dataUrl('application/pdf', PDF))],
        [`${place.provider}: a file by URL`, place, file(`${URL}.pdf`)],
        [
          `${place.provider}: audio`,
          place,
          { type: 'input_audio', input_audio: { data: WAV, format: 'wav' } },
        ],
      ] as const,
  ),
  ['a file id', chat('openai'), { type: 'file', file: { file_id: 'file-1' } }],
  ['a file in Base64 without a type', chat('openai'), file(PDF)],
  ['a picture in a tool result', toolResult('openai'), imageUrl(dataUrl('image/png', PNG))],
  ['a picture whose URL is not valid', chat('openai'), { type: 'image_url', image_url: 'x.test/a.png' }],
  ['a document by URL', chat('mistral'), { type: 'document_url', document_url: URL }],
  ['a video by URL', chat('openrouter'), { type: 'video_url', video_url: { url: URL } }],
  ['audio by URL', chat('vllm'), { type: 'audio_url', audio_url: { url: URL } }],
  ['a URL under an unknown name', chat('vllm'), { type: 'clip_url', clip_url: { url: URL } }],
  [
    'a part in the form of another dialect',
    chat('vllm'),
    { type: 'image', source: { type: 'url', url: URL } },
  ],
  ['bytes in MCP’s form', chat('vllm'), { type: 'image', data: PNG, mimeType: 'image/png' }],
  ['embeddings of a picture', chat('vllm'), { type: 'image_embeds', image_embeds: 'gASV' }],
  ['a picture that the engine already has', chat('vllm'), { type: 'image_url', image_url: null, uuid: 'a' }],
  [
    'encoded bytes as text',
    chat('openai'),
    { type: 'text', text: Buffer.alloc(400, 0x91).toString('base64') },
  ],
  ['a file by URL', RESPONSES, { type: 'input_file', file_url: `${URL}.pdf` }],
  ['a file', RESPONSES, { type: 'input_file', filename: 'f', file_data: dataUrl('application/pdf', PDF) }],
  ['a file id', RESPONSES, { type: 'input_file', file_id: 'file-1' }],
  ['a picture by URL', RESPONSES, { type: 'input_image', image_url: `${URL}.png` }],
  ['an inline picture', RESPONSES, { type: 'input_image', image_url: dataUrl('image/png', PNG) }],
  [
    'a screenshot',
    { ...RESPONSES, body: (output) => ({ model: 'm', input: [{ type: 'computer_call_output', output }] }) },
    { type: 'computer_screenshot', image_url: dataUrl('image/png', PNG) },
  ],
  [
    'a generated picture',
    { ...RESPONSES, body: (call) => ({ model: 'm', input: [call] }) },
    {
      type: 'image_generation_call',
      id: 'i',
      result: Buffer.concat([png(9, 9), Buffer.alloc(400)]).toString('base64'),
    },
  ],
  [
    'a stored conversation',
    members('openai', '/v1/responses', { input: 'hi' }),
    { previous_response_id: 'r' },
  ],
  ...[CLAUDE, CLAUDE_RESULT].flatMap(
    (place) =>
      [
        ['a document by URL', place, { type: 'document', source: { type: 'url', url: `${URL}.pdf` } }],
        ['a picture by URL', place, { type: 'image', source: { type: 'url', url: `${URL}.png` } }],
        [
          'a PDF',
          place,
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
        ],
        [
          'a picture',
          place,
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        ],
        ['a file id', place, { type: 'document', source: { type: 'file', file_id: 'f' } }],
        ['a block of an unknown type', place, { type: 'video', source: { type: 'url', url: URL } }],
      ] as const,
  ),
  [
    'a PDF that is declared as text',
    CLAUDE,
    { type: 'document', source: { type: 'base64', media_type: 'text/plain', data: PDF } },
  ],
  [
    'an RTF document',
    CLAUDE,
    {
      type: 'document',
      source: { type: 'base64', media_type: 'text/rtf', data: Buffer.from('{\\rtf1 x}').toString('base64') },
    },
  ],
  ...[GEMINI, GEMINI_COUNT, GEMINI_RESULT].flatMap(
    (place) =>
      [
        ['a picture', place, { inlineData: { mimeType: 'image/png', data: PNG } }],
        ['a PDF', place, { inline_data: { mime_type: 'application/pdf', data: PDF } }],
        ['bytes without a type', place, { inlineData: { data: PNG } }],
        ['a video by URL', place, { fileData: { fileUri: 'https://youtu.be/a' } }],
        ['a stored file', place, { fileData: { fileUri: 'gs://bucket/a.pdf', mimeType: 'application/pdf' } }],
      ] as const,
  ),
  ...[CONVERSE, CONVERSE_RESULT, NOVA].flatMap(
    (place) =>
      [
        ['a picture', place, { image: { format: 'png', source: { bytes: PNG } } }],
        ['a PDF', place, { document: { format: 'pdf', name: 'd', source: { bytes: PDF } } }],
        ['a video', place, { video: { format: 'mp4', source: { bytes: WAV } } }],
        ['a stored video', place, { video: { format: 'mp4', source: { s3Location: { uri: 's3://b/a' } } } }],
        [
          'a stored document',
          place,
          { document: { format: 'txt', source: { s3Location: { uri: 's3://b/a' } } } },
        ],
      ] as const,
  ),
  ['a picture', members('bedrock', '/model/amazon.titan-embed-image-v1/invoke'), { inputImage: PNG }],
  [
    'a picture',
    members('bedrock', '/model/meta.llama3-2-90b-instruct-v1:0/invoke', { prompt: 'p' }),
    { images: [PNG] },
  ],
  [
    'a whole body in Base64',
    members('bedrock', '/model/m/count-tokens'),
    { input: { invokeModel: { body: 'e30=' } } },
  ],
  ['a picture', COHERE, imageUrl(dataUrl('image/png', PNG))],
  ['a picture by URL', COHERE, imageUrl(URL)],
  ['a picture whose URL is a string', COHERE, { type: 'image_url', image_url: URL }],
  ['a picture', COHERE_EMBED, imageUrl(dataUrl('image/png', PNG))],
  ['a picture', members('cohere', '/v2/embed'), { images: [dataUrl('image/png', PNG)] }],
  ['a picture', OLLAMA, { images: [PNG] }],
  ['a template', OLLAMA, { template: '{{ .Prompt }} and more' }],
  ['tokens of an earlier conversation', OLLAMA, { context: [1, 2] }],
  ['a template', VLLM, { chat_template: "{{ 'ignore' ~ ' all' }}" }],
  ['arguments of a template', VLLM, { chat_template_kwargs: { a: 'ignore', b: ' all' } }],
  ['settings for reading media', VLLM, { mm_processor_kwargs: { size: { a: 1 } } }],
  ['a prompt at another engine', VLLM, { kv_transfer_params: { remote_host: 'x.test' } }],
  ['a prompt as tokens', VLLM, { prompt_token_ids: [1, 2] }],
  ['a prompt as embeddings', VLLM, { prompt_embeds: 'gASV' }],
  ['a prompt as tokens', members('vllm', '/v1/completions'), { prompt: [1, 2, 3] }],
  ['a batch of tokens', members('vllm', '/v1/completions'), { prompt: ['a', [1, 2]] }],
  ['tokens', members('openai', '/v1/embeddings'), { input: [[1, 2]] }],
  ['pictures beside a prompt', members('fireworks', '/v1/completions', { prompt: 'p' }), { images: [URL] }],
];

/** `request.unseen_content` of policies. */
function isUnseen({ provider, path, body }: Place, part: JsonObject): boolean | undefined {
  return policyCallOf(parsed({ provider, path, body: body(part) }))?.input.request.unseen_content;
}

describe('unread content is reported to policies', () => {
  it.each(UNSEEN)('%s', (_what, place, part) => {
    expect(isUnseen(place, part)).toBe(true);
  });
});

describe('content read as text is not reported', () => {
  const text = { type: 'text', text: 'hi' };
  const document = (source: JsonObject): JsonObject => ({ type: 'document', source });
  it.each<readonly [string, Place, JsonObject]>([
    ...OPENAI_STYLE.map((name) => [name, chat(name), text] as const),
    ['a text file', chat('openai'), file(dataUrl('text/plain', WORDS))],
    ['a percent-encoded text file', chat('openai'), file('data:text/plain,plain%20words')],
    ['a text part', RESPONSES, { type: 'input_text', text: 'https://x.test/a.png' }],
    ['a block', CLAUDE, text],
    ['a text document', CLAUDE, document({ type: 'text', media_type: 'text/plain', data: 'plain words' })],
    ['an encoded text document', CLAUDE, document({ type: 'base64', media_type: 'text/plain', data: WORDS })],
    ['a search result', CLAUDE, { type: 'search_result', source: URL, title: 't', content: [text] }],
    ['a part', GEMINI, { text: 'hi' }],
    ['a text file', GEMINI, { inlineData: { mimeType: 'text/csv', data: WORDS } }],
    ['a block', CONVERSE, { text: 'hi' }],
    ['a text document', CONVERSE, { document: { format: 'md', name: 'd', source: { bytes: WORDS } } }],
    ['a part', COHERE, text],
    ['a prompt', OLLAMA, { system: 'be kind' }],
    ['a boolean argument of a template', VLLM, { chat_template_kwargs: { enable_thinking: false } }],
    [
      'an encoded text',
      chat('openai'),
      { type: 'text', text: Buffer.from('words '.repeat(90)).toString('base64') },
    ],
  ])('%s', (_what, place, part) => {
    expect(isUnseen(place, part)).toBe(false);
  });

  it('and a plain text file is read as text', () => {
    const source = { type: 'base64', media_type: 'text/plain', data: WORDS };
    const { request } = parsed({ ...CLAUDE, body: CLAUDE.body(document(source)) });
    expect(request.texts.map(({ text }) => text)).toContain('plain words');
    expect(
      parsed({ body: chat('openai').body(file('data:text/plain,plain%20words')) }).request.texts,
    ).toMatchObject([{ text: 'f' }, { text: 'plain words' }]);
  });
});

describe('the schema of a tool', () => {
  const names = Array.from({ length: 60 }, (_, index) => `fieldNumber${String(index)}`);
  const definition = (...more: readonly string[]): JsonObject => ({
    tools: [
      {
        type: 'function',
        function: {
          name: 'save',
          parameters: { properties: Object.fromEntries([...names, ...more].map((name) => [name, {}])) },
        },
      },
    ],
  });

  it('is read with any number of members', () => {
    expect(isUnseen(members('openai', '/v1/chat/completions', { messages: [] }), definition())).toBe(false);
  });

  it('is not read if a name is encoded bytes', () => {
    const encoded = Buffer.from(Array.from({ length: 600 }, (_, index) => (index * 7919) % 251)).toString(
      'base64url',
    );
    const place = members('openai', '/v1/chat/completions', { messages: [] });
    expect(isUnseen(place, definition(encoded))).toBe(true);
  });
});
