import { describe, expect, it } from 'vitest';
import { cohere } from '../../../src/providers/cohere.ts';
import { cohereChatV1, cohereChatV2 } from '../../../src/providers/dialects/cohere-chat.ts';
import { cohereEmbed, cohereRerank } from '../../../src/providers/dialects/cohere-search.ts';
import type { Dialect, Endpoint, JsonObject, RequestFacts } from '../../../src/providers/provider.ts';
import { ndjson } from '../../../src/streams/ndjson.ts';
import { sse } from '../../../src/streams/sse.ts';
import { readCutAtEachByte } from '../../support/read-stream.ts';
import { wordsOf, expectPathsToHold } from '../../support/request-facts.ts';

const ENDPOINT: Endpoint = { operation: 'chat', dialect: cohereChatV2 };

function read(dialect: Dialect, body: JsonObject): RequestFacts {
  return dialect.request({ model: 'command-x', ...body }, ENDPOINT);
}

describe('cohere endpoints', () => {
  it.each([
    ['POST', '/v2/chat', 'chat'],
    ['POST', '/v1/chat', 'chat'],
    ['POST', '/v2/embed', 'embeddings'],
    ['POST', '/v1/rerank', 'rerank'],
    ['POST', '/v1/tokenize', 'count_tokens'],
    ['POST', '/compatibility/v1/chat/completions', 'chat'],
    ['GET', '/v1/models', 'models'],
    ['GET', '/v1/models/command-x', 'models'],
  ])('reads %s %s as %s', (method, path, operation) => {
    expect(cohere.endpoint(method, path)?.operation).toBe(operation);
  });

  it.each([
    ['POST', '/v1/generate'],
    ['POST', '/v1/detokenize'],
    ['POST', '/v1/connectors'],
    ['POST', '/v1/datasets'],
    ['GET', '/v2/chat'],
  ])('does not read %s %s', (method, path) => {
    expect(cohere.endpoint(method, path)).toBeUndefined();
  });
});

describe('cohere v2 chat requests', () => {
  const body: JsonObject = {
    messages: [
      { role: 'system', content: 'sys' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
        ],
      },
      {
        role: 'assistant',
        tool_plan: 'plan',
        tool_calls: [{ id: 't', type: 'function', function: { name: 'f', arguments: '{"city":"Bonn"}' } }],
      },
      {
        role: 'tool',
        tool_call_id: 't',
        content: [{ type: 'document', document: { data: { weather: 'rain' } } }],
      },
    ],
    documents: ['doc one', { id: 'd', data: { text: 'doc two' } }],
    tools: [{ type: 'function', function: { name: 'f', description: 'does', parameters: {} } }],
    max_tokens: 9,
    stream: true,
  };

  it('are read in every place where text hides', () => {
    const facts = read(cohereChatV2, body);
    expect(wordsOf(facts)).toEqual(
      expect.arrayContaining([
        'system text: sys',
        'user text: look',
        'user text: https://x.test/a.png',
        'assistant reasoning: plan',
        'assistant tool_arguments: {"city":"Bonn"}',
        'tool tool_result: rain',
        'user text: doc one',
        'user text: doc two',
        'system tool_definition: does',
      ]),
    );
    expectPathsToHold(facts, body);
  });

  it('give tools, media, limit and stream', () => {
    const facts = read(cohereChatV2, body);
    expect(facts.tools).toEqual(['f']);
    expect(facts.media).toEqual([
      { kind: 'image', source: 'inline', data: 'AAAA', mimeType: 'image/png' },
      { kind: 'image', source: 'url' },
    ]);
    expect(facts.output?.tokens).toBe(9);
    expect(facts.stream).toBe(true);
  });

  it('take a tool of another type for the provider’s, forced where it is the only one', () => {
    const tools = [{ type: 'web_search' }];
    expect(read(cohereChatV2, { messages: [], tools }).providerTools).toEqual([
      { type: 'web_search', remove: [{ kind: 'remove', path: ['tools', 0] }], forced: false },
    ]);
    const forced = read(cohereChatV2, { messages: [], tools, tool_choice: 'REQUIRED' });
    expect(forced.providerTools[0]?.forced).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['messages', { messages: 'hi' }],
    ['model', { messages: [], model: undefined }],
    ['max_tokens', { messages: [], max_tokens: 1.5 }],
  ])('refuse a %s of the wrong type', (name, more) => {
    expect(() => read(cohereChatV2, more)).toThrow(`"${name}"`);
  });
});

