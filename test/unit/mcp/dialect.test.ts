import { describe, expect, it } from 'vitest';
import { mcpBodyless, mcpMessages, mcpToolCalls } from '../../../src/mcp/dialect.ts';
import type { Dialect } from '../../../src/providers/dialect.ts';
import type { JsonObject } from '../../../src/json/is-object.ts';
import type { RequestFacts } from '../../../src/providers/request-facts.ts';
import { EMPTY_REQUEST } from '../../support/request-facts.ts';

const ENDPOINT = { operation: 'mcp', dialect: mcpMessages } as const;

const message = (method: string, params?: object): JsonObject => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  ...(params !== undefined && { params }),
});

function read(body: JsonObject, dialect: Dialect = mcpMessages): RequestFacts {
  return dialect.request(body, ENDPOINT);
}

describe('a message to an MCP server', () => {
  it('requests no model', () => {
    const { mcp, texts, ...rest } = read(message('tools/list'));
    expect(mcp).toEqual({ kind: 'request', id: 7, method: 'tools/list' });
    expect(texts).toEqual([]);
    expect(rest).toEqual({ ...EMPTY_REQUEST, model: undefined, models: [] });
  });

  it('shows each argument of a tool at its path, and the tool’s name as not editable', () => {
    const params = { name: 'send', arguments: { to: ['a', 'b'], deep: { 'odd key': 'c', count: 5 } } };
    expect(read(message('tools/call', params)).texts).toEqual([
      { role: 'user', kind: 'text', text: 'send', path: ['params', 'name'], editable: false },
      { role: 'assistant', kind: 'tool_arguments', text: 'a', path: ['params', 'arguments', 'to', 0] },
      { role: 'assistant', kind: 'tool_arguments', text: 'b', path: ['params', 'arguments', 'to', 1] },
      {
        role: 'assistant',
        kind: 'tool_arguments',
        text: 'c',
        path: ['params', 'arguments', 'deep', 'odd key'],
      },
      {
        role: 'assistant',
        kind: 'tool_arguments',
        text: 'to\ndeep\nodd key\ncount\n5',
        path: ['params', 'arguments'],
        editable: false,
      },
    ]);
  });

  it.each<[string, JsonObject, (string | false)[][]]>([
    [
      'the arguments of a prompt',
      message('prompts/get', { name: 'greet', arguments: { who: 'Ada' } }),
      [['greet', false], ['Ada'], ['who', false]],
    ],
    ['a URI', message('resources/read', { uri: 'memo://a' }), [['memo://a', false]]],
    [
      'the envelope of the stateless era, and the request state',
      message('tools/list', {
        _meta: { client: 'c' },
        requestState: 's',
        inputResponses: { a: { reply: 'yes' } },
      }),
      [['c', false], ['client', false], ['s', false], ['yes'], ['a\nreply', false]],
    ],
    [
      'the answer to a request of the server',
      { jsonrpc: '2.0', id: 's', result: { content: { type: 'text', text: 'thought' } } },
      [['text'], ['thought'], ['content\ntype\ntext', false]],
    ],
    [
      'an error from the client',
      { jsonrpc: '2.0', id: 's', error: { code: 1, message: 'no' } },
      [['no'], ['code\n1\nmessage', false]],
    ],
  ])('shows %s', (_what, body, texts) => {
    expect(
      read(body).texts.map(({ text, editable }) => (editable === undefined ? [text] : [text, editable])),
    ).toEqual(texts);
  });

  it('must be a tool call on the path for tool calls', () => {
    expect(read(message('tools/call', { name: 'echo' }), mcpToolCalls).mcp).toMatchObject({ name: 'echo' });
    for (const other of [
      message('tools/list'),
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'echo' } },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      expect(() => read(other, mcpToolCalls)).toThrow(expect.objectContaining({ type: 'invalid_request' }));
    }
  });

  it('is absent without a body', () => {
    expect([mcpBodyless.hasBody, read({}, mcpBodyless).mcp]).toEqual([false, undefined]);
  });
});

describe('the events of an MCP server', () => {
  const call = read(message('tools/call', { name: 'echo' }));
  const event = (data: string, request = call) =>
    mcpMessages.stream(request)?.read({ raw: Buffer.from(data), data });

  it('are whole messages', () => {
    const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };
    const data = JSON.stringify(progress);
    expect(event(data)).toEqual({ frame: { raw: Buffer.from(data), data }, json: progress, deltas: [] });
  });

  it.each([
    ['the answer', { jsonrpc: '2.0', id: 7, result: {} }, true],
    ['an error', { jsonrpc: '2.0', id: 7, error: { code: 1, message: '' } }, true],
    ['the answer to another request', { jsonrpc: '2.0', id: '7', result: {} }, undefined],
    ['a request of the server with the same id', { jsonrpc: '2.0', id: 7, method: 'ping' }, undefined],
  ])('are complete with %s: %s', (_what, json, done) => {
    expect(event(JSON.stringify(json))?.done).toBe(done);
  });

  it.each([
    ['an empty event, which begins a stream', ''],
    ['broken JSON', '{"a":'],
    ['a duplicate member', '{"result":1,"result":2}'],
    ['too deep nesting', '['.repeat(100) + ']'.repeat(100)],
  ])('have no JSON with %s', (_what, data) => {
    expect(event(data)?.json).toBeUndefined();
  });

  it.each([
    ['to a request, with its id', call, { id: 7 }],
    ['in the server’s own stream, without an id', undefined, {}],
  ])('are cut by an error that clients read: %s', (_what, request, id) => {
    const cut = mcpMessages.stream(request)?.cut({ type: 'policy_denied', message: 'a secret' });
    const tool = request === undefined ? {} : { tool_name: 'echo' };
    const subject = request === undefined ? 'message' : 'tool [echo]';
    expect(cut).toEqual([
      {
        json: {
          jsonrpc: '2.0',
          ...id,
          error: {
            code: -32001,
            message: `Error: ${subject} blocked. Reason: a secret`,
            data: { type: 'policy_denied', reason: 'a secret', ...tool },
          },
        },
      },
    ]);
  });

  it('are cut with the message of the denial and the masked result', () => {
    const details = {
      reason: 'a key',
      rule: 'aws_access_key_id',
      toolName: 'cat',
      maskedResult: { content: [] },
    };
    const message = 'Error: tool [cat] blocked. Reason: a key';
    const cut = mcpMessages.stream(call)?.cut({ type: 'policy_denied', message, details });
    const data = { type: 'policy_denied', reason: 'a key', tool_name: 'cat', rule: 'aws_access_key_id' };
    expect(cut?.[0]?.json['error']).toEqual({
      code: -32001,
      message,
      data: { ...data, result: { content: [] } },
    });
  });

  it('are also cut by errors that are not denials', () => {
    const cut = mcpMessages.stream(call)?.cut({ type: 'upstream_unavailable', message: 'gone' });
    expect(cut?.[0]?.json).toEqual({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32000, message: 'gone', data: { type: 'upstream_unavailable' } },
    });
  });
});
