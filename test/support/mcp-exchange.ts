import { mcpMessages } from '../../src/mcp/dialect.ts';
import type { McpTarget } from '../../src/mcp/message.ts';
import type { KeyRecord } from '../../src/auth/key-record.ts';
import type { Parsed } from '../../src/pipeline/exchange.ts';
import type { JsonObject } from '../../src/json/is-object.ts';
import type { RequestFacts } from '../../src/providers/request-facts.ts';
import { factsOf, parsed } from './exchange.ts';

export interface McpRequestOptions {
  /** The JSON-RPC message; undefined is a GET. */
  readonly body?: JsonObject | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: Partial<KeyRecord>;
  readonly server?: string;
  readonly form?: McpTarget['form'];
  readonly method?: string;
}

/** A request to an MCP server as the stages before the checks leave it. */
export function mcpExchange(options: McpRequestOptions = {}): Parsed {
  const { body, headers = {}, key = {}, server = 'files', form = 'streamable_http' } = options;
  const base = parsed({ body: { model: 'm', messages: [] } });
  const path = form === 'tools_call' ? `/mcp/${server}/tools/call` : `/mcp/${server}`;
  const endpoint = { operation: 'mcp', dialect: mcpMessages } as const;
  const nothing: RequestFacts = { ...base.request, model: undefined, models: [], texts: [] };
  const request = body === undefined ? nothing : mcpMessages.request(body, endpoint);
  return {
    ...base,
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    path,
    endpoint,
    mcp: { server, form },
    key: { ...base.key, ...key },
    headers: new Map(Object.entries(headers)),
    json: body ?? {},
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    request,
    facts: factsOf(request),
  };
}

/** A call of a tool, as clients write it. */
export function toolCall(name: string, args: JsonObject = {}, id = 1): JsonObject {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } };
}
