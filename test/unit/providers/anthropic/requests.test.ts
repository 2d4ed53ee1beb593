import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../src/errors.ts';
import { anthropic } from '../../../../src/providers/anthropic.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { read } from './rig.ts';
import { placedWordsOf, expectPathsToHold } from '../../../support/request-facts.ts';

describe('anthropic endpoints', () => {
  it.each([
    ['POST', '/v1/messages', 'chat'],
    ['POST', '/v1/messages/count_tokens', 'count_tokens'],
    ['GET', '/v1/models', 'models'],
    ['GET', '/v1/models/claude-x', 'models'],
  ])('reads %s %s as %s', (method, path, operation) => {
    expect(anthropic.endpoint(method, path)?.operation).toBe(operation);
  });

  it.each([
    ['POST', '/v1/messages/batches'],
    ['POST', '/v1/complete'],
    ['POST', '/v1/files'],
    ['GET', '/v1/messages'],
    ['POST', '/v1/constructor'],
    ['POST', '/v1/messages/'],
  ])('does not read %s %s', (method, path) => {
    expect(anthropic.endpoint(method, path)).toBeUndefined();
  });

  it('sends API keys and OAuth tokens in their headers', () => {
    expect(anthropic.credential('sk-ant-api03-x')).toEqual({
      kind: 'header',
      name: 'x-api-key',
      value: 'sk-ant-api03-x',
    });
    expect(anthropic.credential('sk-ant-oat01-x')).toEqual({
      kind: 'header',
      name: 'authorization',
      value: 'Bearer sk-ant-oat01-x',
    });
  });
});

