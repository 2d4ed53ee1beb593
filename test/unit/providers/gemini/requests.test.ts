import { describe, expect, it } from 'vitest';
import { geminiCountTokens, geminiEmbed } from '../../../../src/providers/dialects/gemini-generate.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { ENDPOINT, read } from './rig.ts';
import { wordsOf, expectPathsToHold, placedWordsOf } from '../../../support/request-facts.ts';

const IN_CAMEL: JsonObject = {
  systemInstruction: { parts: [{ text: 'sys' }] },
  contents: [
    { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
    {
      role: 'model',
      parts: [
        { text: 'hm', thought: true },
        { functionCall: { name: 'f', args: { city: 'Bonn' } }, thoughtSignature: 'SIG' },
        { executableCode: { language: 'PYTHON', code: 'print(1)' } },
        { codeExecutionResult: { outcome: 'OK', output: 'one' } },
      ],
    },
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: { weather: 'rain' } } }] },
  ],
  generationConfig: { maxOutputTokens: 50, candidateCount: 2 },
  tools: [{ functionDeclarations: [{ name: 'f', description: 'does' }] }],
};

const IN_SNAKE: JsonObject = {
  system_instruction: { parts: [{ text: 'sys' }] },
  contents: [
    { role: 'user', parts: [{ text: 'hi' }, { inline_data: { mime_type: 'image/png', data: 'AAAA' } }] },
    {
      role: 'model',
      parts: [
        { text: 'hm', thought: true },
        { function_call: { name: 'f', args: { city: 'Bonn' } }, thought_signature: 'SIG' },
        { executable_code: { language: 'PYTHON', code: 'print(1)' } },
        { code_execution_result: { outcome: 'OK', output: 'one' } },
      ],
    },
    { role: 'user', parts: [{ function_response: { name: 'f', response: { weather: 'rain' } } }] },
  ],
  generation_config: { max_output_tokens: 50, candidate_count: 2 },
  tools: [{ function_declarations: [{ name: 'f', description: 'does' }] }],
};

describe.each([
  ['camelCase', IN_CAMEL],
  ['snake_case', IN_SNAKE],
])('gemini requests in %s', (_, body) => {
  it('are read in every place with text', () => {
    const words = wordsOf(read(body));
    for (const expected of [
      'system text: sys',
      'user text: hi',
      'assistant reasoning: hm',
      'assistant reasoning: SIG',
      'assistant tool_arguments: Bonn',
      'assistant tool_arguments: print(1)',
      'tool tool_result: one',
      'tool tool_result: rain',
      'system tool_definition: does',
    ]) {
      expect(words).toContain(expected);
    }
  });

  it('give the path of each editable text', () => {
    expectPathsToHold(read(body), body);
  });

  it('report tools, media, limit and number of candidates', () => {
    const facts = read(body);
    expect(facts.tools).toEqual(['f']);
    expect(facts.hostedTools).toEqual([]);
    expect(facts.media).toEqual([{ kind: 'image', source: 'inline', data: 'AAAA', mimeType: 'image/png' }]);
    expect(facts.output?.tokens).toBe(50);
    expect(facts.choices).toBe(2);
  });
});

