import { GatewayError } from '../../errors.ts';
import { readMediaType } from '../../media-type.ts';
import type { Endpoint } from '../../providers/dialect.ts';
import type { RequestHead } from './request-head.ts';

/** `bytes` is a body other than JSON, sent to an unknown endpoint. */
export type BodyForm = 'json' | 'bytes';

export const JSON_TYPE = 'application/json';

/** @throws GatewayError invalid_request, unsupported_media_type, payload_too_large */
export function assertForm(head: RequestHead, endpoint: Endpoint, hasBody: boolean, maxBytes: number): void {
  if (head.method !== 'POST') {
    if (hasBody) throw new GatewayError('invalid_request', `a ${head.method} request must not have a body`);
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
  const form = bodyForm(head.headers.get('content-type'), endpoint);
  if (form === undefined) {
    throw new GatewayError('unsupported_media_type', `send Content-Type: ${JSON_TYPE}`);
  }
  if (Number(head.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
  // Requests to unknown endpoints may lack a body: SDKs send none to cancel a batch or a response.
  if (!hasBody && (endpoint.operation !== 'unknown' || form === 'bytes')) {
    throw new GatewayError('invalid_request', 'the request has no body');
  }
}

const PLAIN_TRANSFERS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary']);

/** Returns undefined for an unsupported type. */
export function bodyForm(contentType: string | undefined, { operation }: Endpoint): BodyForm | undefined {
  if (isJson(contentType) || isUnspecified(contentType)) return 'json';
  if (operation === 'unknown') return isPlainText(contentType) ? 'bytes' : undefined;
  // The AWS SDK for JavaScript sends the JSON of InvokeModel with this type by default.
  return operation !== 'mcp' && readMediaType(contentType).essence === ANY_BYTES ? 'json' : undefined;
}

const ANY_BYTES = 'application/octet-stream';

/** boto3's invoke_model sends its JSON without a type. */
function isUnspecified(contentType = ''): boolean {
  return contentType.trim() === '';
}

export function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('payload_too_large', `the request body exceeds ${maxBytes} bytes`);
}

/** Reports whether the type is JSON in UTF-8, without parameters that an upstream might interpret. */
export function isJson(contentType: string | undefined): boolean {
  const { essence, charset, hasOtherParameters } = readMediaType(contentType);
  return essence === JSON_TYPE && charset === 'utf-8' && !hasOtherParameters;
}

function isPlainText(contentType: string | undefined): boolean {
  const { essence, charset } = readMediaType(contentType);
  return /^[\w.+-]+\/[\w.+-]+$/.test(essence) && !essence.includes('json') && charset !== 'other';
}
