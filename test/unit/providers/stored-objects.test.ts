import { describe, expect, it } from 'vitest';
import type { ObjectNames } from '../../../src/providers/descriptor.ts';
import { isPlainAddress } from '../../../src/providers/cloud-storage.ts';
import { bedrock } from '../../../src/providers/bedrock.ts';
import { together } from '../../../src/providers/together.ts';
import { vllm } from '../../../src/providers/vllm.ts';
import { xai } from '../../../src/providers/xai.ts';
import { objectsInTexts } from '../../../src/providers/objects-in-texts.ts';
import { objectsIn, type ObjectsWanted } from '../../../src/providers/objects-in-answers.ts';
import { namedObjects, objectsInPath } from '../../../src/providers/stored-objects.ts';
import { runNow } from '../../../src/turns.ts';

const FILE = 'file-9aT3xYz81LmNop';
const GOOGLES: ObjectNames = { storage: ['googleapis.com'] };

function named(body: object, isUnknown = false, names: ObjectNames = GOOGLES): string[] {
  return runNow(namedObjects({ ...body }, { isUnknown, names, isRemoved: () => false })).map(({ id }) => id);
}

describe('a request names', () => {
  it.each<[string, object, string[]]>([
    ['a response', { previous_response_id: 'resp_1' }, ['resp_1']],
    ['a conversation', { conversation: 'conv_1' }, ['conv_1']],
    ['a conversation as an object', { conversation: { id: 'conv_1' } }, ['conv_1']],
    ['files in a list', { tools: [{ container: { type: 'auto', file_ids: ['f1', 'f2'] } }] }, ['f1', 'f2']],
    ['vector stores', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }, ['vs_1']],
    ['an item', { input: [{ type: 'item_reference', id: 'msg_1' }] }, ['msg_1']],
    ['an item without a type', { input: [{ id: 'msg_1' }] }, ['msg_1']],
    ['reasoning without its text', { input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] }, ['rs_1']],
    [
      'an image by the call that made it',
      { input: [{ type: 'image_generation_call', id: 'ig_1' }] },
      ['ig_1'],
    ],
    ['audio of an earlier answer', { messages: [{ audio: { id: 'audio_1' } }] }, ['audio_1']],
    [
      'a file in the result of a tool',
      { input: [{ output: [{ type: 'input_image', file_id: 'f1' }] }] },
      ['f1'],
    ],
    ['a file in the variables of a prompt', { prompt: { variables: { a: { file_id: 'f1' } } } }, ['f1']],
    [
      'unknown members that end with file_id',
      { next_generation_file_id: 'f1', nextFileId: 'f2' },
      ['f1', 'f2'],
    ],
    ['a cache', { cachedContent: 'cachedContents/abc' }, ['abc']],
    [
      'Gemini files',
      {
        parts: [
          { fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/abc' } },
          { file_data: { file_uri: 'files/def' } },
        ],
      },
      ['abc', 'def'],
    ],
  ])('%s', (_what, body, ids) => {
    expect(named(body)).toEqual(ids);
  });

  it.each<[string, object]>([
    ['calls', { messages: [{ tool_call_id: 'call_1', tool_calls: [{ id: 'call_1' }] }] }],
    [
      'arguments of a tool call',
      { messages: [{ content: [{ type: 'tool_use', input: { file_id: 'x' } }] }] },
    ],
    ['a schema', { tools: [{ input_schema: { properties: { file_id: { const: 'x' } } } }] }],
    ['Codex’s metadata', { client_metadata: { thread_id: 't', turn_id: 'x' } }],
    ['metadata', { metadata: { user_id: 'u', file_id: 'x' }, user_id: 'u' }],
    ['tokens', { stop_token_ids: [1, 2], prompt_token_ids: [3] }],
    ['a voice', { audio: { voice: 'alloy', format: 'wav' } }],
    ['the provider’s skills', { container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } }],
    ['the program that made a call', { input: [{ type: 'function_call', caller: { caller_id: 'call_1' } }] }],
    ['browser tabs', { messages: [{ content: [{ type: 'tool_result', tabs: [{ tab_id: 't1' }] }] }] }],
    ['another address', { fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } }],
    ['complete items', { input: [{ type: 'message', id: 'm', role: 'user', content: 'x' }] }],
    [
      'encrypted reasoning',
      { input: [{ type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'g' }] },
    ],
    ['text that looks like an id', { input: FILE }],
    [
      'the tenant of Azure’s user',
      { user_security_context: { application_name: 'a', end_user_id: 'u', end_user_tenant_id: 't' } },
    ],
    [
      'the sources that an earlier answer of Cohere cites',
      {
        messages: [
          {
            role: 'assistant',
            citations: [
              { sources: [{ type: 'tool', id: 't:0', tool_output: { file_id: 'x', uri: 's3://b/k' } }] },
              { sources: [{ type: 'document', id: 'd', document: { id: 'd', doc_id: 'x' } }] },
            ],
          },
        ],
      },
    ],
  ])('nothing with %s', (_what, body) => {
    expect(named(body)).toEqual([]);
  });

  it('anything in the form of an id, if the members are unknown', () => {
    const body = { training: FILE, nested: { options: { source: 'files/abc' } }, model: 'gpt-4o-mini-2024' };
    expect(named(body, true)).toEqual([FILE, 'abc']);
    expect(named({ tool_call_id: 'call_9aT3xYz81LmNop' }, true)).toEqual([]);
  });

  it.each([
    'file-KbQzXvRtLmNpWsYdFgHjCk',
    'file-0b5d1c5e-6f0e-4d57-9d0c-2f6f3f0b1a11',
    's3://b/k',
    'GS://b/k',
  ])('an id without a digit, one with a UUID, and storage, if the members are unknown: %s', (value) => {
    expect(named({ source: value }, true)).toEqual([value]);
    expect(named({ source: value })).toEqual([]);
  });

  it('nothing by a client-chosen label, except Google’s object names', () => {
    const uuid = '0b5d1c5e-6f0e-4d57-9d0c-2f6f3f0b1a11';
    expect(named({ name: uuid, displayName: FILE, title: uuid, description: uuid }, true)).toEqual([]);
    expect(named({ file: { name: 'files/theirs' } }, true)).toEqual(['theirs']);
  });

  it('values that one provider reads as names, and not values that another lets clients choose', () => {
    const parts = [{ type: 'image_url', image_url: null, uuid: 'img-1' }];
    expect(named({ messages: [{ role: 'user', content: parts }] }, false, vllm.objects)).toEqual(['img-1']);
    expect(named({ code: 'x', session_id: 'ses_1' }, true, together.objects)).toEqual(['ses_1']);
    expect(named({ code: 'x', session_id: 'ses_1', uuid: 'img-1' })).toEqual([]);
    expect(named({ batch_requests: [{ batch_request_id: 'a' }] }, true, xai.objects)).toEqual([]);
    expect(named({ batch_requests: [{ batch_request_id: 'a' }] }, true)).toEqual(['a']);
    const start = { clientRequestToken: '0b5d1c5e-6f0e-4d57-9d0c-2f6f3f0b1a11' };
    expect(named(start, true, bedrock.objects)).toEqual([]);
  });

  it('storage by its URL, in members that contain URLs', () => {
    const at = (uri: string): string[] => named({ source: { s3Location: { uri } } });
    expect(at('s3://b/k')).toEqual(['s3://b/k']);
    expect(at(' S3://b/k')).toEqual([' S3://b/k']);
    expect(at('https://example.com/k')).toEqual([]);
    expect(named({ uris: ['gs://b/k'], gcsUri: 'gs://b/l' })).toEqual(['gs://b/k', 'gs://b/l']);
    expect(named({ text: 's3://b/k' })).toEqual([]);
  });

  it('no id by members whose names the client chose, but ids by their form', () => {
    expect(named({ schema: { order_id: '17', source: FILE }, file_id: 'f1' }, true)).toEqual([FILE, 'f1']);
  });

  it.each([
    'https://generativelanguage.googleapis.com/v1beta/files/theirs?x=/own',
    'https://generativelanguage.googleapis.com/v1beta/files/theirs#/files/own',
    'https://GenerativeLanguage.googleapis.com:443/v1/files/own',
    'files/theirs/../own',
    'files/theirs/',
    'files/theirs\\\\/own',
  ])('the whole text if it can be read in two ways: %s', (fileUri) => {
    expect(named({ fileData: { fileUri } })).toEqual([fileUri]);
  });

  it('nothing by notes, calls and people, if the members are unknown', () => {
    const uuid = '0b5d1c5e-6f0e-4d57-9d0c-2f6f3f0b1a11';
    const notes = { metadata: { run_id: uuid, job: FILE }, labels: { a: uuid }, attributes: { b: uuid } };
    const people = { user: uuid, safety_identifier: uuid, prompt_cache_key: uuid, custom_id: uuid };
    const content = [{ type: 'tool_use', id: 'toolu_01A09q90qw90lq917835lq9', name: 'f' }];
    const messages = [{ content, tool_calls: [{ id: 'call_68a7c1d2e3f405162738495a' }] }];
    expect(
      named({ requests: [{ custom_id: uuid, params: { messages } }], ...notes, ...people }, true),
    ).toEqual([]);
  });

  it('an object whose member is in another letter case', () => {
    expect(named({ FILE_ID: 'a', file_ID: 'b', VECTOR_STORE_IDS: ['c'], fileID: 'd' })).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  it('nothing in members that are not sent', () => {
    const body = { tools: [{ vector_store_ids: ['vs_1'] }], file_id: 'f1' };
    const isRemoved = (path: readonly unknown[]): boolean => path.join('.') === 'tools.0';
    expect(
      runNow(namedObjects(body, { isUnknown: false, names: {}, isRemoved })).map(({ id }) => id),
    ).toEqual(['f1']);
  });
});

