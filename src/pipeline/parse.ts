import { isObject, type JsonObject } from '../json/is-object.ts';
import { GatewayError } from '../errors.ts';
import { parseStrictInSteps } from '../json/strict-parse.ts';
import { refuseFoldedNames } from '../providers/folded-names.ts';
import { assertModelName } from '../providers/model-name.ts';
import { inTurns, LONG_STEP, runNow, type Awaitable, type Work } from '../turns.ts';
import type { Identified, Parsed } from './exchange.ts';

/** Maximum number of models per request, because each one costs a price lookup. */
const MAX_MODELS = 32;

/** Stage `Identified -> Parsed`: parses the body once, strictly. Throws GatewayError invalid_request. */
export function parseRequest(exchange: Identified, body: Buffer): Parsed {
  return runNow(requestInSteps(exchange, body));
}

export function parseInTurns(exchange: Identified, body: Buffer): Awaitable<Parsed> {
  return inTurns(requestInSteps(exchange, body));
}

/** Bodies of up to this size are parsed in one turn of the event loop. */
const LARGE_BYTES = 131_072;

export function isLarge(body: Buffer): boolean {
  return body.length > LARGE_BYTES;
}

function* requestInSteps(exchange: Identified, body: Buffer): Work<Parsed> {
  if (body.length === 0) throw new GatewayError('invalid_request', 'the request has no body');
  const json = yield* parseStrictInSteps(body);
  if (!isObject(json)) throw notAnObject(exchange, json);
  yield LONG_STEP;
  refuseFolded(exchange, json);
  yield LONG_STEP;
  return parsedExchange(exchange, body, json);
}

function parsedExchange(exchange: Identified, body: Buffer, json: JsonObject): Parsed {
  const facts = exchange.endpoint.dialect.request(json, exchange.endpoint);
  const models = [...facts.models, ...facts.hostedTools.flatMap(({ model }) => model ?? [])];
  if (models.length > MAX_MODELS) {
    throw new GatewayError('invalid_request', `the request names more than ${MAX_MODELS} models`);
  }
  models.forEach(assertModelName);
  const isProviders = exchange.mcp === undefined;
  const unbounded =
    facts.unbounded ?? (isProviders ? exchange.provider.unboundedBy?.(exchange.headers) : undefined);
  const request = unbounded === undefined ? facts : { ...facts, unbounded };
  return { ...exchange, body, json, request, edits: [] };
}

/** Skips unknown endpoints, where all members are read whatever their names, and MCP, which has its own rules. */
function refuseFolded({ endpoint, mcp }: Identified, json: JsonObject): void {
  if (mcp === undefined && endpoint.operation !== 'unknown') refuseFoldedNames(json);
}

/**
 * Overwrites the proxy key in a body, because it must never be sent upstream, even in a prompt. The key is Base64url,
 * so the body remains valid JSON of the same length. For escaped forms, see `spellsProxyKey`.
 */
export function withoutProxyKey(body: Buffer, rawKey: string): Buffer {
  let at = body.indexOf(rawKey);
  if (at < 0) return body;
  const masked = Buffer.from(body);
  for (; at >= 0; at = masked.indexOf(rawKey, at)) masked.fill('*', at, at + rawKey.length);
  return masked;
}

/** Reports whether the body spells the proxy key with JSON escapes. Few bodies escape ASCII characters. */
export function spellsProxyKey(body: Buffer, json: JsonObject, rawKey: string): boolean {
  return body.includes('\\u00') && JSON.stringify(json).includes(rawKey);
}

function notAnObject({ mcp }: Identified, json: unknown): GatewayError {
  const isBatch = mcp !== undefined && Array.isArray(json);
  return new GatewayError(
    'invalid_request',
    isBatch
      ? 'JSON-RPC batches are not supported (MCP removed them in 2025-06-18): send each message separately'
      : 'the body must be a JSON object',
  );
}
