import { addAll } from '../add-all.ts';
import { takesHeader } from '../providers/client-headers.ts';
import type { Identified, Parsed } from './exchange.ts';

/** Client headers that an MCP server is sent, beside those that repeat the message (`mcp/mirrored.ts`). */
const TO_MCP_SERVERS: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'user-agent',
]);

/** Given out by a server and held to its key, so a client cannot write anything of its own into it. */
const NOT_CLIENTS = 'mcp-session-id';

/** True for a client header that may be sent upstream; credentials and framing are set by the gateway and Envoy. */
export function isCarried({ mcp, provider }: Pick<Identified, 'mcp' | 'provider'>, name: string): boolean {
  return mcp === undefined ? takesHeader(provider, name) : TO_MCP_SERVERS.has(name);
}

/** Sent by the gateway with the client's own words in it. */
export const TRACE_STATE = 'tracestate';

/** A text that a client sends upstream outside of the body. */
export type CarriedText =
  /** Can be left out. */
  | { readonly place: 'header'; readonly name: string; readonly text: string }
  /** Of path or query, which say what is asked for. */
  | { readonly place: 'address'; readonly text: string };

/**
 * Returns every text that travels outside of the body: headers, query and path. Headers that repeat an MCP message are
 * not among them, since they say what stands in the body.
 */
export function carriedTexts(exchange: Identified): readonly CarriedText[] {
  const texts: CarriedText[] = [];
  for (const [name, text] of exchange.headers) {
    if (name !== NOT_CLIENTS && isCarried(exchange, name)) texts.push({ place: 'header', name, text });
  }
  const { traceState } = exchange;
  if (traceState !== undefined) texts.push({ place: 'header', name: TRACE_STATE, text: traceState });
  if (exchange.mcp === undefined) addAll(texts, addressTexts(exchange));
  return texts;
}

function* addressTexts({ path, query }: Identified): Generator<CarriedText> {
  for (const segment of path.split('/')) {
    if (segment !== '') yield* writings(segment);
  }
  for (const part of query.slice(1).split('&')) {
    if (part === '') continue;
    const value = part.slice(part.indexOf('=') + 1);
    yield* writings(value);
    if (value.includes('+')) yield* writings(value.replaceAll('+', ' '));
  }
}

/** As many as a path's own check undoes (`routing/path.ts`). */
const MAX_DECODINGS = 3;

/** Yields a text as it is written, and what it says where it is percent-encoded. */
function* writings(written: string): Generator<CarriedText> {
  let text = written;
  for (let times = 0; times <= MAX_DECODINGS; times++) {
    yield { place: 'address', text };
    const next = percentDecoded(text);
    if (next === text) return;
    text = next;
  }
}

function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // Broken somewhere: each escape is read by itself.
    return text.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  }
}

/** Keeps headers from being sent, beside those that another check has found something in. */
export function withholdHeaders(exchange: Parsed, names: ReadonlySet<string>): void {
  if (names.size > 0) exchange.withheldHeaders = new Set([...names, ...(exchange.withheldHeaders ?? [])]);
}
