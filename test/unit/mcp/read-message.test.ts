import { describe, expect, it } from 'vitest';
import { readMessage } from '../../../src/mcp/read-message.ts';

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: {} } };

describe('a JSON-RPC message', () => {
  it.each([
    ['a call of a tool', CALL, { kind: 'request', id: 1, method: 'tools/call', name: 'echo' }],
    [
      'an id that is a string',
      { ...CALL, id: '' },
      { kind: 'request', id: '', method: 'tools/call', name: 'echo' },
    ],
    ['no params', { jsonrpc: '2.0', id: -1, method: 'ping' }, { kind: 'request', id: -1, method: 'ping' }],
    [
      'a resource',
      { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'memo://a' } },
      { kind: 'request', id: 1, method: 'resources/read', name: 'memo://a' },
    ],
    [
      'a name that is not a string, if none is needed',
      { jsonrpc: '2.0', id: 1, method: 'logging/setLevel', params: { name: 5 } },
      { kind: 'request', id: 1, method: 'logging/setLevel' },
    ],
    [
      'a notification',
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { kind: 'notification', method: 'notifications/initialized' },
    ],
    ['a result', { jsonrpc: '2.0', id: 's1', result: {} }, { kind: 'response', id: 's1' }],
    ['an error', { jsonrpc: '2.0', id: 7, error: { code: 1, message: '' } }, { kind: 'response', id: 7 }],
    ['an error without an id', { jsonrpc: '2.0', id: null, error: {} }, { kind: 'response', id: null }],
  ])('with %s is read', (_what, body, message) => {
    expect(readMessage(body)).toEqual(message);
  });

  it.each([
    ['an empty object', {}],
    ['no version', { id: 1, method: 'ping' }],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['a version that is a number', { jsonrpc: 2, id: 1, method: 'ping' }],
    ['an id of null', { ...CALL, id: null }],
    ['a broken id', { ...CALL, id: 1.5 }],
    ['an id that is not a safe integer', { ...CALL, id: 2 ** 53 }],
    ['an id that is a list', { ...CALL, id: [1] }],
    ['a method that is not a string', { ...CALL, method: 7 }],
    ['an empty method', { ...CALL, method: '' }],
    ['a method with blanks', { ...CALL, method: ' tools/call\n' }],
    ['a method with a zero byte', { ...CALL, method: 'tools/call\u0000' }],
    ['a method with an invisible character', { ...CALL, method: 'tools/call\u200b' }],
    ['a method with a lookalike', { ...CALL, method: 'tool\u017f/call' }],
    ['a method of null', { ...CALL, method: null }],
    ['params that are a list', { ...CALL, params: ['echo'] }],
    ['params of null', { ...CALL, params: null }],
    ['no tool name', { ...CALL, params: {} }],
    ['no params for a tool call', { jsonrpc: '2.0', id: 1, method: 'tools/call' }],
    ['an empty tool name', { ...CALL, params: { name: '' } }],
    ['a tool name that is not a string', { ...CALL, params: { name: ['echo'] } }],
    ['a method and a result', { ...CALL, result: {} }],
    ['a method and an error', { ...CALL, error: {} }],
    ['a result and an error', { jsonrpc: '2.0', id: 1, result: {}, error: {} }],
    ['a result with the id null', { jsonrpc: '2.0', id: null, result: {} }],
    ['a result without an id', { jsonrpc: '2.0', result: {} }],
    ['a result and params', { jsonrpc: '2.0', id: 1, result: {}, params: {} }],
    ['a method that only lenient parsers read', { jsonrpc: '2.0', id: 1, result: {}, Method: 'tools/call' }],
    ['an unknown member', { ...CALL, extra: true }],
    ['a second name that only lenient parsers read', { ...CALL, params: { name: 'echo', Name: 'rm' } }],
    ['a name with a letter that folds to another', { ...CALL, params: { name: 'echo', argumentſ: {} } }],
    [
      'a URI that only lenient parsers read',
      { ...CALL, method: 'resources/read', params: { URI: 'file:///' } },
    ],
  ])('with %s is refused', (_what, body) => {
    expect(() => readMessage(body)).toThrow(expect.objectContaining({ type: 'invalid_request' }));
  });

  it('is not quoted in its refusal', () => {
    const hostile = { ...CALL, method: { secret: 'hush' }, params: { name: 'hush' } };
    expect(() => readMessage(hostile)).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hush') }),
    );
  });
});
