import { addAll } from '../add-all.ts';
import { acceptsHeader } from '../providers/client-headers.ts';
import type { Provider } from '../providers/registry.ts';
import type { Identified, Parsed } from './exchange.ts';
import { MAX_DECODINGS } from '../text/decodings.ts';

/** Client headers sent to MCP servers, in addition to those that mirror the message (`mcp/mirrored.ts`). */
const TO_MCP_SERVERS: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'user-agent',
]);

/** Header issued by the server and bound to a key by the gateway, so clients cannot put text into it. */
const SERVER_ISSUED = 'mcp-session-id';

/** Reports whether a client header may be sent upstream. The gateway and Envoy set credentials and framing headers. */
export function isCarried(exchange: Carrier & Pick<Identified, 'provider'>, name: string): boolean {
  const { mcp, provider } = exchange;
  if (mcp !== undefined) return TO_MCP_SERVERS.has(name);
  const { accountHeaders }: Provider = provider;
  const choosesAccount = accountHeaders?.has(name) === true;
  return acceptsHeader(provider, name) && !(choosesAccount && isOnSharedAccount(exchange));
}

type Carrier = Pick<Identified, 'mcp' | 'heldCredential' | 'providerKey'>;

/** Reports whether the request uses a provider account that keys share, rather than the client's own. */
export function isOnSharedAccount({ mcp, heldCredential, providerKey }: Carrier): boolean {
  return mcp === undefined && (heldCredential !== undefined || providerKey === undefined);
}

/** Header sent by the gateway, with the client's value. */
export const TRACE_STATE = 'tracestate';

export type CarriedText =
  | { readonly place: 'header'; readonly name: string; readonly text: string }
  /** In the path or query, which cannot be omitted. */
  | { readonly place: 'address'; readonly text: string };

/**
 * Returns all texts sent upstream outside the body, except the MCP session id, and headers that mirror an MCP message,
 * which are judged in the body.
 */
export function carriedTexts(exchange: Identified): readonly CarriedText[] {
  const texts: CarriedText[] = [];
  for (const [name, text] of exchange.headers) {
    if (name !== SERVER_ISSUED && isCarried(exchange, name)) texts.push({ place: 'header', name, text });
  }
  const { traceState } = exchange;
  if (traceState !== undefined) texts.push({ place: 'header', name: TRACE_STATE, text: traceState });
  if (exchange.mcp === undefined) addAll(texts, addressTexts(exchange));
  return texts;
}

function addressTexts({ path, query }: Identified): CarriedText[] {
  const values = query
    .slice(1)
    .split('&')
    .map((part) => part.slice(part.indexOf('=') + 1));
  const spaced = values.filter((value) => value.includes('+')).map((value) => value.replaceAll('+', ' '));
  return [...path.split('/'), ...values, ...spaced]
    .filter((text) => text !== '')
    .flatMap(decodings)
    .map((text) => ({ place: 'address', text }));
}

function decodings(written: string): string[] {
  const texts: string[] = [];
  let text: string | undefined = written;
  while (text !== undefined && texts.length <= MAX_DECODINGS) {
    texts.push(text);
    const next = percentDecoded(text);
    text = next === text ? undefined : next;
  }
  return texts;
}

function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // The text as a whole cannot be decoded, so only ASCII escapes are.
    return text.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  }
}

export function withholdHeaders(exchange: Parsed, names: ReadonlySet<string>): void {
  if (names.size > 0) exchange.withheldHeaders = new Set([...names, ...(exchange.withheldHeaders ?? [])]);
}
