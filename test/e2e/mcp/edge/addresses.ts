import { it, expect } from 'vitest';
import { send, sendRaw } from '../../../support/http.ts';
import { SERVER_QUERY, SERVER_CREDENTIAL } from '../../../support/mcp-rig.ts';
import { auth, refused, rig, expectRefusal, post, call, rawKey, forwarded, NEW, respondWith } from './rig.ts';

export function addresses(): void {
  it.each(['/mcp/files', '/mcp/other', '/mcp/files/nothing'])('%s without a key is 401', async (path) => {
    const { authorization: _none, ...headers } = auth;
    const reply = await refused(() =>
      send(rig.gateway.baseUrl, { path, method: 'POST', headers: { ...headers, origin: 'x' }, body: '[]' }),
    );
    expectRefusal(reply, 401, 'invalid_key');
  });

  it.each([
    ['/mcp', 404, 'unknown_mcp_server'],
    ['/mcp/other', 404, 'unknown_mcp_server'],
    ['/mcp/other/tools/call', 404, 'unknown_mcp_server'],
    ['/mcp/f%2569les', 404, 'unknown_mcp_server'],
    ['/mcp/files/', 404, 'not_found'],
    ['/mcp/files/tools', 404, 'not_found'],
    ['/mcp/files/tools/call/more', 404, 'not_found'],
    ['/mcp/files/tools%2Fcall', 404, 'not_found'],
    ['/mcp/files/../other', 404, 'unknown_mcp_server'],
  ])('%s is %i %s', async (path, status, type) => {
    expectRefusal(await refused(() => post(call('echo'), { path })), status, type);
  });

  it.each([
    ['PUT', '/mcp/files', 'POST, GET, DELETE'],
    ['PATCH', '/mcp/files', 'POST, GET, DELETE'],
    ['OPTIONS', '/mcp/files', 'POST, GET, DELETE'], // with a key; not a browser's preflight
    ['GET', '/mcp/files/tools/call', 'POST'],
    ['DELETE', '/mcp/files/tools/call', 'POST'],
  ])('%s %s is 405 with Allow: %s', async (method, path, allow) => {
    const { 'content-type': _none, ...headers } = auth;
    const reply = await refused(() => send(rig.gateway.baseUrl, { method, path, headers }));
    expectRefusal(reply, 405, 'method_not_allowed');
    expect(reply.headers.allow).toBe(allow);
  });

  it('a WebSocket upgrade is 426', async () => {
    const reply = await sendRaw(
      rig.gateway.port,
      `GET /mcp/files HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${rawKey}\r\n` +
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
    );
    expect(reply).toMatch(/^HTTP\/1.1 426 /);
  });

  it.each([
    ['with the key in a header', '/mcp/files/tools/call'],
    ['with the key in the path', '/<key>/mcp/files/tools/call'],
    ['as Streamable HTTP', '/mcp/files'],
    ['as Streamable HTTP, with the key in the path', '/<key>/mcp/files'],
  ])('a call of a tool passes %s', async (_how, shape) => {
    const inPath = shape.includes('<key>');
    const path = shape.replace('<key>', rawKey);
    const headers = { authorization: inPath ? 'Bearer of-the-client' : `Bearer ${rawKey}` };
    const got = await forwarded(call('echo', { text: 'hi' }), {
      path: `${path}?of=the-client&key=sk-client`,
      headers,
    });
    expect([got.method, got.url, got.body]).toEqual([
      'POST',
      `/mcp${SERVER_QUERY}`,
      call('echo', { text: 'hi' }),
    ]);
    expect(got.headers.authorization).toBe(SERVER_CREDENTIAL);
    expect(JSON.stringify(got)).not.toMatch(/of-the-client|of=the-client|sk-client/);
  });

  it.each(['GET', 'DELETE'])('%s passes, and the answer comes from the server', async (method) => {
    respondWith((_request, response) => {
      response.writeHead(405, { allow: 'POST', 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","error":{"code":-32000,"message":"Method not allowed."}}');
    });
    const { 'content-type': _none, ...headers } = auth;
    const reply = await send(rig.gateway.baseUrl, {
      method,
      path: '/mcp/files',
      headers: { ...headers, 'mcp-protocol-version': NEW, 'mcp-method': 'tools/call', 'mcp-name': 'echo' },
    });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'POST']);
    expect(reply.body).toContain('Method not allowed.');
    const got = rig.servers.files.requests.at(-1);
    expect(got?.method).toBe(method);
    expect(Object.keys(got?.headers ?? {}).filter((name) => name.startsWith('mcp-'))).toEqual([
      'mcp-protocol-version',
    ]);
  });
}

export function authorizationServer(): void {
  it.each([
    ['GET', '/.well-known/oauth-protected-resource'],
    ['GET', '/.well-known/oauth-protected-resource/mcp/files'],
    ['GET', '/.well-known/oauth-authorization-server/<key>/mcp/files'],
    ['GET', '/mcp/files/.well-known/openid-configuration'],
    ['GET', '/<key>/mcp/files/.well-known/openid-configuration'],
    ['POST', '/register'],
  ])('does not exist, with or without a key: %s %s', async (method, shape) => {
    const reply = await refused(() =>
      send(rig.gateway.baseUrl, {
        method,
        path: shape.replace('<key>', rawKey),
        ...(method === 'POST' && { body: '{}' }),
      }),
    );
    expect(reply.status).toBe(404);
    const message = expect.stringContaining('proxy key') as string;
    expect(JSON.parse(reply.body)).toEqual({ error: message, error_description: message, type: 'not_found' });
  });
}
