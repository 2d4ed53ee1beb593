import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { send, sendRaw, type Reply, type SendOptions } from '../../support/http.ts';
import { cli } from '../budgets/rig.ts';
import { SERVER_CREDENTIAL, SERVER_QUERY, startMcpRig, type McpRig } from '../../support/mcp-rig.ts';
import { withHostileHeaders, type McpRecorded } from '../../support/mcp-server.ts';

/** docs/mcp.md, "Error bodies": what is refused before an MCP server sees it, and what it is sent. */
const ORIGIN = 'https://app.example';
const MAX_REQUEST = 20_000;
const UPSTREAM_TIMEOUT_MS = 2_000;

type Name = 'files';

let rig: McpRig<Name>;
let auth: Record<string, string>;
let rawKey: string;
/** How the server answers; ends the response by itself. */
let respond: (request: McpRecorded, response: ServerResponse) => void;

beforeAll(async () => {
  rig = await startMcpRig(
    {
      files: {
        era: 'sessions',
        intercept(request, response) {
          respond(request, response);
          return true;
        },
      },
    },
    {
      proxy: { upstream_timeout: `${UPSTREAM_TIMEOUT_MS}ms` },
      mcp: { max_request_size: MAX_REQUEST, allowed_origins: [ORIGIN], circuit_breaker: { enabled: false } },
    },
  );
  const access = await rig.access('files');
  rawKey = access.rawKey;
  auth = { ...access.headers, 'content-type': 'application/json' };
});
afterAll(() => rig.close());
beforeEach(() => {
  respond = ({ body }, response) => {
    const id = (body as { id?: unknown } | undefined)?.id;
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } }),
    );
  };
});

