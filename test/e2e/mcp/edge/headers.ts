import { it, expect } from 'vitest';
import { SERVER_CREDENTIAL } from '../../../support/mcp-rig.ts';
import { NEW, forwarded, call, rig, post, rawKey, refused } from './rig.ts';

const META = { 'io.modelcontextprotocol/protocolVersion': NEW };

export function headers(): void {
  it('from the client pass unchanged, except credentials, identities and disguises', async () => {
    const passed = {
      accept: 'application/json, text/event-stream',
      'last-event-id': 'e-1',
      'mcp-protocol-version': '2025-11-25',
      'mcp-param-a_b': 'one',
      'mcp-param-c': 'two',
      'user-agent': 'agent/1',
    };
    const got = await forwarded(call('echo', { a: 'one', b: 'two' }), {
      headers: {
        ...passed,
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
      ...passed,
      authorization: SERVER_CREDENTIAL,
      host: new URL(rig.servers.files.url).host,
    });
    expect(JSON.stringify(got)).not.toContain('smuggled');
    expect(Object.keys(got.headers).filter((name) => name.startsWith('x-'))).toEqual(['x-request-id']);
  });

  it('with the server’s own credential appear in no log and no answer', async () => {
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
      'an invalid version',
      { ...newCall, params: { ...newCall.params, _meta: { [Object.keys(META)[0] ?? '']: 20 } } },
    ],
  ])('of the stateless era with a body whose metadata is %s are 400, -32602', async (_what, body) => {
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
  ])('with %s are 400, as MCP requires', async (_what, body, headers) => {
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
}
