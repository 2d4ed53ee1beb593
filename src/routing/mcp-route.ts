import type { Config } from '../config/schema.ts';
import { GatewayError, methodNotAllowed } from '../errors.ts';
import { mcpBodyless, mcpMessages, mcpToolCalls } from '../mcp/dialect.ts';
import type { McpTarget } from '../mcp/message.ts';
import type { Endpoint } from '../providers/provider.ts';
import type { McpServerTarget } from './target.ts';
import type { McpUpstream } from './upstreams.ts';

/** Methods of each form of address: Streamable HTTP, and the path for tool calls only. */
const FORMS: Readonly<Record<McpTarget['form'], ReadonlyMap<string, Endpoint>>> = {
  streamable_http: new Map([
    ['POST', { operation: 'mcp', dialect: mcpMessages }],
    ['GET', { operation: 'mcp', dialect: mcpBodyless }],
    ['DELETE', { operation: 'mcp', dialect: mcpBodyless }],
  ]),
  tools_call: new Map([['POST', { operation: 'mcp', dialect: mcpToolCalls }]]),
};

const TOOLS_CALL = '/tools/call';

/**
 * Finds the MCP server for `/mcp/<server>` or `/mcp/<server>/tools/call`. Both lead to the server's own URL;
 * no part of the client's path or query is sent.
 */
export function createMcpRoute(
  { mcp: { max_request_size } }: Config,
  servers: ReadonlyMap<string, McpUpstream>,
): (method: string, path: string) => McpServerTarget {
  return (method, path) => {
    const [, first = '', server = ''] = path.split('/', 3);
    const upstream = servers.get(server);
    if (upstream === undefined) {
      throw new GatewayError(
        'unknown_mcp_server',
        'no MCP server of this name is configured: an operator lists servers in mcp.servers',
      );
    }
    const form = mcpForm(path.slice(`/${first}/${server}`.length));
    const endpoint = FORMS[form].get(method);
    if (endpoint === undefined) throw methodNotAllowed([...FORMS[form].keys()]);
    return {
      kind: 'mcp',
      upstream,
      endpoint,
      path,
      query: '',
      mcp: { server, form },
      maxRequestBytes: max_request_size,
    };
  };
}

/** @param rest the path after the server's name */
function mcpForm(rest: string): McpTarget['form'] {
  if (rest === '') return 'streamable_http';
  if (rest === TOOLS_CALL) return 'tools_call';
  throw new GatewayError('not_found', 'an MCP server is at /mcp/<server> or /mcp/<server>/tools/call');
}