const call = (name: string, args: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

const NEW = '2026-07-28';
const META = { 'io.modelcontextprotocol/protocolVersion': NEW };

function post(body: unknown, options: SendOptions = {}): Promise<Reply> {
  return send(rig.gateway.baseUrl, {
    path: '/mcp/files',
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...options,
    headers: { ...auth, ...options.headers },
  });
}

/** Sends what must pass, and returns what the server got. */
async function forwarded(body: unknown, options: SendOptions = {}): Promise<McpRecorded> {
  const before = rig.servers.files.requests.length;
  const reply = await post(body, options);
  expect([reply.status, reply.body]).toEqual([200, expect.stringContaining('done')]);
  const got = rig.servers.files.requests.slice(before);
  expect(got).toHaveLength(1);
  return got[0] as McpRecorded;
}

/** Sends what must be refused, and nothing of it reaches the server. */
async function refused(send_: () => Promise<Reply>): Promise<Reply> {
  const before = rig.servers.files.requests.length;
  const reply = await send_();
  expect(rig.servers.files.requests).toHaveLength(before);
  return reply;
}

interface RpcRefusal {
  readonly id: unknown;
  readonly error: { readonly code: number; readonly message: string };
}

/** What every client of MCP reads, and our own `type` at the top level. */
function expectRefusal(reply: Reply, status: number, type: string): RpcRefusal {
  expect([reply.status, reply.body]).toEqual([status, expect.stringContaining(`"type":"${type}"`)]);
  const refusal = JSON.parse(reply.body) as RpcRefusal;
  expect(refusal).toEqual({
    jsonrpc: '2.0',
    id: expect.toSatisfy((id) => id === null || typeof id === 'number' || typeof id === 'string') as unknown,
    error: {
      code: expect.toBeOneOf([-32000, -32001, -32600]) as number,
      message: expect.not.stringContaining('provider') as string,
      data: expect.objectContaining({ type }) as object,
    },
    type,
  });
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.headers['x-gateway-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  const isPolicy = type === 'policy_denied';
  expect(reply.headers['x-gateway-policy-block']).toBe(isPolicy ? 'true' : undefined);
  if (isPolicy) expect(reply.headers['x-gateway-block-reason']).toMatch(/^[\x21-\x7e][\x20-\x7e]{0,255}$/);
  return refusal;
}

describe('addresses and methods', () => {
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
    ['OPTIONS', '/mcp/files', 'POST, GET, DELETE'], // with a key, and none that a browser sends by itself
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

  it.each(['GET', 'DELETE'])('%s passes, and the answer is the server’s own', async (method) => {
    respond = (_request, response) => {
      response.writeHead(405, { allow: 'POST', 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","error":{"code":-32000,"message":"Method not allowed."}}');
    };
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
});

describe('an authorization server', () => {
  it.each([
    ['GET', '/.well-known/oauth-protected-resource'],
    ['GET', '/.well-known/oauth-protected-resource/mcp/files'],
    ['GET', '/.well-known/oauth-authorization-server/<key>/mcp/files'],
    ['GET', '/mcp/files/.well-known/openid-configuration'],
    ['GET', '/<key>/mcp/files/.well-known/openid-configuration'],
    ['POST', '/register'],
  ])('is nowhere, and no key is wanted to be told so: %s %s', async (method, shape) => {
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
});

describe('what a browser may do', () => {
  it.each([undefined, ORIGIN])('a request of origin %s passes', async (origin) => {
    await forwarded(call('echo'), { headers: origin === undefined ? {} : { origin } });
  });

  it.each(['127.0.0.1', 'localhost', '[::1]'])(
    'a page of the gateway’s own address passes (%s)',
    async (name) => {
      const host = `${name}:${rig.gateway.port}`;
      const got = await forwarded(call('echo'), { headers: { host, origin: `http://${host}` } });
      // The server would take the page for one of another address.
      expect(Object.keys(got.headers).filter((header) => /^(?:origin|referer|sec-)/.test(header))).toEqual(
        [],
      );
    },
  );

  it('a name that leads here is not its own address', async () => {
    const headers = { host: 'evil.example:80', origin: 'http://evil.example:80' };
    expectRefusal(await refused(() => post(call('echo'), { headers })), 403, 'policy_denied');
  });

  const PREFLIGHT = { 'access-control-request-method': 'POST' };
  const preflight = (path: string, headers: Record<string, string>): Promise<Reply> =>
    refused(() =>
      send(rig.gateway.baseUrl, { path, method: 'OPTIONS', headers: { ...PREFLIGHT, ...headers } }),
    );
  const ofCrossOrigin = (reply: Reply): string[] =>
    Object.keys(reply.headers).filter((name) => name.startsWith('access-control-'));

  it.each([
    '/mcp/files',
    '/mcp/files/tools/call',
    '/mcp/other',
    '/.well-known/oauth-protected-resource/mcp/files',
  ])('a preflight of an allowed origin is answered without a key (%s)', async (path) => {
    const asked = 'content-type, authorization, mcp-param-region, x-gateway-tag, x-evil';
    const reply = await preflight(path, { origin: ORIGIN, 'access-control-request-headers': asked });
    expect([reply.status, reply.body]).toEqual([204, '']);
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'POST, GET, DELETE',
      'access-control-max-age': '600',
      vary: 'Origin',
    });
    const allowed = (reply.headers['access-control-allow-headers'] as string).toLowerCase().split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining(
        'content-type authorization last-event-id mcp-session-id mcp-protocol-version mcp-method mcp-name mcp-param-region x-gateway-session-id x-gateway-tag'.split(
          ' ',
        ),
      ),
    );
    expect(allowed.join()).not.toMatch(/evil|\*/);
    expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it.each(['https://evil.example', 'null', `${ORIGIN}/`])(
    'a preflight of origin %s is 403',
    async (origin) => {
      const reply = await preflight('/mcp/files', { origin });
      expectRefusal(reply, 403, 'policy_denied');
      expect(ofCrossOrigin(reply)).toEqual([]);
    },
  );

  it('there is none to a provider', async () => {
    const reply = await preflight('/openai/v1/models', { origin: ORIGIN });
    expect([reply.status, ofCrossOrigin(reply)]).toEqual([401, []]);
  });

  it.each<[string, number, () => Promise<Reply>]>([
    ['an answer', 200, () => post(call('echo'), { headers: { origin: ORIGIN } })],
    [
      'a wrong key',
      401,
      () => post(call('echo'), { headers: { origin: ORIGIN, authorization: 'Bearer gw-x' } }),
    ],
    ['no JSON', 400, () => post('{', { headers: { origin: ORIGIN } })],
    ['no such server', 404, () => post(call('echo'), { path: '/mcp/other', headers: { origin: ORIGIN } })],
  ])('a page of an allowed origin may read %s', async (_what, status, send_) => {
    const reply = await send_();
    expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([status, ORIGIN]);
    const exposed = (reply.headers['access-control-expose-headers'] as string).toLowerCase().split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining([
        'mcp-session-id',
        'www-authenticate',
        'x-gateway-request-id',
        'x-gateway-block-reason',
      ]),
    );
    expect(exposed).not.toContain('x-gateway-upstream');
  });

  it('a page of an allowed origin may read that the server is gone', async () => {
    respond = (_request, response) => response.destroy();
    const reply = await post(call('echo'), { headers: { origin: ORIGIN } });
    expect([reply.status, reply.headers['access-control-allow-origin']]).toEqual([502, ORIGIN]);
  });

  it.each(['https://evil.example', `${ORIGIN}.evil`, `${ORIGIN}/`, `${ORIGIN}, ${ORIGIN}`, 'null'])(
    'a request of origin %s is refused',
    async (origin) => {
      expectRefusal(await refused(() => post(call('echo'), { headers: { origin } })), 403, 'policy_denied');
      const get = await refused(() =>
        send(rig.gateway.baseUrl, {
          path: '/mcp/files',
          headers: { authorization: `Bearer ${rawKey}`, origin },
        }),
      );
      expectRefusal(get, 403, 'policy_denied');
      expect(ofCrossOrigin(get)).toEqual([]);
    },
  );
});

describe('bodies', () => {
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
    ['is no JSON', null, '{"jsonrpc":"2.0","id":7'],
    ['has two', null, '{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}'],
    ['has one that is none', null, JSON.stringify(call('echo', {}, 1.5))],
    [
      'has one, and is long',
      null,
      JSON.stringify({ ...call('echo', {}, 'q'), pad: 'x'.repeat(MAX_REQUEST) }),
    ],
  ])('that are refused unread are answered under their id, where it %s', async (_what, id, body) => {
    const reply = await refused(() => post(body));
    expect((JSON.parse(reply.body) as RpcRefusal).id).toBe(id);
  });

  it('a batch is told that there are none any more', async () => {
    expect((await post([call('echo')])).body).toContain('batches are not taken');
  });

  it('that are no JSON by their own word are 415', async () => {
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

  it('that hold the proxy key never carry it on', async () => {
    const got = await forwarded(call('echo', { text: `my key is ${rawKey}` }));
    expect(JSON.stringify(got.body)).not.toContain(rawKey);
    const escaped = JSON.stringify(call('echo', { text: rawKey })).replace(
      `"${rawKey}`,
      `"\\u0067${rawKey.slice(1)}`,
    );
    expectRefusal(await refused(() => post(escaped)), 400, 'invalid_request');
  });
});

describe('headers', () => {
  it('the client’s pass as they are, but for credentials, identities and disguises', async () => {
    const got = await forwarded(call('echo', { a: 'one', b: 'two' }), {
      headers: {
        accept: 'application/json, text/event-stream',
        'last-event-id': 'e-1',
        'mcp-protocol-version': '2025-11-25',
        'mcp-param-a_b': 'one',
        'mcp-param-c': 'two',
        'user-agent': 'agent/1',
        mcp_session_id: 'smuggled',
        x_api_key: 'smuggled',
        cookie: 'smuggled=1',
        'x-api-key': 'sk-smuggled',
        'x-gateway-session-id': 'smuggled',
        'x-gateway-upstream': 'provider_openai',
        'x-forwarded-host': 'smuggled',
        baggage: 'smuggled',
      },
    });
    expect(got.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'last-event-id': 'e-1',
      'mcp-protocol-version': '2025-11-25',
      'mcp-param-a_b': 'one',
      'mcp-param-c': 'two',
      'user-agent': 'agent/1',
      authorization: SERVER_CREDENTIAL,
      host: new URL(rig.servers.files.url).host,
    });
    expect(JSON.stringify(got)).not.toContain('smuggled');
    expect(Object.keys(got.headers).filter((name) => name.startsWith('x-'))).toEqual(['x-request-id']);
  });

  it('a server’s own credential stands in no log and no answer', async () => {
    const reply = await post(call('echo'));
    expect(JSON.stringify(reply)).not.toContain('of-the-server-alone');
    expect(rig.gateway.logs()).not.toContain('of-the-server-alone');
    expect(rig.gateway.logs()).not.toContain(rawKey);
  });

  const stateless = { 'mcp-protocol-version': NEW, 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
  const newCall = {
    ...call('echo', { region: 'eu' }, 'a-1'),
    params: { name: 'echo', arguments: { region: 'eu' }, _meta: META },
  };

  it('that repeat the body pass', async () => {
    const got = await forwarded(newCall, { headers: { ...stateless, 'mcp-param-region': 'eu' } });
    expect(got.headers).toMatchObject({ ...stateless, 'mcp-param-region': 'eu' });
  });

  it.each<[string, object]>([
    ['nothing', call('echo', { region: 'eu' }, 'a-1')],
    ['all but its version', { ...newCall, params: { ...newCall.params, _meta: { other: 1 } } }],
    [
      'a version that is none',
      { ...newCall, params: { ...newCall.params, _meta: { [Object.keys(META)[0] ?? '']: 20 } } },
    ],
  ])('of the stateless era with a body that says of itself %s are 400, -32602', async (_what, body) => {
    const reply = await refused(() => post(body, { headers: stateless }));
    expect([reply.status, JSON.parse(reply.body)]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        id: 'a-1',
        error: {
          code: -32602,
          message: expect.stringMatching(/^Invalid params: .*_meta/) as string,
          data: { type: 'invalid_params' },
        },
      },
    ]);
  });

  it.each<[string, object, Record<string, string>]>([
    ['another tool', newCall, { ...stateless, 'mcp-name': 'harmless' }],
    ['another method', newCall, { ...stateless, 'mcp-method': 'tools/list' }],
    ['another version', newCall, { ...stateless, 'mcp-protocol-version': '2025-11-25' }],
    ['no method', newCall, { 'mcp-protocol-version': NEW, 'mcp-name': 'echo' }],
    ['no name', newCall, { 'mcp-protocol-version': NEW, 'mcp-method': 'tools/call' }],
    ['no version', newCall, { 'mcp-method': 'tools/call', 'mcp-name': 'echo' }],
    ['a broken encoding', newCall, { ...stateless, 'mcp-name': '=?base64?!?=' }],
    ['another argument', newCall, { ...stateless, 'mcp-param-region': 'us' }],
    ['another tool, in the older era', call('rm', {}, 'a-1'), { 'mcp-name': 'echo' }],
  ])('that say %s are 400, as MCP has it', async (_what, body, headers) => {
    const reply = await refused(() => post(body, { headers }));
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body)).toEqual({
      jsonrpc: '2.0',
      id: 'a-1',
      error: {
        code: -32020,
        message: expect.stringMatching(/^Header mismatch: /) as string,
        data: { type: 'header_mismatch' },
      },
    });
    expect(reply.headers['content-type']).toBe('application/json');
  });
});

describe('a tool that a key may not call', () => {
  let limited: Record<string, string>;
  beforeAll(async () => {
    const access = await rig.access('files', { key: { allowedTools: ['echo'] } });
    limited = { ...auth, ...access.headers };
  });

  it.each(['/mcp/files', '/mcp/files/tools/call'])('is refused alike at %s, with HTTP 200', async (path) => {
    const reply = await refused(() => post(call('rm', {}, 'call-7'), { path, headers: limited }));
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json',
      'x-gateway-policy-block': 'true',
      'x-gateway-block-reason': expect.stringMatching(/^[\x20-\x7e]{1,256}$/) as string,
    });
    const { error, ...rest } = JSON.parse(reply.body) as { error: Record<string, unknown> };
    expect(rest).toEqual({ jsonrpc: '2.0', id: 'call-7' });
    expect(error).toEqual({
      code: -32001,
      message: `Error: tool [rm] blocked. Reason: ${String(reply.headers['x-gateway-block-reason'])}`,
      data: {
        type: 'policy_denied',
        reason: reply.headers['x-gateway-block-reason'],
        tool_name: 'rm',
        rule: 'allowed_tools',
      },
    });
    await forwarded(call('echo'), { path, headers: limited });
  });

  it.each([
    ['line breaks', 'rm\r\nx-evil: 1'],
    ['letters of all kinds', 'rm \u{1f5d1} \u202e käse'],
    ['quotes', 'rm"],"id":5,"x":["'],
    ['much of it', 'rm'.repeat(5_000)],
    ['a name of the machinery', '__proto__'],
  ])('is refused by whatever name: %s', async (_what, name) => {
    const reply = await refused(() => post(call(name), { headers: limited }));
    expect([reply.status, reply.headers['x-evil']]).toEqual([200, undefined]);
    const { id, error } = JSON.parse(reply.body) as { id: number; error: { code: number; message: string } };
    expect([id, error.code]).toEqual([1, -32001]);
    expect(error.message.length).toBeLessThan(400);
    expect(error.message).not.toMatch(/[\n\r\u202e]/);
  });
});