const inTexts = (...texts: string[]): string[] => runNow(objectsInTexts(texts, GOOGLES)).map(({ id }) => id);

it('a file names objects in JSON, in fields of a form and in queries', () => {
  const texts = [
    '{"body": {"previous_response_id" : "resp_1"}}',
    'name="file_id"\r\n\r\nfile-1\r\n',
    'batch_id=b1',
    `{"new_file_id": "${FILE}"`,
    '{"file": {"name" : "files/chosen"}}',
  ];
  expect(inTexts(...texts)).toEqual(['resp_1', 'file-1', 'b1', FILE, 'chosen']);
});

it.each([
  '{"custom_id": "1"}',
  'an idea: file ideas',
  'order_id,17 order_id=17',
  '{"order_id":"0b5d1c5e-6f0e-4d57-9d0c-2f6f3f0b1a11"}',
  '{"payment_id":"pi_3MtwBwLkdIwHu7ix28a3tqPa"}',
  '{"body":{"messages":[{"tool_call_id":"call_68a7c1d2e3f4051627"}]}}',
  '{"fileUri":"https://www.youtube.com/watch"}',
])('a file names no object in %s', (text) => {
  expect(inTexts(text)).toEqual([]);
});

it.each([
  '{"custom_id":"1","body":{"tools":[{"vector_store_ids":["them"]}]}}',
  '{"custom_id":"1","body":{"conversation":{"id":"them"}}}',
  '{"custom_id":"1","body":{"input":[{"type":"item_reference","id":"them"}]}}',
  '{"custom_id":"1","body":{"messages":[{"role":"assistant","audio":{"id":"them"}}]}}',
  '{"custom_id":"1","params":{"container":{"id":"them"}}}',
  '{"key":"1","request":{"contents":[{"parts":[{"fileData":{"fileUri":"files/them"}}]}]}}',
])('a line of a batch names an object as a request does: %s', (line) => {
  expect(inTexts(`--b\r\n\r\n{"custom_id":"0"}\n ${line}\r\n--b--`)).toEqual(['them']);
  expect(inTexts(`{"custom_id":"0"}\u2028${line}`)).toEqual(['them']);
});

