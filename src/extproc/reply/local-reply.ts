import { ERROR_STATUS, type ErrorType } from '../../errors.ts';
import { HEADER } from '../../headers.ts';
import { REQUEST_ID_HEADERS } from '../../providers/native-errors.ts';
import type { StreamContext } from '../context.ts';
import { refusalAnswer, type RefusalAnswer } from './refusal-answer.ts';

/**
 * Envoy's own reply in the shape of the client's API. Envoy tells that by the path, which is the provider's own once a
 * request is on its way: what it said in the gateway's shape is said again. Undefined where it may stay as it is.
 */
export function localReply(
  { surface, requestId, services: { settings } }: StreamContext,
  body: Buffer,
): RefusalAnswer | undefined {
  if (surface.kind !== 'provider') return undefined;
  if (settings.errorFormat === 'gateway' && REQUEST_ID_HEADERS[surface.shape] === undefined) return undefined;
  const said = readReply(body);
  return said && refusalAnswer({ ...said, headers: [[HEADER.requestId, requestId]] }, surface, settings);
}

function readReply(body: Buffer): { readonly type: ErrorType; readonly message: string } | undefined {
  let said: unknown;
  try {
    said = JSON.parse(body.toString());
  } catch {
    return undefined; // none of ours: an answer without a body
  }
  const { error, type } = (said ?? {}) as { readonly error?: unknown; readonly type?: unknown };
  return typeof error === 'string' && isErrorType(type) ? { type, message: error } : undefined;
}

function isErrorType(type: unknown): type is ErrorType {
  return typeof type === 'string' && Object.hasOwn(ERROR_STATUS, type);
}