describe('a server that fails', () => {
  it('keeps its own errors', async () => {
    respond = (_request, response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"broken"}}');
    };
    const reply = await post(call('echo'));
    expect([reply.status, reply.body]).toEqual([500, expect.stringContaining('broken')]);
  });

  it('that hangs up is 502', async () => {
    respond = (_request, response) => response.destroy();
    const refusal = expectRefusal(await post(call('echo', {}, 'lost')), 502, 'upstream_unavailable');
    expect([refusal.id, refusal.error]).toEqual([
      'lost',
      { code: -32000, message: 'the MCP server cannot be reached', data: { type: 'upstream_unavailable' } },
    ]);
  });

  it.each([401, 403, 407])(
    'that refuses the gateway (%i) is 502, and leads nobody to authorize',
    async (status) => {
      respond = (_request, response) => {
        response.writeHead(status, {
          'content-type': 'application/json',
          'www-authenticate': 'Bearer resource_metadata="https://evil.example/"',
        });
        response.end('{"error":"invalid_token"}');
      };
      const reply = await post(call('echo'));
      const { error } = expectRefusal(reply, 502, 'upstream_unavailable');
      expect(error.message).toContain(`HTTP ${status}`);
      expect(error.message).toContain('mcp.servers[].headers');
      expect(JSON.stringify(reply)).not.toMatch(/evil|of-the-server-alone|www-authenticate/);
    },
  );

  it.each([301, 302, 307, 308])(
    'that redirects (%i) is 502: whoever followed would go past the gateway',
    async (status) => {
      respond = (_request, response) =>
        response.writeHead(status, { location: `${rig.servers.files.url}/` }).end();
      const reply = await post(call('echo'));
      expectRefusal(reply, 502, 'upstream_unavailable');
      expect(reply.headers.location).toBeUndefined();
    },
  );

  it('that says nothing is 504 after proxy.upstream_timeout', async () => {
    respond = () => undefined;
    const began = performance.now();
    expectRefusal(await post(call('echo')), 504, 'upstream_timeout');
    expect(performance.now() - began).toBeGreaterThan(UPSTREAM_TIMEOUT_MS - 100);
  });
});

