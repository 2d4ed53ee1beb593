import { it, expect } from 'vitest';
import {
  call,
  expectRefusal,
  refused,
  post,
  MAX_REQUEST,
  type RpcRefusal,
  forwarded,
  rawKey,
} from './rig.ts';

export function bodies(): void {
  it.each<[string, string, string]>([
    ['no JSON', '{"jsonrpc":', '/mcp/files'],
    ['a batch', JSON.stringify([call('echo')]), '/mcp/files'],
    ['an empty batch', '[]', '/mcp/files'],
    ['a batch of tool calls', JSON.stringify([call('echo'), call('rm')]), '/mcp/files/tools/call'],
    ['a text', '"tools/call"', '/mcp/files'],
    ['nothing', '', '/mcp/files'],
    ['an empty object', '{}', '/mcp/files'],
    ['an id of null', JSON.stringify(call('echo', {}, null)), '/mcp/files'],
    ['a broken id', JSON.stringify(call('echo', {}, 1.5)), '/mcp/files'],
    ['a method twice', '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', '/mcp/files'],
    [
      'a name twice',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}',
      '/mcp/files',
    ],
    [
      'a name spelt again',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","NAME":"b"}}',
      '/mcp/files',
    ],
    ['a method under an escape', '{"jsonrpc":"2.0","id":1,"method":"ping","m\\u0065thod":"x"}', '/mcp/files'],
    [
      'another method, where tools are called',
      JSON.stringify({ ...call('echo'), method: 'tools/list' }),
      '/mcp/files/tools/call',
    ],
    [
      'a deep nest',
      JSON.stringify(call('a')).replace('{}', `{"a":${'['.repeat(70)}${']'.repeat(70)}}`),
      '/mcp/files',
    ],
  ])('with %s are 400', async (_what, body, path) => {
    expectRefusal(await refused(() => post(body, { path })), 400, 'invalid_request');
  });

  it.each<[string, unknown, string]>([
    ['has one', 'q-7', JSON.stringify({ ...call('echo', {}, 'q-7'), stranger: 1 })],
    ['is not JSON', null, '{"jsonrpc":"2.0","id":7'],
    ['has two', null, '{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}'],
    ['has an invalid one', null, JSON.stringify(call('echo', {}, 1.5))],
    [
      'has one, and is long',
      null,
      JSON.stringify({ ...call('echo', {}, 'q'), pad: 'x'.repeat(MAX_REQUEST) }),
    ],
  ])('that are refused unread are answered with their id if it %s', async (_what, id, body) => {
    const reply = await refused(() => post(body));
    expect((JSON.parse(reply.body) as RpcRefusal).id).toBe(id);
  });

  it('that are a batch are refused with the reason that MCP has none', async () => {
    expect((await post([call('echo')])).body).toContain('batches are not supported');
  });

  it('declared as something other than JSON are 415', async () => {
    const headers = { 'content-type': 'text/plain' };
    expectRefusal(await refused(() => post(call('echo'), { headers })), 415, 'unsupported_media_type');
  });

  it.each([false, true])('over mcp.max_request_size are 413 (chunked: %s)', async (chunked) => {
    const body = JSON.stringify(call('echo', { text: 'x'.repeat(MAX_REQUEST) }));
    expectRefusal(await refused(() => post(body, { chunked })), 413, 'payload_too_large');
    const just = JSON.stringify(call('echo', { text: '' }));
    const fits = JSON.stringify(call('echo', { text: 'x'.repeat(MAX_REQUEST - just.length) }));
    expect(fits).toHaveLength(MAX_REQUEST);
    await forwarded(fits, { chunked });
  });

  it('that contain the proxy key never forward it', async () => {
    const got = await forwarded(call('echo', { text: `my key is ${rawKey}` }));
    expect(JSON.stringify(got.body)).not.toContain(rawKey);
    const escaped = JSON.stringify(call('echo', { text: rawKey })).replace(
      `"${rawKey}`,
      `"\\u0067${rawKey.slice(1)}`,
    );
    expectRefusal(await refused(() => post(escaped)), 400, 'invalid_request');
  });
}
