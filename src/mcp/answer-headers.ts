/**
 * What an MCP client needs of an answer's headers, and all that it gets of them. Anything else could lead it to an address
 * that nobody configured (`WWW-Authenticate`, `Location`, `Link`, `Refresh`, `Alt-Svc` …), make it keep something for
 * all servers behind the gateway (`Set-Cookie`, `Strict-Transport-Security` …), or tell what a server knows.
 */
const SHOWN: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'mcp-session-id',
  'mcp-protocol-version',
  'allow',
  'cache-control',
  'date',
  'retry-after',
  'x-accel-buffering', // to a proxy before the gateway: send events as they come
]);
/** The response gate's own, which takes it out (envoy/response-gate.lua). */
const MARK = 'x-gw-origin';

/** Whether a header of an MCP server's answer (lower case) may go to the client. */
export function isShownToClients(name: string): boolean {
  return SHOWN.has(name) || name === MARK || name.startsWith(':');
}