describe('the headers of an answer', () => {
  const NEEDED = {
    'mcp-session-id': 'given-out-1',
    'mcp-protocol-version': '2025-11-25',
    'cache-control': 'no-cache, no-transform',
    'retry-after': '7',
    'x-accel-buffering': 'no',
    allow: 'POST, GET, DELETE',
    date: 'Sun, 22 Nov 2026 10:00:00 GMT',
  };
  const MESSAGE = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}';
  const ERROR = '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"done"}}';
  const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const json = (status: number, body: string) => (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  function events(response: ServerResponse) {
    response.writeHead(200, { 'content-type': 'text/event-stream', trailer: 'location' });
    response.write(`data: ${MESSAGE}\n\n`);
    response.addTrailers({ location: 'https://evil.example/', 'mcp-evil': 'evil.example' });
    response.end();
  }
  function inChunks(response: ServerResponse) {
    response.writeHead(200, { 'content-type': 'application/json', trailer: 'location' });
    response.write(MESSAGE.slice(0, 20));
    response.addTrailers({ location: 'https://evil.example/' });
    response.end(MESSAGE.slice(20));
  }
  const afterEarlyHints = (response: ServerResponse) =>
    response.writeEarlyHints(
      { link: '<https://evil.example/>; rel=preload', location: 'https://evil.example/' },
      () => json(200, MESSAGE)(response),
    );

  it.each<[string, number, (response: ServerResponse) => unknown, object?]>([
    ['a whole answer', 200, json(200, MESSAGE)],
    ['a whole answer in chunks, with trailers', 200, inChunks],
    ['a whole answer after early hints', 200, afterEarlyHints],
    ['a stream, with trailers', 200, events],
    ['an empty answer to a notification', 202, (response) => response.writeHead(202).end(), INITIALIZED],
    ['words after a notification', 202, (response) => response.writeHead(202).end('Accepted'), INITIALIZED],
    ['a created one', 201, json(201, MESSAGE)],
    ['a bad request', 400, json(400, ERROR)],
    ['no such session', 404, json(404, ERROR)],
    ['too many requests', 429, json(429, ERROR)],
    ['a fault', 500, json(500, ERROR)],
    ['a fault without a word', 503, (response) => response.writeHead(503).end()],
  ])('are those that a client needs and no other: of %s', async (_what, status, answer, body) => {
    respond = (request, response) => {
      for (const [name, value] of Object.entries(NEEDED)) response.setHeader(name, value);
      withHostileHeaders(request, response);
      answer(response);
    };
    for (const path of ['/mcp/files', ...(body === undefined ? ['/mcp/files/tools/call'] : [])]) {
      const reply = await post(body ?? call('echo'), { path });
      expect([reply.status, reply.cut]).toEqual([status, false]);
      expectNeeded(reply);
    }
  });

  it.each<[string, string, number, (response: ServerResponse) => unknown]>([
    ['the server’s own stream', 'GET', 200, events],
    ['a stream that it does not have', 'GET', 405, json(405, ERROR)],
    ['an ended session', 'DELETE', 200, (response) => response.writeHead(200).end()],
    ['an ended session, without a word', 'DELETE', 204, (response) => response.writeHead(204).end()],
    ['a session that is kept', 'DELETE', 405, json(405, ERROR)],
  ])('are no other: of %s', async (_what, method, status, answer) => {
    const { 'content-type': _none, ...headers } = auth;
    respond = (request, response) => {
      for (const [name, value] of Object.entries(NEEDED)) response.setHeader(name, value);
      withHostileHeaders(request, response);
      answer(response);
    };
    const reply = await send(rig.gateway.baseUrl, { method, path: '/mcp/files', headers });
    expect([reply.status, reply.cut]).toEqual([status, false]);
    expectNeeded(reply);
  });

  it.each([300, 301, 302, 303, 305, 307, 308, 399])(
    'of a %i are none of the server’s, whether or not it says where to',
    async (status) => {
      for (const names of [[], ['location'], ['refresh', 'link', 'content-location']]) {
        respond = (_request, response) => {
          for (const name of names) response.setHeader(name, 'https://evil.example/');
          json(status, MESSAGE)(response);
        };
        const reply = await post(call('echo'));
        expectRefusal(reply, 502, 'upstream_unavailable');
        expect(JSON.stringify(reply)).not.toContain('evil.example');
      }
    },
  );

  it('of a refused answer are the gateway’s own', async () => {
    respond = (request, response) => {
      for (const [name, value] of Object.entries(NEEDED)) response.setHeader(name, value);
      withHostileHeaders(request, response);
      json(200, 'no message')(response);
    };
    const reply = await post(call('echo'));
    expectRefusal(reply, 502, 'upstream_unavailable');
    expect(JSON.stringify(reply)).not.toContain('evil.example');
  });

  function expectNeeded({ headers, trailers, body }: Reply): void {
    expect(headers).toMatchObject(NEEDED);
    const carried = ['connection', 'content-length', 'content-type', 'transfer-encoding', 'keep-alive'];
    const ours = ['x-gateway-request-id'];
    expect(
      Object.keys(headers).filter((name) => ![...Object.keys(NEEDED), ...carried, ...ours].includes(name)),
    ).toEqual([]);
    expect(trailers).toEqual({});
    expect(JSON.stringify([headers, body])).not.toContain('evil.example');
  }
});

