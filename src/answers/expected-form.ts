import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors.ts';
import { readMediaType } from '../media-type.ts';
import { type Answered, isSuccess } from '../pipeline/exchange.ts';
import { MAY_BE_JSON } from '../streams/format.ts';
import type { StreamFormat } from '../streams/frame.ts';
import type { ReadAnswer } from './read-answer.ts';

/**
 * Refuses a `Content-Type` that the endpoint never sends. Known endpoints answer with JSON, or with a stream if their
 * dialect has one. Images, archives and text in other character sets could hide anything.
 * @param format stream format; undefined for a whole body
 * @throws GatewayError upstream_unavailable
 */
export function assertMediaType(exchange: Answered, format: StreamFormat | undefined): void {
  if (!isOfKnownEndpoint(exchange)) return;
  const contentType = exchange.answerHeaders.get('content-type');
  if (readMediaType(contentType).charset === 'other') throw unexpected('an unsupported character set');
  if (!isSuccess(exchange)) return;
  const isExpected = format === undefined ? mayBeJson(contentType) : streams(exchange);
  if (!isExpected) throw unexpected('an unexpected Content-Type');
}

/** @throws GatewayError upstream_unavailable if a whole body is neither JSON nor an error in UTF-8 text */
export function assertBody({ exchange, whole, parsed }: ReadAnswer): void {
  const { body, contentType } = whole;
  if (!isOfKnownEndpoint(exchange) || body.length === 0 || parsed !== undefined) return;
  if (isSuccess(exchange)) throw unexpected('a body that is not valid JSON');
  if (!isText(contentType) || body.includes(0) || !isUtf8(body))
    throw unexpected('an error that is not text');
}

/** Returns false for MCP servers, which the inspector checks, and for allowed unknown endpoints. */
export function isOfKnownEndpoint({ mcp, endpoint }: Pick<Answered, 'mcp' | 'endpoint'>): boolean {
  return mcp === undefined && endpoint.operation !== 'unknown';
}

function mayBeJson(contentType = ''): boolean {
  const { essence } = readMediaType(contentType);
  // A header with two types has no essence.
  if (essence === '') return contentType.trim() === '';
  return MAY_BE_JSON.has(essence) || essence.endsWith('+json');
}

function streams({ endpoint, request }: Answered): boolean {
  return endpoint.dialect.stream(request) !== undefined;
}

/** Accepts error pages from the provider's proxies, and errors without a type. */
function isText(contentType = ''): boolean {
  const { essence } = readMediaType(contentType);
  return (
    mayBeJson(contentType) || essence.startsWith('text/') || /^application\/(?:[a-z.-]+\+)?xml$/.test(essence)
  );
}

function unexpected(what: string): GatewayError {
  return new GatewayError('upstream_unavailable', `the provider answered with ${what}`);
}