describe('cohere v1 chat requests', () => {
  const body: JsonObject = {
    message: 'hi',
    preamble: 'sys',
    chat_history: [
      { role: 'USER', message: 'before' },
      { role: 'CHATBOT', message: 'yes', tool_calls: [{ name: 'f', parameters: { city: 'Bonn' } }] },
      { role: 'TOOL', tool_results: [{ call: { name: 'f' }, outputs: [{ weather: 'rain' }] }] },
    ],
    documents: [{ title: 't', snippet: 'doc' }],
    tools: [{ name: 'f', description: 'does' }],
    tool_results: [{ call: { name: 'f' }, outputs: [{ more: 'wet' }] }],
  };

  it('are read in every place where text hides', () => {
    const facts = read(cohereChatV1, body);
    expect(wordsOf(facts)).toEqual(
      expect.arrayContaining([
        'user text: hi',
        'system text: sys',
        'user text: before',
        'assistant text: yes',
        'assistant tool_arguments: Bonn',
        'tool tool_result: rain',
        'tool tool_result: wet',
        'user text: doc',
        'system tool_definition: does',
      ]),
    );
    expectPathsToHold(facts, body);
    expect(facts.tools).toEqual(['f']);
  });

  it('take connectors for a tool that the provider runs', () => {
    expect(read(cohereChatV1, { message: 'hi', connectors: [{ id: 'web-search' }] }).providerTools).toEqual([
      { type: 'connectors', remove: [{ kind: 'remove', path: ['connectors'] }], forced: false },
    ]);
  });

  it('refuse connectors in another letter case, and take a limit of 0 for none', () => {
    const endpoint = cohere.endpoint('POST', '/v1/chat');
    const request = (extra: JsonObject) =>
      endpoint?.dialect.request({ model: 'command-a', message: 'hi', ...extra }, endpoint);
    expect(() => request({ Connectors: [{ id: 'web-search' }] })).toThrow('"connectors"');
    expect(request({ max_tokens: 0 })?.output?.tokens).toBeUndefined();
  });

  it('know that a stored conversation stays unseen', () => {
    expect(read(cohereChatV1, { message: 'hi', conversation_id: 'c' }).unseenContent).toBe(true);
    expect(read(cohereChatV1, { message: 'hi' }).unseenContent).toBe(false);
  });
});

describe('cohere search requests', () => {
  it('of embeddings are read in all three forms', () => {
    const facts = read(cohereEmbed, {
      texts: ['a'],
      images: ['data:image/png;base64,AAAA'],
      inputs: [
        {
          content: [
            { type: 'text', text: 'b' },
            { type: 'image_url', image_url: { url: 'data:;base64,BB' } },
          ],
        },
      ],
    });
    expect(facts.texts.map(({ text }) => text)).toEqual(['a', 'b']);
    expect(facts.media.map(({ data }) => data)).toEqual(['AAAA', 'BB']);
    expect(facts.output).toBeUndefined();
  });

  it('of rerank are read whole', () => {
    const documents = ['a', { title: 'b', text: 'c' }];
    const facts = read(cohereRerank, { query: 'q', documents, rank_fields: ['title'] });
    expect(wordsOf(facts)).toEqual(expect.arrayContaining(['user text: q', 'user text: a', 'user text: c']));
    expect(facts.output).toBeUndefined();
  });
});