describe('the server’s own stream', () => {
  const listen = (key = rawKey, onText?: (text: string) => void): Promise<Reply> =>
    send(rig.gateway.baseUrl, {
      path: '/mcp/files',
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
      ...(onText !== undefined && { onText }),
    });

  it.each([
    ['locked', 'quarantined', 'quarantine', 'set'],
    ['revoked', 'invalid_key', 'keys', 'revoke'],
  ])(
    'is cut with its next event once its key is %s',
    async (_how, type, ...command) => {
      const key = await rig.gateway.createKey();
      let hungUp: () => void = () => undefined;
      const serverFreed = new Promise<void>((resolve) => (hungUp = resolve));
      respond = (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const message = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        const beat = setInterval(() => response.write(`data: ${message}\n\n`), 50);
        response.on('close', () => {
          clearInterval(beat);
          hungUp();
        });
      };
      let refusing: Promise<unknown> | undefined;
      const reply = await listen(key.rawKey, () => {
        refusing ??= cli(rig.gateway, ...command, key.keyHash);
      });
      await Promise.all([refusing, serverFreed]);
      const last = reply.body.trimEnd().split('\n\n').at(-1) ?? '';
      expect(JSON.parse(last.slice('data: '.length))).toMatchObject({
        jsonrpc: '2.0',
        error: { code: -32000, data: { type } },
      });
    },
    15_000,
  );

  it('lives as long as something comes, be it comments alone', async () => {
    const beats = 16;
    respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      void (async () => {
        for (let beat = 0; beat < beats; beat++) {
          await delay(UPSTREAM_TIMEOUT_MS / 10);
          response.write(': beat\n\n');
        }
        response.end();
      })();
    };
    const began = performance.now();
    const reply = await listen();
    expect([reply.status, reply.cut]).toEqual([200, false]);
    expect(reply.body.match(/: beat/g)).toHaveLength(beats);
    expect(performance.now() - began).toBeGreaterThan(UPSTREAM_TIMEOUT_MS * 1.5);
  }, 15_000);

  it('that is silent for proxy.upstream_timeout is closed, and the client may open it again', async () => {
    respond = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\ndata: \n\n');
    };
    const began = performance.now();
    const reply = await listen();
    expect(reply.cut).toBe(true);
    expect(reply.body).toContain('id: 1');
    expect(performance.now() - began).toBeLessThan(UPSTREAM_TIMEOUT_MS * 3);
  }, 15_000);
});

it('a key without money may call tools, which cost none', async () => {
  const { rawKey: poor } = await rig.gateway.createKey({}, { daily: 0 });
  await forwarded(call('echo'), { headers: { authorization: `Bearer ${poor}` } });
});
