import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import {
  geminiCountTokens,
  geminiEmbed,
  geminiGenerate,
} from '../../../src/providers/dialects/gemini-generate.ts';
import { gemini } from '../../../src/providers/gemini.ts';
import type { Endpoint, JsonObject, RequestFacts } from '../../../src/providers/provider.ts';
import { jsonArray } from '../../../src/streams/json-array.ts';
import { sse } from '../../../src/streams/sse.ts';
import { readCutAtEachByte } from '../../support/read-stream.ts';

const ENDPOINT: Endpoint = { operation: 'chat', dialect: geminiGenerate, model: 'gemini-x' };

function read(body: JsonObject): RequestFacts {
  return geminiGenerate.request(body, ENDPOINT);
}

function texts(facts: RequestFacts): string[] {
  return facts.texts.map(({ role, kind, text, path }) => `${role} ${kind} ${path.join('.')}: ${text}`);
}

describe('gemini endpoints', () => {
  it.each([
    ['POST', '/v1beta/models/gemini-2.5-flash:generateContent', 'chat'],
    ['POST', '/v1/models/gemini-2.5-flash:streamGenerateContent', 'chat'],
    ['POST', '/v1beta/models/gemini-2.5-flash:countTokens', 'count_tokens'],
    ['POST', '/v1beta/models/gemini-embedding-001:embedContent', 'embeddings'],
    ['POST', '/v1beta/models/gemini-embedding-001:batchEmbedContents', 'embeddings'],
    ['POST', '/v1beta/openai/chat/completions', 'chat'],
    ['POST', '/v1beta/openai/embeddings', 'embeddings'],
    ['GET', '/v1beta/models', 'models'],
    ['GET', '/v1beta/models/gemini-2.5-flash', 'models'],
    ['GET', '/v1beta/openai/models', 'models'],
  ])('reads %s %s as %s', (method, path, operation) => {
    expect(gemini.endpoint(method, path)?.operation).toBe(operation);
  });

  it.each([
    ['POST', '/v1beta/tunedModels/mine:generateContent'],
    ['POST', '/v1beta/models/gemini-x:batchGenerateContent'],
    ['POST', '/v1beta/models/imagen-4:predict'],
    ['POST', '/v1beta/models/gemini-x%3AgenerateContent'],
    ['POST', '/v1beta/models/a/b:generateContent'],
    ['POST', '/v1beta/cachedContents'],
    ['GET', '/v1beta/files'],
  ])('does not read %s %s', (method, path) => {
    expect(gemini.endpoint(method, path)).toBeUndefined();
  });

  it('takes the model from the path', () => {
    expect(gemini.endpoint('POST', '/v1beta/models/gemini-2.5-flash:generateContent')?.model).toBe(
      'gemini-2.5-flash',
    );
  });

  it.each([
    ['?alt=sse', undefined],
    ['?prettyPrint=false&alt=sse', undefined],
    ['', 'json-array'],
    ['?alt=json', 'json-array'],
  ])('knows the form of a stream with the query %j', (query, format) => {
    const endpoint = gemini.endpoint('POST', '/v1beta/models/gemini-x:streamGenerateContent', query);
    expect(endpoint).toBeDefined();
    expect(endpoint?.streamFormat).toBe(format);
  });

  it.each([
    '?alt=sse&alt=json',
    '?alt=proto',
    '?$alt=json&alt=sse',
    '?fields=candidates',
    '?%24fields=candidates',
    '?$httpMethod=DELETE',
    '?$ct=application/x-protobuf',
    '?callback=f',
  ])('reads nothing with the query %j, which changes what Google does or answers', (query) => {
    for (const path of ['/v1beta/models/gemini-x:streamGenerateContent', '/v1beta/openai/chat/completions']) {
      expect(gemini.endpoint('POST', path, query)).toBeUndefined();
    }
  });

  it('sends API keys and OAuth tokens where Google wants each', () => {
    expect(gemini.credential('AIzaX')).toMatchObject({ name: 'x-goog-api-key', value: 'AIzaX' });
    expect(gemini.credential('ya29.x')).toMatchObject({ name: 'authorization', value: 'Bearer ya29.x' });
    expect(() => gemini.credential('a\nb')).toThrow(GatewayError);
  });
});

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
  it('are read in every place where text hides', () => {
    const words = read(body).texts.map(({ role, kind, text }) => `${role} ${kind}: ${text}`);
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

  it('say of each editable text exactly where its string stands', () => {
    for (const { text, path, editable } of read(body).texts) {
      if (editable === false) continue;
      const at = path.reduce<unknown>(
        (value, step) => (value as Record<string | number, unknown>)[step],
        body,
      );
      expect(at).toBe(text);
    }
  });

  it('give tools, media, limit and number of candidates', () => {
    const facts = read(body);
    expect(facts.tools).toEqual(['f']);
    expect(facts.providerTools).toEqual([]);
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

  it('take a limit of 0 for none, as a protocol does that cannot tell it from nothing', () => {
    expect(read({ generationConfig: { maxOutputTokens: 0 } }).output?.tokens).toBeUndefined();
  });

  it('count film at more than a frame a second as the largest', () => {
    const film = (more: JsonObject) =>
      read({ contents: [{ parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' }, ...more }] }] })
        .media;
    expect(film({ videoMetadata: { fps: 24 } })).toContainEqual({ kind: 'video', source: 'url' });
    expect(film({ video_metadata: { fps: 24 } })).toContainEqual({ kind: 'video', source: 'url' });
    expect(film({ videoMetadata: { fps: 1 } })).toHaveLength(1);
  });

  it('set the limit in the spelling that is there', () => {
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

  it('read a single content, part or string where a list is usual', () => {
    expect(texts(read({ contents: { parts: { text: 'one' } } }))).toEqual([
      'user text contents.parts.text: one',
    ]);
    expect(texts(read({ contents: { parts: 'one' } }))).toEqual(['user text contents.parts: one']);
  });

  it('read text that comes as an inline file', () => {
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
  ])('know that %s stays unseen', (_, body) => {
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
  ])('take %s for a tool that the provider runs', (name) => {
    const facts = read({ tools: [{ [name]: {} }] });
    expect(facts.providerTools).toHaveLength(1);
    expect(facts.providerTools[0]?.type).toBe(name === 'google_search' ? 'googleSearch' : name);
    expect(facts.providerTools[0]?.remove).toEqual([{ kind: 'remove', path: ['tools', 0] }]);
  });

  it('take a provider tool out of an object that also declares functions', () => {
    const facts = read({ tools: [{ functionDeclarations: [{ name: 'f' }], googleSearch: {} }] });
    expect(facts.tools).toEqual(['f']);
    expect(facts.providerTools[0]?.remove).toEqual([{ kind: 'remove', path: ['tools', 0, 'googleSearch'] }]);
  });

  it('leave computer use to the client', () => {
    const facts = read({ tools: [{ computerUse: { environment: 'ENVIRONMENT_BROWSER' } }] });
    expect(facts.providerTools).toEqual([]);
    expect(facts.tools).toEqual(['computer_use']);
  });

  it('cannot bound a priority tier, and judge a second model in the body', () => {
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

  it('of countTokens are read whole or inside', () => {
    const inner = { contents: [{ parts: [{ text: 'a' }] }], tools: [{ googleSearch: {} }] };
    const facts = geminiCountTokens.request({ generateContentRequest: inner }, ENDPOINT);
    expect(texts(facts)).toContain('user text generateContentRequest.contents.0.parts.0.text: a');
    expect(facts.providerTools[0]?.remove).toEqual([
      { kind: 'remove', path: ['generateContentRequest', 'tools', 0] },
    ]);
    expect(facts.output).toBeUndefined();
  });

  it('of embeddings are read one by one, with the model that each names', () => {
    const requests = [
      { model: 'models/gemini-x', content: { parts: [{ text: 'a' }] } },
      { model: 'models/other', content: { parts: [{ text: 'b' }] } },
    ];
    const facts = geminiEmbed.request({ requests }, ENDPOINT);
    expect(facts.texts.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(facts.models).toEqual(['gemini-x', 'other']);
  });
});

describe('gemini answers', () => {
  it.each<[string, JsonObject, JsonObject | undefined]>([
    [
      'thoughts, cached and tool tokens',
      {
        promptTokenCount: 100,
        cachedContentTokenCount: 40,
        candidatesTokenCount: 10,
        thoughtsTokenCount: 5,
        toolUsePromptTokenCount: 7,
        totalTokenCount: 122,
      },
      { inputTokens: 107, outputTokens: 15, cacheReadTokens: 40, reasoningTokens: 5 },
    ],
    [
      'audio by modality',
      {
        promptTokenCount: 30,
        candidatesTokenCount: 8,
        promptTokensDetails: [
          { modality: 'AUDIO', tokenCount: 25 },
          { modality: 'TEXT', tokenCount: 5 },
        ],
        candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 8 }],
      },
      { inputTokens: 30, outputTokens: 8, inputAudioTokens: 25, outputAudioTokens: 8 },
    ],
    ['a count left out for zero', { promptTokenCount: 3 }, { inputTokens: 3, outputTokens: 0 }],
    ['a negative count', { promptTokenCount: 3, candidatesTokenCount: -1 }, undefined],
    ['nothing', {}, undefined],
  ])('with %s are billed right', (_, usageMetadata, expected) => {
    const { usage } = geminiGenerate.answer({ usageMetadata });
    if (expected === undefined) expect(usage).toBeUndefined();
    else expect(usage).toMatchObject(expected);
  });

  it('are read for text, thoughts, calls and code', () => {
    const parts = [
      { text: 'hm', thought: true },
      { text: 'hello' },
      { functionCall: { name: 'f', args: { a: 'b' } } },
      { executableCode: { code: 'print(1)' } },
    ];
    const found = geminiGenerate.answer({ candidates: [{ content: { parts } }] }).texts;
    expect(
      found.filter((text) => text.editable === undefined).map(({ kind, text }) => `${kind}: ${text}`),
    ).toEqual([
      'reasoning: hm',
      'text: hello',
      'tool_arguments: f',
      'tool_arguments: b',
      'tool_arguments: print(1)',
    ]);
  });
});

const RESPONSES = [
  {
    candidates: [{ content: { parts: [{ text: 'hm', thought: true }] }, index: 0 }],
    usageMetadata: { promptTokenCount: 9 },
  },
  { candidates: [{ content: { parts: [{ text: 'Grüße ' }] }, index: 0 }] },
  {
    candidates: [{ content: { parts: [{ text: '🙂 "]"' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4, thoughtsTokenCount: 2 },
  },
];

const EXPECTED = {
  texts: { '0/reasoning': 'hm', '0/text': 'Grüße 🙂 "]"' },
  usage: { inputTokens: 9, outputTokens: 6, cacheReadTokens: 0, reasoningTokens: 2 },
  done: true,
  failed: false,
};

describe('gemini streams', () => {
  it('as SSE say the same wherever the bytes are cut', () => {
    const bytes = Buffer.from(RESPONSES.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`).join(''));
    expect(readCutAtEachByte(sse, geminiGenerate.stream, bytes)).toEqual([EXPECTED]);
  });

  it('as a JSON array say the same wherever the bytes are cut', () => {
    const bytes = Buffer.from(JSON.stringify(RESPONSES, undefined, 1));
    expect(readCutAtEachByte(jsonArray, geminiGenerate.stream, bytes)).toEqual([EXPECTED]);
  });

  it('are complete only when every candidate is', () => {
    const reader = geminiGenerate.stream();
    function say(candidates: readonly JsonObject[]) {
      const data = JSON.stringify({ candidates });
      return reader?.read({ raw: Buffer.from(data), data }).done;
    }
    expect(say([{ index: 0 }, { index: 1 }])).toBeUndefined();
    expect(say([{ index: 0, finishReason: 'STOP' }])).toBeUndefined();
    expect(say([{ index: 1, finishReason: 'STOP' }])).toBe(true);
  });

  it('are complete when the prompt was blocked, and failed on an error', () => {
    const read = (data: string) => geminiGenerate.stream()?.read({ raw: Buffer.from(data), data });
    expect(read('{"promptFeedback":{"blockReason":"SAFETY"}}')?.done).toBe(true);
    expect(read('{"error":{"code":503}}')?.failed).toBe(true);
  });
});