describe('cohere answers', () => {
  const units = {
    billed_units: { input_tokens: 5, output_tokens: 7 },
    tokens: { input_tokens: 71, output_tokens: 8 },
  };

  it('are billed by billed units, in v2 usage and v1 meta', () => {
    expect(cohereChatV2.answer({ usage: units }).usage).toEqual({ inputTokens: 5, outputTokens: 7 });
    expect(cohereChatV1.answer({ meta: units }).usage).toEqual({ inputTokens: 5, outputTokens: 7 });
  });

  it('are billed by tokens where there are no billed units', () => {
    expect(cohereChatV2.answer({ usage: { tokens: units.tokens } }).usage).toEqual({
      inputTokens: 71,
      outputTokens: 8,
    });
  });

  it('of rerank carry search units', () => {
    const meta = { billed_units: { search_units: 3 } };
    expect(cohereRerank.answer({ meta }).usage).toEqual({ inputTokens: 0, outputTokens: 0, searchUnits: 3 });
  });

  it.each([
    {},
    { usage: {} },
    { usage: { billed_units: {} } },
    { usage: { billed_units: { input_tokens: -1 } } },
  ])('have no usage in %j', (body) => {
    expect(cohereChatV2.answer(body).usage).toBeUndefined();
  });

  it('are read for text, thinking, plan and arguments', () => {
    const message = {
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'hello' },
      ],
      tool_plan: 'plan',
      tool_calls: [{ function: { name: 'f', arguments: '{}' } }],
    };
    expect(cohereChatV2.answer({ message }).texts.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'reasoning: hm',
      'text: hello',
      'reasoning: plan',
      'tool_arguments: {}',
    ]);
  });
});

const UNITS = { billed_units: { input_tokens: 5, output_tokens: 7 } };

describe('cohere streams', () => {
  it('of v2 say the same wherever the bytes are cut', () => {
    const message = (part: JsonObject) => ({ delta: { message: part } });
    const events: ({ type: string } & JsonObject)[] = [
      { type: 'message-start', id: 'x' },
      { type: 'tool-plan-delta', ...message({ tool_plan: 'plan' }) },
      {
        type: 'tool-call-start',
        index: 0,
        ...message({ tool_calls: { id: 't', type: 'function', function: { name: 'f', arguments: '' } } }),
      },
      {
        type: 'tool-call-delta',
        index: 0,
        ...message({ tool_calls: { function: { arguments: '{"a":1}' } } }),
      },
      { type: 'content-start', index: 0, ...message({ content: { type: 'text', text: '' } }) },
      { type: 'content-delta', index: 0, ...message({ content: { text: 'Grüße ' } }) },
      { type: 'content-delta', index: 0, ...message({ content: { text: '🙂' } }) },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: UNITS } },
    ];
    const bytes = Buffer.from(
      events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(''),
    );
    expect(readCutAtEachByte(sse, cohereChatV2.stream, bytes)).toEqual([
      {
        texts: { '0/plan': 'plan', '0/tool/0': '{"a":1}', '0/text/0': 'Grüße 🙂' },
        usage: { inputTokens: 5, outputTokens: 7 },
        done: true,
        failed: false,
      },
    ]);
  });

  const v1Events: JsonObject[] = [
    { event_type: 'stream-start', generation_id: 'g' },
    { event_type: 'text-generation', text: 'Grüße ' },
    { event_type: 'text-generation', text: '🙂' },
    { event_type: 'tool-calls-chunk', tool_call_delta: { index: 0, parameters: '{}' } },
    {
      event_type: 'stream-end',
      is_finished: true,
      finish_reason: 'COMPLETE',
      response: { text: 'Grüße 🙂', meta: UNITS },
    },
  ];
  const v1Expected = {
    texts: { '0/text': 'Grüße 🙂', '0/tool/0': '{}', '0/whole/response.text': 'Grüße 🙂' },
    usage: { inputTokens: 5, outputTokens: 7 },
    done: true,
    failed: false,
  };

  it('of v1 say the same as NDJSON, wherever the bytes are cut', () => {
    const bytes = Buffer.from(v1Events.map((each) => `${JSON.stringify(each)}\n`).join(''));
    expect(readCutAtEachByte(ndjson, cohereChatV1.stream, bytes)).toEqual([v1Expected]);
  });

  it('of v1 say the same as SSE, wherever the bytes are cut', () => {
    const bytes = Buffer.from(v1Events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''));
    expect(readCutAtEachByte(sse, cohereChatV1.stream, bytes)).toEqual([v1Expected]);
  });

  it('know an error at the end', () => {
    const v2 = { type: 'message-end', delta: { error: 'boom', finish_reason: 'ERROR' } };
    const v1 = { event_type: 'stream-end', finish_reason: 'ERROR_TOXIC', response: {} };
    function read(dialect: Dialect, event: JsonObject) {
      const data = JSON.stringify(event);
      return dialect.stream()?.read({ raw: Buffer.from(data), data }).failed;
    }
    expect(read(cohereChatV2, v2)).toBe(true);
    expect(read(cohereChatV1, v1)).toBe(true);
  });
});
