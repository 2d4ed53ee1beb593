import { createHash } from 'node:crypto';
import { HEADER } from '../../headers.ts';
import { isCarried, isOnSharedAccount } from '../../pipeline/carried.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { signSigV4 } from '../../signing/sigv4.ts';
import type { StreamContext } from '../context.ts';
import type { HeaderChanges } from '../reply/respond.ts';
import type { HeaderList } from '../wire/messages.ts';
import { bodyForm, isJson, JSON_TYPE } from './request-form.ts';

const NOTHING = Buffer.alloc(0);

/** Adds the provider and model that serve an alias to the response headers, in visible ASCII. */
export function noteServed({ alias, provider, request, responseHeaders }: Parsed): void {
  if (alias === undefined) return;
  const model = (request.model ?? '').replace(/[^\x21-\x7e]/g, '?');
  responseHeaders.set(HEADER.servedBy, `${provider.name}/${model}`);
}

/** Frees the request's memory, because a stream may run for hours. */
export function emptyForwarded(exchange: Parsed): void {
  exchange.body = NOTHING;
  exchange.json = {};
  exchange.facts.prompt = undefined;
  exchange.facts.searched = undefined;
  exchange.facts.judged = undefined;
  exchange.facts.judgedAgain = undefined;
}

/** Sets the type of a body that was parsed as JSON, so that the upstream also parses it as JSON. */
export function contentType({ endpoint, headers, method }: Parsed): HeaderList {
  const type = headers.get('content-type');
  const lacksType = method === 'POST' && !isJson(type) && bodyForm(type, endpoint) === 'json';
  return lacksType ? [['content-type', JSON_TYPE]] : [];
}

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

const IDEMPOTENCY_KEY = 'idempotency-key';

/**
 * Keeps the idempotency keys of different proxy keys on one account apart, because a provider answers a repeated
 * idempotency key with its first answer. A client's retries get the same value.
 */
export function idempotencyHeaders(exchange: Parsed): HeaderList {
  const { key, headers } = exchange;
  const value = headers.get(IDEMPOTENCY_KEY);
  if (value === undefined || !isSent(exchange, IDEMPOTENCY_KEY) || !isOnSharedAccount(exchange)) return [];
  return [[IDEMPOTENCY_KEY, createHash('sha256').update(`${key.keyHash} ${value}`).digest('base64url')]];
}

/**
 * Adds the upstream's trace context to `set`, and removes client headers that are neither forwarded nor set.
 * @param passes reports whether a client header is forwarded
 */
export function requestChanges(
  context: StreamContext,
  exchange: Parsed,
  set: Map<string, string>,
  passes: (name: string) => boolean,
): HeaderChanges {
  const { provider, mcp, headers, withheldHeaders } = exchange;
  const call = { provider: provider.name, mcpServer: mcp?.server, host: set.get(':authority') ?? '' };
  for (const [name, value] of context.trace?.forward(call) ?? []) {
    if (withheldHeaders?.has(name) !== true) set.set(name, value);
  }
  return { set, remove: [...headers.keys()].filter((name) => !passes(name) && !set.has(name)) };
}

/** Framing headers, and headers that Envoy needs until it has routed again. */
export const ENVOY_HEADERS: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-request-id',
]);

/** Uses an allowlist, because no denylist is complete. */
export function isSent(exchange: Parsed, name: string): boolean {
  if (ENVOY_HEADERS.has(name)) return true;
  return isCarried(exchange, name) && exchange.withheldHeaders?.has(name) !== true;
}
