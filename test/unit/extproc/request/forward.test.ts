import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../../src/config/schema.ts';
import { createContext } from '../../../../src/extproc/context.ts';
import { forward } from '../../../../src/extproc/request/forward.ts';
import type { EdgeServices } from '../../../../src/extproc/services.ts';
import type { At } from '../../../../src/extproc/state.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import type { Run } from '../../../../src/pipeline/run.ts';
import type { Target } from '../../../../src/routing/target.ts';
import { createRoute } from '../../../../src/routing/route.ts';
import { configuredUpstreams } from '../../../../src/routing/upstreams.ts';
import type { JsonEdit } from '../../../../src/json/path.ts';
import { mcpExchange, toolCall } from '../../../support/mcp-exchange.ts';
import { NOTHING_HIDDEN, parsed } from '../../../support/exchange.ts';
import { defaultConfig } from '../../../support/default-config.ts';

/** A request that no check denied. */
function judged(exchange: Parsed, target: Target): At<'parsed'> {
  return { at: 'parsed', exchange, run: {} as Run, target };
}

it('a forwarded request keeps no copy of its prompt while its answer streams', async () => {
  const written = configSchema.parse({});
  const config = { ...written, server: { ...written.server, insecure_dev: false } };
  const exchange = parsed({ body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hidden' }] } });
  exchange.facts.prompt = { normalizedTexts: ['hidden'], obfuscation: NOTHING_HIDDEN };
  const target = createRoute(config, configuredUpstreams(config))('POST', `/openai${exchange.path}`, '');
  const context = createContext({} as EdgeServices);
  await forward(context, judged(exchange, target), 'request_body');
  expect(context.state.at).toBe('forwarded');
  const { body, json, facts } = exchange;
  expect([body.length, json, facts.prompt]).toEqual([0, {}, undefined]);
});

describe('a request to an MCP server', () => {
  const config = defaultConfig({
    mcp: {
      enabled: true,
      servers: [{ name: 'files', url: 'https://mcp.example/mcp?t=1', headers: { 'X-Api-Key': 'own' } }],
    },
  });

  async function forwarded(
    headers: Record<string, string>,
    edits: readonly JsonEdit[] = [],
    body = toolCall('t', ARGS),
  ) {
    const exchange = mcpExchange({ body, headers });
    exchange.edits.push(...edits);
    const target = createRoute(config, configuredUpstreams(config))('POST', '/mcp/files', '');
    const context = createContext({} as EdgeServices);
    const reply = await forward(context, judged(exchange, target), 'request_body');
    const { response } = reply.request_body ?? {};
    const { set_headers = [], remove_headers = [] } = response?.header_mutation ?? {};
    return {
      set: Object.fromEntries(set_headers),
      removed: remove_headers,
      body: response?.body_mutation?.body?.toString(),
    };
  }

  const ARGS = { region: 'secret place', floor: 1 };
  const SERVER = {
    ':path': '/mcp?t=1',
    ':authority': 'mcp.example',
    'x-gateway-upstream': 'mcp_files',
    'x-api-key': 'own',
    // The client's had none.
    'content-type': 'application/json',
  };

  it('goes to the server’s own address, with the server’s headers and only allowed ones of the client', async () => {
    const sent = await forwarded({
      authorization: 'Bearer gw-x',
      'x-api-key': 'client',
      cookie: 'a=b',
      accept: 'text/event-stream',
      'last-event-id': '5',
      'mcp-session-id': 's',
      mcp_session_id: 't',
      'mcp-protocol-version': '2025-11-25',
      'mcp-name': 't',
      'mcp-param-floor_no': '1',
      'x-gateway-session-id': 'u',
    });
    expect(sent.set).toEqual(SERVER);
    expect(sent.removed).toEqual(['authorization', 'cookie', 'mcp_session_id', 'x-gateway-session-id']);
    expect(sent.body).toBeUndefined();
  });

  it('repeats edited arguments in its headers', async () => {
    const set: JsonEdit = { kind: 'set', path: ['params', 'arguments', 'region'], value: '*** Ort ü' };
    const remove: JsonEdit = { kind: 'remove', path: ['params', 'arguments', 'floor'] };
    const sent = await forwarded({ 'mcp-param-region': 'secret place', 'mcp-param-floor': '1' }, [
      set,
      remove,
    ]);
    expect(sent.set).toEqual({
      ...SERVER,
      'mcp-param-region': '=?base64?KioqIE9ydCDDvA==?=',
      'content-length': String(Buffer.byteLength(sent.body ?? '')),
    });
    expect(sent.removed).toEqual(['mcp-param-floor']);
    expect(JSON.parse(sent.body ?? '')).toEqual(toolCall('t', { region: '*** Ort ü' }));
  });

  it('repeats nothing without a body', async () => {
    const exchange = mcpExchange({
      headers: { 'mcp-method': 'tools/call', 'mcp-name': 't', 'mcp-param-a': 'b', 'mcp-session-id': 's' },
    });
    const target = createRoute(config, configuredUpstreams(config))('GET', '/mcp/files', '');
    const context = createContext({} as EdgeServices);
    const reply = await forward(context, judged(exchange, target), 'request_headers');
    const { response } = reply.request_headers ?? {};
    expect(response?.header_mutation?.remove_headers).toEqual(['mcp-method', 'mcp-name', 'mcp-param-a']);
  });
});