describe('gemini requests', () => {
  it('refuse a member in both spellings', () => {
    expect(() => read({ systemInstruction: 'a', system_instruction: 'b' })).toThrow(/both/);
    expect(() => read({ generationConfig: { maxOutputTokens: 1, max_output_tokens: 100000 } })).toThrow(
      /both/,
    );
    expect(() =>
      read({
        contents: [{ parts: [{ inlineData: { mimeType: 'image/png', mime_type: 'text/plain', data: '' } }] }],
      }),
    ).toThrow(/both/);
  });

  it('treat a limit of 0 as absent, as the protocol does', () => {
    expect(read({ generationConfig: { maxOutputTokens: 0 } }).output?.tokens).toBeUndefined();
  });

  it('treat video above one frame per second as unbounded', () => {
    const film = (more: JsonObject) =>
      read({ contents: [{ parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' }, ...more }] }] })
        .media;
    expect(film({ videoMetadata: { fps: 24 } })).toContainEqual({ kind: 'video', source: 'id' });
    expect(film({ video_metadata: { fps: 24 } })).toContainEqual({ kind: 'video', source: 'id' });
    expect(film({ videoMetadata: { fps: 1 } })).toHaveLength(1);
  });

  it('set the limit in the client’s spelling', () => {
    expect(read({}).output?.set(5)).toEqual([
      { kind: 'set', path: ['generationConfig'], value: { maxOutputTokens: 5 } },
    ]);
    expect(read({ generation_config: { temperature: 1 } }).output?.set(5)).toEqual([
      { kind: 'set', path: ['generation_config', 'maxOutputTokens'], value: 5 },
    ]);
    expect(read({ generation_config: { max_output_tokens: 9 } }).output?.set(5)).toEqual([
      { kind: 'set', path: ['generation_config', 'max_output_tokens'], value: 5 },
    ]);
  });

  it('read a single content, part or string instead of a list', () => {
    expect(placedWordsOf(read({ contents: { parts: { text: 'one' } } }))).toEqual([
      'user text contents.parts.text: one',
    ]);
    expect(placedWordsOf(read({ contents: { parts: 'one' } }))).toEqual(['user text contents.parts: one']);
  });

  it('read text in an inline file', () => {
    const data = Buffer.from('hidden words').toString('base64');
    const facts = read({ contents: [{ parts: [{ inlineData: { mimeType: 'text/plain', data } }] }] });
    expect(facts.texts[0]).toMatchObject({ text: 'hidden words', editable: false });
    expect(facts.media).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['a cached prompt', { cachedContent: 'cachedContents/1' }],
    ['a cached prompt in snake case', { cached_content: 'cachedContents/1' }],
    [
      'a stored file',
      { contents: [{ parts: [{ fileData: { fileUri: 'https://g.test/v1beta/files/1' } }] }] },
    ],
  ])('report %s as unseen', (_, body) => {
    expect(read(body).unseenContent).toBe(true);
  });

  it.each([
    'googleSearch',
    'google_search',
    'googleSearchRetrieval',
    'codeExecution',
    'urlContext',
    'googleMaps',
    'fileSearch',
    'mcpServers',
    'somethingNew',
  ])('treat %s as a tool that the provider runs', (name) => {
    const facts = read({ tools: [{ [name]: {} }] });
    expect(facts.hostedTools).toHaveLength(1);
    expect(facts.hostedTools[0]?.type).toBe(name === 'google_search' ? 'googleSearch' : name);
    expect(facts.hostedTools[0]?.remove).toEqual([{ kind: 'remove', path: ['tools', 0] }]);
  });

  it('remove a provider tool from an object that also declares functions', () => {
    const facts = read({ tools: [{ functionDeclarations: [{ name: 'f' }], googleSearch: {} }] });
    expect(facts.tools).toEqual(['f']);
    expect(facts.hostedTools[0]?.remove).toEqual([{ kind: 'remove', path: ['tools', 0, 'googleSearch'] }]);
  });

  it('leave computer use to the client', () => {
    const facts = read({ tools: [{ computerUse: { environment: 'ENVIRONMENT_BROWSER' } }] });
    expect(facts.hostedTools).toEqual([]);
    expect(facts.tools).toEqual(['computer_use']);
  });

  it('cannot bound a priority tier, and include a second model in the body', () => {
    expect(read({ serviceTier: 'priority' }).unbounded).toBe('serviceTier "priority"');
    expect(read({ serviceTier: 'flex' }).unbounded).toBeUndefined();
    expect(read({ model: 'models/gemini-dear' }).models).toEqual(['gemini-x', 'gemini-dear']);
    expect(read({ model: 'models/gemini-x' }).models).toEqual(['gemini-x']);
  });

  it.each<[string, JsonObject]>([
    ['maxOutputTokens', { generationConfig: { maxOutputTokens: '100' } }],
    ['generationConfig', { generationConfig: [] }],
    ['tools', { tools: ['x'] }],
    ['content', { contents: [7] }],
  ])('refuse a %s of the wrong type', (name, body) => {
    expect(() => read(body)).toThrow(`"${name}"`);
  });

  it('of countTokens are read in both forms', () => {
    const inner = { contents: [{ parts: [{ text: 'a' }] }], tools: [{ googleSearch: {} }] };
    const facts = geminiCountTokens.request({ generateContentRequest: inner }, ENDPOINT);
    expect(placedWordsOf(facts)).toContain('user text generateContentRequest.contents.0.parts.0.text: a');
    expect(facts.hostedTools[0]?.remove).toEqual([
      { kind: 'remove', path: ['generateContentRequest', 'tools', 0] },
    ]);
    expect(facts.output).toBeUndefined();
  });

  it('of embeddings are read one by one, with their models', () => {
    const requests = [
      { model: 'models/gemini-x', content: { parts: [{ text: 'a' }] } },
      { model: 'models/other', content: { parts: [{ text: 'b' }] } },
    ];
    const facts = geminiEmbed.request({ requests }, ENDPOINT);
    expect(facts.texts.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(facts.models).toEqual(['gemini-x', 'other']);
  });
});