describe('anthropic messages requests', () => {
  it('reads every place with text', () => {
    const facts = read({
      system: [{ type: 'text', text: 'sys' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            {
              type: 'document',
              title: 'T',
              context: 'C',
              source: { type: 'text', media_type: 'text/plain', data: 'D' },
            },
            { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'in doc' }] } },
            { type: 'search_result', source: 'S', title: 'R', content: [{ type: 'text', text: 'found' }] },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'SIG' },
            { type: 'redacted_thinking', data: 'RED' },
            { type: 'tool_use', id: 't', name: 'f', input: { city: 'Bonn', deep: [{ card: 4111 }] } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't', content: 'plain' },
            { type: 'tool_result', tool_use_id: 'u', content: [{ type: 'text', text: 'block' }] },
            { type: 'brand_new_block', payload: { inner: 'new' } },
          ],
        },
        { role: 'system', content: 'late system' },
      ],
      tools: [
        {
          name: 'f',
          description: 'does',
          input_schema: { type: 'object', properties: { city: { type: 'string' } } },
        },
      ],
    });
    const found = placedWordsOf(facts);
    for (const expected of [
      'system text system.0.text: sys',
      'user text messages.0.content.0.text: look',
      'user text messages.0.content.1.title: T',
      'user text messages.0.content.1.context: C',
      'user text messages.0.content.1.source.data: D',
      'user text messages.0.content.2.source.content.0.text: in doc',
      'user text messages.0.content.3.content.0.text: found',
      'assistant reasoning messages.1.content.0.thinking: hm',
      'assistant reasoning messages.1.content.0.signature: SIG',
      'assistant reasoning messages.1.content.1.data: RED',
      'assistant tool_arguments messages.1.content.2.input.city: Bonn',
      'assistant tool_arguments messages.1.content.2.input: city\ndeep\ncard\n4111',
      'tool tool_result messages.2.content.0.content: plain',
      'tool tool_result messages.2.content.1.content.0.text: block',
      'user text messages.2.content.2.payload.inner: new',
      'system text messages.3.content: late system',
      'system tool_definition tools.0.description: does',
    ]) {
      expect(found).toContain(expected);
    }
    expect(facts.tools).toEqual(['f']);
    expect(facts.unseenContent).toBe(false);
  });

  it('gives the path of each editable text', () => {
    const body = {
      system: 'sys',
      messages: [
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'x' }] }],
        },
      ],
      tools: [{ name: 'f', description: 'd', input_schema: { type: 'object' } }],
    };
    expectPathsToHold(read(body), body);
  });

  it('reads media inline, by URL and by file id', () => {
    const facts = read({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' } },
            { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
            { type: 'document', source: { type: 'file', file_id: 'file_1' } },
          ],
        },
      ],
    });
    expect(facts.media).toEqual([
      { kind: 'image', source: 'inline', data: 'AAAA', mimeType: 'image/png' },
      { kind: 'document', source: 'inline', data: 'BBBB', mimeType: 'application/pdf' },
      {
        kind: 'image',
        source: 'url',
        address: 'https://x.test/a.png',
        path: ['messages', 0, 'content', 2, 'source', 'url'],
      },
      { kind: 'document', source: 'id' },
    ]);
    expect(facts.unseenContent).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['a container', { container: 'c_1' }],
    ['a continued thread', { thread: { type: 'continue', previous_message_id: 'm' } }],
    [
      'an uploaded file',
      { messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'f' }] }] },
    ],
  ])('reports %s as unseen', (_, body) => {
    expect(read(body).unseenContent).toBe(true);
  });

  it.each([
    'bash_20250124',
    'text_editor_20250728',
    'computer_20250124',
    'memory_20250818',
    'computer_toolset_20260801',
    'custom',
  ])('treats %s as a tool that the client runs', (type) => {
    const facts = read({ tools: [{ type, name: 'mine' }] });
    expect(facts.tools).toEqual(['mine']);
    expect(facts.hostedTools).toEqual([]);
  });

  it.each([
    'web_search_20250305',
    'web_fetch_20250910',
    'code_execution_20250825',
    'tool_search_tool_regex',
    'advisor_20260301',
    'bash_code_execution',
    'something_new_20300101',
  ])('treats %s as a tool that the provider runs', (type) => {
    const facts = read({
      tools: [
        { name: 'f', input_schema: {} },
        { type, name: 'theirs' },
      ],
    });
    expect(facts.tools).toEqual(['f']);
    expect(facts.hostedTools).toEqual([
      { type, remove: [{ kind: 'remove', path: ['tools', 1] }], forced: false },
    ]);
  });

  it('finds a provider tool that a system message adds mid-conversation', () => {
    const definition = { type: 'web_search_20250305', name: 'web_search' };
    const block = { type: 'tool_addition', tool: { type: 'tool_definition', definition } };
    expect(read({ messages: [{ role: 'system', content: [block] }] }).hostedTools).toEqual([
      {
        type: 'web_search_20250305',
        remove: [{ kind: 'remove', path: ['messages', 0, 'content', 0] }],
        forced: false,
      },
    ]);
  });

  it('removes MCP servers and their toolsets together', () => {
    const facts = read({
      mcp_servers: [{ type: 'url', name: 'm', url: 'https://m.test' }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'm' }],
    });
    expect(facts.hostedTools).toEqual([
      {
        type: 'mcp_servers',
        remove: [
          { kind: 'remove', path: ['tools', 0] },
          { kind: 'remove', path: ['mcp_servers'] },
        ],
        forced: false,
      },
    ]);
  });

  it.each<[JsonObject, boolean]>([
    [{ type: 'tool', name: 'web_search' }, true],
    [{ type: 'tool', name: 'f' }, false],
    [{ type: 'any' }, false],
    [{ type: 'auto' }, false],
  ])('recognizes whether tool_choice %j requires the provider tool', (tool_choice, forced) => {
    const tools = [{ name: 'f' }, { type: 'web_search_20250305', name: 'web_search' }];
    expect(read({ tools, tool_choice }).hostedTools[0]?.forced).toBe(forced);
  });

  it('recognizes that "any" requires a provider tool if there is no other', () => {
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    expect(read({ tools, tool_choice: { type: 'any' } }).hostedTools[0]?.forced).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['service_tier "flash"', { service_tier: 'flash' }],
    ['speed "fast"', { speed: 'fast' }],
    ['inference_geo "us"', { inference_geo: 'us' }],
    ['container', { container: 'c' }],
    ['fallbacks', { fallbacks: 'default' }],
    ['fallbacks', { fallbacks: [{ model: 'claude-y' }] }],
    ['compaction', { context_management: { edits: [{ type: 'compact_20260112' }] } }],
  ])('cannot bound the cost of %s', (reason, body) => {
    expect(read(body).unbounded).toBe(reason);
  });

  it.each<JsonObject>([
    {},
    { service_tier: 'auto' },
    { service_tier: 'standard_only' },
    { speed: 'standard' },
  ])('can bound the cost of %j', (body) => {
    expect(read(body).unbounded).toBeUndefined();
  });

  it('counts every fallback as a model that may serve it', () => {
    expect(read({ fallbacks: [{ model: 'claude-y' }] }).models).toEqual(['claude-x', 'claude-y']);
    expect(read({ fallbacks: 'default' }).models).toEqual(['claude-x', 'default']);
  });

  it('reads and sets max_tokens', () => {
    expect(read({}).output?.tokens).toBe(9);
    expect(read({ max_tokens: undefined }).output?.tokens).toBeUndefined();
    expect(read({}).output?.set(5)).toEqual([{ kind: 'set', path: ['max_tokens'], value: 5 }]);
  });

  it.each<[string, JsonObject]>([
    ['model', { model: 7 }],
    ['model', { model: undefined }],
    ['messages', { messages: 'hi' }],
    ['messages', { messages: ['hi'] }],
    ['max_tokens', { max_tokens: -1 }],
    ['max_tokens', { max_tokens: '100' }],
    ['stream', { stream: 'yes' }],
    ['tools', { tools: {} }],
  ])('refuses a %s of the wrong type', (name, body) => {
    const attempt = () => read(body);
    expect(attempt).toThrow(GatewayError);
    expect(attempt).toThrow(`"${name}"`);
  });
});
