import { HEADER } from '../../headers.ts';
import { isCarried } from '../../pipeline/carried.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { signSigV4 } from '../../signing/sigv4.ts';
import type { HeaderList } from '../wire/messages.ts';
import { bodyForm, isJson, JSON_TYPE } from './request-form.ts';

const NOTHING = Buffer.alloc(0);

/** Names the model that serves an alias in the answer's headers, which hold visible ASCII. */
export function noteServed({ alias, provider, request, responseHeaders }: Parsed): void {
  if (alias === undefined) return;
  const model = (request.model ?? '').replace(/[^\x21-\x7e]/g, '?');
  responseHeaders.set(HEADER.servedBy, `${provider.name}/${model}`);
}

/** Frees what only the request needed, since a stream may run for hours. */
export function emptyForwarded(exchange: Parsed): void {
  exchange.body = NOTHING;
  exchange.json = {};
  exchange.facts.prompt = undefined;
  exchange.facts.searched = undefined;
  exchange.facts.judged = undefined;
  exchange.facts.judgedAgain = undefined;
}

/** Declares a body that was read as JSON as JSON, so that the upstream reads it likewise. */
export function contentType({ endpoint, headers, method }: Parsed): HeaderList {
  const type = headers.get('content-type');
  const lacksType = method === 'POST' && !isJson(type) && bodyForm(type, endpoint) === 'json';
  return lacksType ? [['content-type', JSON_TYPE]] : [];
}

/** Returns the headers of the single credential that a provider gets. */
export function credentialHeaders(
  exchange: Parsed,
  authority: string,
  path: string,
  body: Buffer,
): HeaderList {
  if (exchange.providerKey === undefined) return [];
  const credential = exchange.provider.credential(exchange.providerKey);
  if (credential.kind === 'header') return [[credential.name, credential.value]];
  return Object.entries(signSigV4({ credential, method: exchange.method, authority, path, body }));
}

/** Framing headers, and Envoy's own: it reads some when it routes again, and its route removes those. */
export const ENVOYS: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-request-id',
]);

/**
 * Reports whether a client header may be forwarded: an allowlist, since a list of forbidden headers is never
 * complete.
 */
export function isSent(exchange: Parsed, name: string): boolean {
  if (ENVOYS.has(name)) return true;
  return isCarried(exchange, name) && exchange.withheldHeaders?.has(name) !== true;
}
