import { describe, expect, it } from 'vitest';
import {
  namedObjects,
  objectsIn,
  objectsInPath,
  objectsInTexts,
  type ObjectsWanted,
} from '../../../src/providers/stored-objects.ts';
import { runNow } from '../../../src/turns.ts';

const FILE = 'file-9aT3xYz81LmNop';

function named(body: object, isUnknown = false): string[] {
  return runNow(namedObjects({ ...body }, { isUnknown, isRemoved: () => false })).map(({ id }) => id);
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
    ['an image by its call', { input: [{ type: 'image_generation_call', id: 'ig_1' }] }, ['ig_1']],
    ['sound of an earlier answer', { messages: [{ audio: { id: 'audio_1' } }] }, ['audio_1']],
    [
      'a file in the result of a tool',
      { input: [{ output: [{ type: 'input_image', file_id: 'f1' }] }] },
      ['f1'],
    ],
    ['a file in the variables of a prompt', { prompt: { variables: { a: { file_id: 'f1' } } } }, ['f1']],
    ['a member of tomorrow', { next_generation_file_id: 'f1', nextFileId: 'f2' }, ['f1', 'f2']],
    ['a cache', { cachedContent: 'cachedContents/abc' }, ['abc']],
    [
      'files of Google’s',
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
    ['arguments of a call', { messages: [{ content: [{ type: 'tool_use', input: { file_id: 'x' } }] }] }],
    ['a schema', { tools: [{ input_schema: { properties: { file_id: { const: 'x' } } } }] }],
    ['metadata', { metadata: { user_id: 'u', file_id: 'x' }, user_id: 'u' }],
    ['tokens', { stop_token_ids: [1, 2], prompt_token_ids: [3] }],
    ['a voice', { audio: { voice: 'alloy', format: 'wav' } }],
    ['an address elsewhere', { fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } }],
    ['whole items', { input: [{ type: 'message', id: 'm', role: 'user', content: 'x' }] }],
    ['sealed reasoning', { input: [{ type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'g' }] }],
    ['words that look like an id', { input: FILE }],
  ])('nothing with %s', (_what, body) => {
    expect(named(body)).toEqual([]);
  });

  it('anything in the form of an id, where the members are unknown', () => {
    const body = { training: FILE, nested: { metadata: { source: 'files/abc' } }, model: 'gpt-4o-mini-2024' };
    expect(named(body, true)).toEqual([FILE, 'abc']);
    expect(named({ tool_call_id: 'call_9aT3xYz81LmNop' }, true)).toEqual([]);
  });

  it('no id of its own under names that are the client’s, but ids by their form', () => {
    expect(named({ attributes: { order_id: '17', source: FILE }, file_id: 'f1' }, true)).toEqual([
      FILE,
      'f1',
    ]);
  });

  it.each([
    'https://generativelanguage.googleapis.com/v1beta/files/theirs?x=/own',
    'https://generativelanguage.googleapis.com/v1beta/files/theirs#/files/own',
    'https://GenerativeLanguage.googleapis.com:443/v1/files/own',
    'files/theirs/../own',
    'files/theirs/',
    'files/theirs\\\\/own',
  ])('the whole of what could be read in two ways: %s', (fileUri) => {
    expect(named({ fileData: { fileUri } })).toEqual([fileUri]);
  });

  it('an object whose member is written in other case', () => {
    expect(named({ FILE_ID: 'a', file_ID: 'b', VECTOR_STORE_IDS: ['c'], fileID: 'd' })).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });

  it('nothing that will not be sent', () => {
    const body = { tools: [{ vector_store_ids: ['vs_1'] }], file_id: 'f1' };
    const isRemoved = (path: readonly unknown[]): boolean => path.join('.') === 'tools.0';
    expect(runNow(namedObjects(body, { isUnknown: false, isRemoved })).map(({ id }) => id)).toEqual(['f1']);
  });
});

it('a file names objects in JSON, in fields of a form and in queries', () => {
  const texts = [
    '{"body": {"previous_response_id" : "resp_1"}}',
    'name="file_id"\r\n\r\nfile-1\r\n',
    'batch_id=b1',
  ];
  expect(objectsInTexts(texts).map(({ id }) => id)).toEqual(['resp_1', 'file-1', 'b1']);
  expect(objectsInTexts(['{"custom_id": "1"}', 'an idea: file ideas', 'order_id,17 order_id=17'])).toEqual(
    [],
  );
});

it('a path names objects in its open segments, except an action at the end of a POST', () => {
  const ids = (method: string, ...segments: string[]): string[] =>
    objectsInPath(method, segments).map(({ id }) => id);
  expect(ids('GET', 'v1', FILE)).toEqual([FILE]);
  expect(ids('GET', 'letters')).toEqual(['letters']);
  expect(ids('POST', 'batch_1', 'cancel')).toEqual(['batch_1']);
  expect(ids('POST', 'abc:download')).toEqual(['abc']);
});

it('an answer has ids of what it stored, or only references', () => {
  const answer = {
    id: 'resp_1',
    output: [{ id: 'msg_1', content: [{ annotations: [{ file_id: 'cfile_1' }] }], call_id: 'call_1' }],
    container: { id: 'cntr_1' },
    audio: { id: 'audio_1', data: 'AAAA' },
    data: [{ id: 'file-9aT3xYz81LmNop' }],
    name: 'cachedContents/abc',
  };
  const idsOf = (wanted: ObjectsWanted): readonly string[] => runNow(objectsIn(answer, wanted));
  expect(idsOf('all')).toEqual(['resp_1', 'msg_1', 'cfile_1', 'cntr_1', 'audio_1', FILE]);
  expect(idsOf('references')).toEqual(['cfile_1', 'cntr_1', 'audio_1']);
  expect(idsOf('outside_lists')).toEqual(['resp_1', 'cntr_1', 'audio_1', 'abc']);
});
