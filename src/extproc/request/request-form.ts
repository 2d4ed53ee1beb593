import { GatewayError } from '../../errors.ts';
import { readMediaType } from '../../media-type.ts';
import type { Endpoint } from '../../providers/provider.ts';
import type { RequestHead } from './request-head.ts';

/** How a body is read: as JSON by its dialect, or, where nobody knows the endpoint, as bytes with words in them. */
export type BodyForm = 'json' | 'bytes';

export const JSON_TYPE = 'application/json';

/**
 * What can be said of a request's form before its body has come.
 * @throws GatewayError invalid_request, unsupported_media_type, payload_too_large
 */
export function assertForm(head: RequestHead, endpoint: Endpoint, hasBody: boolean, maxBytes: number): void {
  if (head.method !== 'POST') {
    if (hasBody) throw new GatewayError('invalid_request', `a ${head.method} request takes no body`);
    return;
  }
  const coding = head.headers.get('content-encoding');
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    throw new GatewayError('unsupported_media_type', 'send the body without Content-Encoding');
  }
  const transfer = head.headers.get('content-transfer-encoding');
  if (transfer !== undefined && !PLAIN_TRANSFERS.has(transfer.toLowerCase())) {
    throw new GatewayError('unsupported_media_type', 'send the body without Content-Transfer-Encoding');
  }
  if (bodyForm(head.headers.get('content-type'), endpoint) === undefined) {
    throw new GatewayError('unsupported_media_type', `send Content-Type: ${JSON_TYPE}`);
  }
  if (Number(head.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (!hasBody) throw new GatewayError('invalid_request', 'the request has no body');
}

const PLAIN_TRANSFERS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary']);

/** Undefined where the gateway does not take it. */
export function bodyForm(contentType: string | undefined, { operation }: Endpoint): BodyForm | undefined {
  if (isJson(contentType) || saysNothing(contentType)) return 'json';
  if (operation === 'unknown') return isOfWords(contentType) ? 'bytes' : undefined;
  // What the AWS SDK for JavaScript calls the JSON of InvokeModel, where its user calls it nothing.
  return operation !== 'mcp' && readMediaType(contentType).essence === ANY_BYTES ? 'json' : undefined;
}

const ANY_BYTES = 'application/octet-stream';

/** So comes JSON from clients that leave its type to the server (boto3's invoke_model). */
function saysNothing(contentType = ''): boolean {
  return contentType.trim() === '';
}

export function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('payload_too_large', `the request body exceeds ${maxBytes} bytes`);
}

/** In UTF-8, which is what JSON is read as here, and with no parameter that could mean something to somebody else. */
export function isJson(contentType: string | undefined): boolean {
  const { essence, charset, hasOtherParameters } = readMediaType(contentType);
  return essence === JSON_TYPE && charset === 'utf-8' && !hasOtherParameters;
}

/** One type, which is not JSON by another name, in letters that can be read here. */
function isOfWords(contentType: string | undefined): boolean {
  const { essence, charset } = readMediaType(contentType);
  return /^[\w.+-]+\/[\w.+-]+$/.test(essence) && !essence.includes('json') && charset !== 'other';
}