it.each([
  '{"custom_id":"1","body":{"file_ids":["them"],"file_ids":["mine"]}}',
  '{"custom_id":"1","body":{"\\u0066ile_ids":["them"]}}',
  `{"custom_id":"1","body":${'['.repeat(300)}${']'.repeat(300)}}`,
])('a line of a batch that parsers may read differently is refused: %s', (line) => {
  expect(() => inTexts(line)).toThrow('can be read in several ways');
});

it('a path names objects in its open segments, except an action at the end of a POST', () => {
  const ids = (method: string, ...segments: string[]): string[] =>
    objectsInPath({ method, path: `/${segments.join('/')}`, open: segments, names: {} }).map(({ id }) => id);
  expect(ids('GET', 'v1', FILE)).toEqual([FILE]);
  expect(ids('GET', 'letters')).toEqual(['letters']);
  expect(ids('POST', 'batch_1', 'cancel')).toEqual(['batch_1']);
  expect(ids('POST', 'abc:download')).toEqual(['abc']);
});

it('an answer has the ids of the objects that it stored, or only references', () => {
  const answer = {
    id: 'resp_1',
    output: [{ id: 'msg_1', content: [{ annotations: [{ file_id: 'cfile_1' }] }], call_id: 'call_1' }],
    container: { id: 'cntr_1' },
    audio: { id: 'audio_1', data: 'AAAA' },
    data: [{ id: 'file-9aT3xYz81LmNop' }],
    file: { name: 'files/abc' },
  };
  const idsOf = (wanted: ObjectsWanted): readonly string[] => runNow(objectsIn(answer, wanted, {}));
  expect(idsOf('all')).toEqual(['resp_1', 'msg_1', 'cfile_1', 'cntr_1', 'audio_1', FILE]);
  expect(idsOf('references')).toEqual(['cfile_1', 'cntr_1', 'audio_1']);
  expect(idsOf('outside_lists')).toEqual(['resp_1', 'msg_1', 'cfile_1', 'cntr_1', 'audio_1', 'abc']);
});

