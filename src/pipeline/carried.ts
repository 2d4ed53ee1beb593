import { addAll } from '../add-all.ts';
import { takesHeader } from '../providers/client-headers.ts';
import type { Identified, Parsed } from './exchange.ts';

/** Client headers sent to MCP servers, besides those that repeat the message (`mcp/mirrored.ts`). */
const TO_MCP_SERVERS: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'user-agent',
]);

/** Issued by a server and bound to its key, so clients cannot write into it. */
const NOT_CLIENTS = 'mcp-session-id';

/** Reports whether a client header may be sent upstream. The gateway and Envoy set credentials and framing. */
export function isCarried({ mcp, provider }: Pick<Identified, 'mcp' | 'provider'>, name: string): boolean {
  return mcp === undefined ? takesHeader(provider, name) : TO_MCP_SERVERS.has(name);
}

/** Sent by the gateway with the client's own words. */
export const TRACE_STATE = 'tracestate';

/** A text that a client sends upstream outside the body. */
export type CarriedText =
  | { readonly place: 'header'; readonly name: string; readonly text: string }
  /** Path or query, which cannot be left out. */
  | { readonly place: 'address'; readonly text: string };

/**
 * Returns every text that travels outside the body: headers, query and path. Headers that repeat an MCP message are
 * left out, since the body is judged.
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

/** Decodings undone by the path check (`routing/path.ts`). */
const MAX_DECODINGS = 3;

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
    // Invalid as a whole: decodes each escape separately.
    return text.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  }
}

/** Keeps headers from being sent, in addition to those already withheld. */
export function withholdHeaders(exchange: Parsed, names: ReadonlySet<string>): void {
  if (names.size > 0) exchange.withheldHeaders = new Set([...names, ...(exchange.withheldHeaders ?? [])]);
}
