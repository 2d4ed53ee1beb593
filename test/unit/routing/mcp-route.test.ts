import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../support/default-config.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { createRoute } from '../../../src/routing/route.ts';
import type { McpServerTarget, Target } from '../../../src/routing/target.ts';
import { configuredUpstreams } from '../../../src/routing/upstreams.ts';

const MCP: ConfigInput['mcp'] = {
  enabled: true,
  max_request_size: 5_000,
  allowed_origins: ['https://app.example'],
  servers: [
    { name: 'files', url: 'https://mcp.example/v1/mcp?tenant=7', headers: { Authorization: 'Bearer own' } },
    { name: 'a.b', url: 'http://[::1]:8100/' },
    { name: 'a_b', url: 'http://127.0.0.1' },
    { name: 'constructor', url: 'http://127.0.0.1:1' },
  ],
};

function route(method: string, path: string, mcp = MCP): Target {
  const config = defaultConfig({ mcp });
  return createRoute(config, configuredUpstreams(config))(method, path, '?of=the-client');
}

function toServer(method: string, path: string): McpServerTarget {
  const target = route(method, path);
  if (target.kind !== 'mcp') throw new Error('it went to a provider');
  return target;
}

describe('an MCP server', () => {
  it.each([
    ['POST', '/mcp/files', 'streamable_http', 'mcp'],
    ['GET', '/mcp/files', 'streamable_http', 'mcp-bodyless'],
    ['DELETE', '/mcp/files', 'streamable_http', 'mcp-bodyless'],
    ['POST', '/mcp/files/tools/call', 'tools_call', 'mcp-tool-calls'],
  ])('accepts %s at %s', (method, path, form, dialect) => {
    const target = toServer(method, path);
    expect(target).toMatchObject({
      path,
      mcp: { server: 'files', form },
      maxRequestBytes: 5_000,
    });
    expect([target.endpoint.operation, target.endpoint.dialect.name]).toEqual(['mcp', dialect]);
  });

  it('is reached at its own address, whatever the client’s path', () => {
    expect(toServer('POST', '/mcp/files/tools/call').upstream).toEqual({
      cluster: 'mcp_files',
      tls: true,
      host: 'mcp.example',
      port: 443,
      authority: 'mcp.example',
      caFile: undefined,
      path: '/v1/mcp?tenant=7',
      headers: new Map([['authorization', 'Bearer own']]),
    });
    expect(toServer('POST', '/mcp/a.b').upstream).toMatchObject({
      cluster: 'mcp_a.b',
      tls: false,
      host: '::1',
      port: 8100,
      authority: '[::1]:8100',
      path: '/',
    });
    expect(toServer('POST', '/mcp/a_b').upstream).toMatchObject({ cluster: 'mcp_a_b', port: 80, path: '/' });
  });

  it.each([
    ['PUT', '/mcp/files', 'POST, GET, DELETE'],
    ['HEAD', '/mcp/files', 'POST, GET, DELETE'],
    ['constructor', '/mcp/files', 'POST, GET, DELETE'],
    ['GET', '/mcp/files/tools/call', 'POST'],
    ['DELETE', '/mcp/files/tools/call', 'POST'],
  ])('does not accept %s at %s', (method, path, allow) => {
    expect(() => route(method, path)).toThrow(
      expect.objectContaining({ type: 'method_not_allowed', headers: { allow } }),
    );
  });

  it.each(['/mcp', '/mcp/', '/mcp/other', '/mcp/Files', '/mcp/f%69les', '/mcp/toString', '/mcp//tools/call'])(
    'is not found at %s',
    (path) => {
      expect(() => route('POST', path)).toThrow(expect.objectContaining({ type: 'unknown_mcp_server' }));
    },
  );

  it.each([
    '/mcp/files/',
    '/mcp/files/tools',
    '/mcp/files/tools/call/',
    '/mcp/files/tools/list',
    '/mcp/files/tools%2Fcall',
    '/mcp/files/Tools/Call',
  ])('has nothing at %s', (path) => {
    expect(() => route('POST', path)).toThrow(expect.objectContaining({ type: 'not_found' }));
  });

  it('is unknown while MCP is off', () => {
    expect(() => route('POST', '/mcp/files', { ...MCP, enabled: false })).toThrow(
      expect.objectContaining({ type: 'unknown_mcp_server' }),
    );
  });
});
