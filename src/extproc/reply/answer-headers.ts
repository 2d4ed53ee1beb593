import { HEADER_PREFIX, TELEMETRY_HEADERS } from '../../headers.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import type { StreamContext } from '../context.ts';
import { withReceipt } from './receipt.ts';
import type { HeaderChanges } from './respond.ts';

/** The checks' headers in; a provider's copies of ours out, and of an MCP server's all that its clients do not need. */
export function headerChanges(context: StreamContext, exchange: Answered): HeaderChanges {
  const set = [...exchange.responseHeaders];
  const isShown = exchange.mcp === undefined ? isNoneOfOurs : isShownToClients;
  const remove: string[] = [];
  for (const name of exchange.answerHeaders.keys()) if (!isShown(name)) remove.push(name);
  const { stripTelemetry } = context.services.settings;
  const told = stripTelemetry ? set.filter(([name]) => !TELEMETRY_HEADERS.has(name)) : set;
  return { set: withReceipt(context, context.status, told), remove };
}

function isNoneOfOurs(name: string): boolean {
  return !name.startsWith(HEADER_PREFIX) && name !== 'trailer';
}

/** Headers that say of the provider's bytes what is not so of these. */
const OF_OTHER_BYTES = ['content-encoding', 'content-md5', 'content-digest', 'repr-digest', 'digest', 'etag'];

/** The same, where this body is sent in the place of what came. */
export function withBody(changes: HeaderChanges, body: Buffer): HeaderChanges {
  return {
    set: [...changes.set, ['content-length', String(body.length)]],
    remove: [...changes.remove, ...OF_OTHER_BYTES],
  };
}

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
function isShownToClients(name: string): boolean {
  return SHOWN.has(name) || name === MARK || name.startsWith(':');
}
