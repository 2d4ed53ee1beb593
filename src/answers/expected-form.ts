import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors.ts';
import { readMediaType } from '../media-type.ts';
import type { Answered } from '../pipeline/exchange.ts';
import { isSuccess } from '../pipeline/success.ts';
import { MAY_BE_JSON } from '../streams/format.ts';
import type { StreamFormat } from '../streams/frame.ts';
import type { ReadAnswer } from './read-answer.ts';

/**
 * Refuses the head of an answer that its endpoint does not give: every endpoint that the gateway can read answers JSON
 * or, where its dialect streams, a stream. Pictures, archives and text in other alphabets could hold anything unread.
 * @param format of the stream; undefined where the body comes whole
 * @throws GatewayError upstream_unavailable
 */
export function assertMediaType(exchange: Answered, format: StreamFormat | undefined): void {
  if (!isOfKnownEndpoint(exchange)) return;
  const contentType = exchange.answerHeaders.get('content-type');
  if (readMediaType(contentType).charset === 'other')
    throw unexpected('a character set that is not read here');
  if (!isSuccess(exchange)) return;
  const isExpected = format === undefined ? mayBeJson(contentType) : streams(exchange);
  if (!isExpected) throw unexpected('a Content-Type that this endpoint does not answer with');
}

/**
 * Refuses a whole body that is not what its endpoint answers: JSON, or an error as JSON or plain text.
 * @throws GatewayError upstream_unavailable
 */
export function assertBody({ exchange, whole, parsed }: ReadAnswer): void {
  const { body, contentType } = whole;
  if (!isOfKnownEndpoint(exchange) || body.length === 0 || parsed !== undefined) return;
  if (isSuccess(exchange)) throw unexpected('a body that cannot be read as JSON');
  if (!isText(contentType) || body.includes(0) || !isUtf8(body))
    throw unexpected('an error that is not text');
}

/** Not an MCP server's, whose answers its inspector holds to the protocol, nor one let through unknown. */
export function isOfKnownEndpoint({ mcp, endpoint }: Pick<Answered, 'mcp' | 'endpoint'>): boolean {
  return mcp === undefined && endpoint.operation !== 'unknown';
}

function mayBeJson(contentType = ''): boolean {
  const { essence } = readMediaType(contentType);
  // Two types in one are neither.
  if (essence === '') return contentType.trim() === '';
  return MAY_BE_JSON.has(essence) || essence.endsWith('+json');
}

function streams({ endpoint, request }: Answered): boolean {
  return endpoint.dialect.stream(request) !== undefined;
}

/** Pages of proxies on the provider's side, and errors that name no type. */
function isText(contentType = ''): boolean {
  const { essence } = readMediaType(contentType);
  return (
    mayBeJson(contentType) || essence.startsWith('text/') || /^application\/(?:[a-z.-]+\+)?xml$/.test(essence)
  );
}

function unexpected(what: string): GatewayError {
  return new GatewayError('upstream_unavailable', `the provider answered with ${what}`);
}
