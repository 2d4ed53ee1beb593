import { describe, expect, it } from 'vitest';
import { assertMirrored, isMirrored, mirroredAfter } from '../../../src/mcp/mirrored.ts';
import { readMessage } from '../../../src/mcp/read-message.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

type Headers = Record<string, string>;

const NEW = '2026-07-28';
const META = { _meta: { 'io.modelcontextprotocol/protocolVersion': NEW } };
const ARGUMENTS = { region: 'käse', floor: 42, deep: { open: true }, list: ['inside'], nothing: null };

const request = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const CALL = request('tools/call', { name: 'locate', arguments: ARGUMENTS });
const NEW_CALL = request('tools/call', { ...CALL.params, ...META });
const NEW_HEADERS = { 'mcp-protocol-version': NEW, 'mcp-method': 'tools/call', 'mcp-name': 'locate' };

function check(headers: Headers, json: Record<string, unknown>): void {
  assertMirrored({ headers: new Map(Object.entries(headers)), json, request: { mcp: readMessage(json) } });
}

describe('headers that repeat parts of a message', () => {
  it.each<[string, Headers, Record<string, unknown>]>([
    ['an older client sends no header', {}, CALL],
    ['an older client sends its version', { 'mcp-protocol-version': '2025-11-25' }, CALL],
    ['an older client sends all headers', { 'mcp-method': 'tools/call', 'mcp-name': 'locate' }, CALL],
    ['a stateless request sends all headers', NEW_HEADERS, NEW_CALL],
    ['an encoded name', { ...NEW_HEADERS, 'mcp-name': '=?base64?bG9jYXRl?=' }, NEW_CALL],
    [
      'a later revision',
      { ...NEW_HEADERS, 'mcp-protocol-version': '2027-01-01' },
      {
        ...NEW_CALL,
        params: { ...CALL.params, _meta: { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' } },
      },
    ],
    [
      'a resource',
      { 'mcp-protocol-version': NEW, 'mcp-method': 'resources/read', 'mcp-name': 'memo://a' },
      request('resources/read', { uri: 'memo://a', ...META }),
    ],
    [
      'a task',
      { 'mcp-protocol-version': NEW, 'mcp-method': 'tasks/get', 'mcp-name': 't1' },
      request('tasks/get', { taskId: 't1', ...META }),
    ],
    [
      'a method without a name',
      { 'mcp-protocol-version': NEW, 'mcp-method': 'tools/list' },
      request('tools/list', META),
    ],
    [
      'a method that needs no header for a name',
      { 'mcp-method': 'resources/subscribe', 'mcp-name': 'memo://a' },
      request('resources/subscribe', { uri: 'memo://a' }),
    ],
    [
      'a stateless notification',
      { 'mcp-protocol-version': NEW },
      { jsonrpc: '2.0', method: 'notifications/x' },
    ],
    ['a notification whose body has only the version', {}, { jsonrpc: '2.0', method: 'n', params: META }],
    ['an answer', { 'mcp-protocol-version': '2025-11-25' }, { jsonrpc: '2.0', id: 1, result: {} }],
    ['a text among the arguments', { 'mcp-param-region': '=?base64?a8Okc2U=?=' }, CALL],
    ['a number among the arguments', { 'mcp-param-floor_no': '42' }, CALL],
    ['a number in another notation', { 'mcp-param-floor': '42.0' }, CALL],
    ['a boolean deep in the arguments', { 'mcp-param-open': 'true' }, CALL],
  ])('are accepted if %s', (_what, headers, json) => {
    expect(() => check(headers, json)).not.toThrow();
  });

  it.each<[string, Headers, Record<string, unknown>]>([
    ['another tool', { 'mcp-name': 'harmless' }, CALL],
    ['another tool, encoded', { 'mcp-name': '=?base64?aGFybWxlc3M=?=' }, CALL],
    ['a name that cannot be decoded', { ...NEW_HEADERS, 'mcp-name': '=?base64?bG9jYXRl' + 'x?=' }, NEW_CALL],
    ['two names', { ...NEW_HEADERS, 'mcp-name': 'locate, locate' }, NEW_CALL],
    ['a name in another letter case', { ...NEW_HEADERS, 'mcp-name': 'Locate' }, NEW_CALL],
    ['a member name of the arguments', { 'mcp-name': 'käse' }, CALL],
    ['another method', { 'mcp-method': 'tools/list' }, CALL],
    ['a method in another letter case', { 'mcp-method': 'Tools/Call' }, CALL],
    ['a method with an answer', { 'mcp-method': 'tools/call' }, { jsonrpc: '2.0', id: 1, result: {} }],
    ['a name with a method that has none', { 'mcp-name': 'x' }, request('ping', {})],
    ['a version other than the body’s', { ...NEW_HEADERS, 'mcp-protocol-version': '2025-11-25' }, NEW_CALL],
    ['no version although the body has one', { 'mcp-method': 'tools/call', 'mcp-name': 'locate' }, NEW_CALL],
    ['no method, in the stateless era', { 'mcp-protocol-version': NEW, 'mcp-name': 'locate' }, NEW_CALL],
    ['no name, in the stateless era', { 'mcp-protocol-version': NEW, 'mcp-method': 'tools/call' }, NEW_CALL],
    [
      'the name of another field',
      { 'mcp-name': 'memo://a' },
      request('prompts/get', { name: 'p', uri: 'memo://a' }),
    ],
    ['an argument that does not exist', { 'mcp-param-region': 'elsewhere' }, CALL],
    ['an argument inside a list', { 'mcp-param-list': 'inside' }, CALL],
    ['an argument with the value null', { 'mcp-param-nothing': 'null' }, CALL],
    ['an argument that cannot be decoded', { 'mcp-param-region': 'k\u00e4se' }, CALL],
    [
      'an argument of a method that is not a tool call',
      { 'mcp-param-a': 'x' },
      request('prompts/get', { arguments: { a: 'x' } }),
    ],
    [
      'one existing argument, and one that does not exist',
      { 'mcp-param-a': '42', 'mcp-param-b': '43' },
      CALL,
    ],
  ])('are refused with %s', (_what, headers, json) => {
    expect(() => check(headers, json)).toThrow(expect.objectContaining({ type: 'header_mismatch' }));
  });

  it.each<[string, object]>([
    ['has no version', {}],
    ['has _meta without a version', { _meta: { other: 1 } }],
    [
      'has a version that is not a string',
      { _meta: { 'io.modelcontextprotocol/protocolVersion': 20260728 } },
    ],
    ['has _meta that is not an object', { _meta: 'x' }],
  ])('of the stateless era are refused if the body %s', (_what, params) => {
    const body = request('tools/call', { ...CALL.params, ...params });
    expect(() => check(NEW_HEADERS, body)).toThrow(expect.objectContaining({ type: 'invalid_params' }));
  });

  it('are not checked for providers', () => {
    const headers = new Map([['mcp-method', 'x']]);
    expect(() => assertMirrored({ headers, json: {}, request: {} })).not.toThrow();
  });

  it('are recognized by name', () => {
    const names = ['mcp-method', 'mcp-name', 'mcp-param-a_b', 'mcp-session-id', 'mcp-protocol-version'];
    expect(names.filter(isMirrored)).toEqual(['mcp-method', 'mcp-name', 'mcp-param-a_b']);
  });
});

describe('after an edit of the arguments', () => {
  const after = (headers: Headers, before: object, now: object) =>
    Object.fromEntries(
      mirroredAfter(
        new Map(Object.entries(headers)),
        request('tools/call', { name: 't', arguments: before }),
        () => request('tools/call', { name: 't', arguments: now }),
      ),
    );

  it.each<[string, Headers, object, object, object]>([
    ['unchanged values are kept', { 'mcp-param-a': 'x' }, { a: 'x', b: 'y' }, { a: 'x', b: '***' }, {}],
    [
      'a changed value is repeated',
      { 'mcp-param-a': 'x' },
      { a: 'x' },
      { a: '***' },
      { 'mcp-param-a': '***' },
    ],
    [
      'a value that no header can contain is encoded',
      { 'mcp-param-a': 'x' },
      { a: 'x' },
      { a: ' é' },
      { 'mcp-param-a': '=?base64?IMOp?=' },
    ],
    [
      'two arguments with the same value that still agree',
      { 'mcp-param-a': 'x' },
      { a: 'x', b: { c: 'x' } },
      { a: '***', b: { c: '***' } },
      { 'mcp-param-a': '***' },
    ],
    ['a removed argument', { 'mcp-param-a': 'x' }, { a: 'x' }, {}, { 'mcp-param-a': undefined }],
    [
      'an argument that became null',
      { 'mcp-param-a': 'x' },
      { a: 'x' },
      { a: null },
      { 'mcp-param-a': undefined },
    ],
    ['a number', { 'mcp-param-a': '4.0' }, { a: 4 }, { a: 5 }, { 'mcp-param-a': '5' }],
    ['headers of no argument are kept', { 'mcp-name': 't' }, { a: 't' }, { a: '***' }, {}],
  ])('%s', (_what, headers, before, now, changed) => {
    expect(after(headers, before, now)).toEqual(changed);
  });

  it('a header is refused if it may repeat either of two arguments and one of them changed', () => {
    expect(() => after({ 'mcp-param-a': 'x' }, { a: 'x', b: 'x' }, { a: '***', b: 'x' })).toThrow(
      expect.objectContaining({ type: 'header_mismatch' }),
    );
  });
});

it('hostile headers and arguments are checked quickly', () => {
  const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`a${index}`, index]));
  const headers = Object.fromEntries(
    Array.from({ length: 90 }, (_, index) => [`mcp-param-${index}`, `${index}.0`]),
  );
  const json = request('tools/call', { name: 't', arguments: many });
  expect(quickestCpuMs(() => check(headers, json), 5)).toBeLessThan(50);
});
