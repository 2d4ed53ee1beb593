import { describe, expect, it } from 'vitest';
import { cohere } from '../../../../src/providers/cohere.ts';
import { cohereChatV1, cohereChatV2 } from '../../../../src/providers/dialects/cohere-chat.ts';
import { cohereEmbed, cohereRerank } from '../../../../src/providers/dialects/cohere-search.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { wordsOf, expectPathsToHold } from '../../../support/request-facts.ts';
import { read } from './rig.ts';

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

  it('are read in every place with text', () => {
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

  it('report tools, media, limit and stream', () => {
    const facts = read(cohereChatV2, body);
    expect(facts.tools).toEqual(['f']);
    expect(facts.media).toEqual([
      { kind: 'image', source: 'inline', data: 'AAAA', mimeType: 'image/png' },
      expect.objectContaining({ kind: 'image', source: 'url', address: 'https://x.test/a.png' }),
    ]);
    expect(facts.output?.tokens).toBe(9);
    expect(facts.stream).toBe(true);
  });

  it('treat a tool of another type as the provider’s, required if it is the only one', () => {
    const tools = [{ type: 'web_search' }];
    expect(read(cohereChatV2, { messages: [], tools }).hostedTools).toEqual([
      { type: 'web_search', remove: [{ kind: 'remove', path: ['tools', 0] }], forced: false },
    ]);
    const forced = read(cohereChatV2, { messages: [], tools, tool_choice: 'REQUIRED' });
    expect(forced.hostedTools[0]?.forced).toBe(true);
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

  it('are read in every place with text', () => {
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

  it('treat connectors as a tool that the provider runs', () => {
    expect(read(cohereChatV1, { message: 'hi', connectors: [{ id: 'web-search' }] }).hostedTools).toEqual([
      { type: 'connectors', remove: [{ kind: 'remove', path: ['connectors'] }], forced: false },
    ]);
  });

  it('refuse connectors in another letter case, and treat a limit of 0 as absent', () => {
    const endpoint = cohere.endpoint('POST', '/v1/chat');
    const request = (extra: JsonObject) =>
      endpoint?.dialect.request({ model: 'command-a', message: 'hi', ...extra }, endpoint);
    expect(() => request({ Connectors: [{ id: 'web-search' }] })).toThrow('"connectors"');
    expect(request({ max_tokens: 0 })?.output?.tokens).toBeUndefined();
  });

  it('report a stored conversation as unseen', () => {
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

  it('of rerank are read', () => {
    const documents = ['a', { title: 'b', text: 'c' }];
    const facts = read(cohereRerank, { query: 'q', documents, rank_fields: ['title'] });
    expect(wordsOf(facts)).toEqual(expect.arrayContaining(['user text: q', 'user text: a', 'user text: c']));
    expect(facts.output).toBeUndefined();
  });
});