it('an answer gives no id that a client or a model wrote', () => {
  const theirs = 'file-9aT3xYz81LmNop';
  const answer = {
    metadata: { file_id: theirs },
    tools: [{ id: theirs, parameters: { properties: { file_id: { const: theirs } } } }],
    prompt: { id: theirs },
    instructions: [{ id: theirs }],
    response: { metadata: { file_id: theirs } },
    content: [{ type: 'tool_use', input: { file_id: theirs } }],
    message: { tool_calls: [{ function: { arguments: { file_id: theirs } } }] },
    candidates: [{ content: { parts: [{ functionCall: { args: { file_id: theirs } } }] } }],
    results: [{ attributes: { file_id: theirs } }],
    citations: [{ sources: [{ document: { file_id: theirs }, tool_output: { file_id: theirs } }] }],
  };
  for (const wanted of ['all', 'references', 'outside_lists'] as const)
    expect(runNow(objectsIn(answer, wanted, {}))).toEqual([]);
  const made = { id: 'vs_1', filename: theirs, name: `files/${theirs}`, displayName: theirs, user: theirs };
  expect(runNow(objectsIn(made, 'outside_lists', {}))).toEqual(['vs_1']);
});

it('an answer of an unknown endpoint has the items of a response, and the files of a batch', () => {
  const idsOf = (answer: object): readonly string[] => runNow(objectsIn(answer, 'outside_lists', {}));
  expect(idsOf({ id: 'resp_1', output: [{ type: 'reasoning', id: 'rs_1' }] })).toEqual(['resp_1', 'rs_1']);
  const file = '0b5d1c5e-6f0e-4d57-9d0c-2f6f3f0b1a11';
  expect(idsOf({ id: 'job', output_file: file })).toEqual(['job', file]);
  expect(idsOf({ name: 'batches/b1', response: { responsesFile: 'files/f1' } })).toEqual(['b1', 'f1']);
  expect(idsOf({ request_id: 'r1' })).toEqual(['r1']);
  const written = [{ type: 'message.output', content: [{ type: 'tool_file', file_id: file }] }];
  expect(idsOf({ conversation_id: 'c1', outputs: written })).toEqual(['c1', file]);
});

it.each<[string, boolean]>([
  ['file-1/../2', true],
  ['s3://b/a..b/my file.pdf', true],
  ['s3://b/./k', false],
  ['s3://b/..', false],
  ['s3://b/..?x', false],
  ['https://b/%2E./k', false],
  ['https://b/a%2Fk', false],
  ['https://b/a\\k', false],
  ['https://b/.\t./k', false],
])('a URL is compared with globs only if every parser reads it as written: %s', (id, isPlain) => {
  expect(isPlainAddress(id)).toBe(isPlain);
});
