import { ERROR_STATUS, type ErrorType, type Refusal } from '../../errors.ts';
import { HEADER } from '../../headers.ts';
import { REQUEST_ID_HEADERS } from '../../providers/native-errors.ts';
import type { StreamContext } from '../context.ts';
import type { ProcessingResponse } from '../wire/messages.ts';
import { withBody } from './answer-headers.ts';
import { withReceipt } from './receipt.ts';
import { refusalAnswer, type RefusalAnswer } from './refusal-answer.ts';
import { passWhole } from './respond.ts';

/** Passes Envoy's own reply, already settled, with its receipt and in the client's shape. */
export function passLocalReply(context: StreamContext, reply: Buffer): ProcessingResponse {
  const answer = localReply(context, reply);
  const set = withReceipt(context, context.status, answer?.headers ?? []);
  if (answer === undefined) {
    return set.length === 0
      ? { response_body: { response: {} } }
      : passWhole('response_body', { set, remove: [] });
  }
  const body = Buffer.from(answer.body);
  return passWhole('response_body', withBody({ set, remove: [] }, body), body);
}

/**
 * Returns Envoy's own reply in the shape of the client's API. Envoy decides by the path, which becomes the
 * provider's once a request is forwarded, so the common shape is rewritten. Undefined if it may stay.
 */
function localReply(
  { surface, requestId, services: { settings } }: StreamContext,
  body: Buffer,
): RefusalAnswer | undefined {
  if (surface.kind !== 'provider') return undefined;
  if (settings.errorFormat === 'gateway' && REQUEST_ID_HEADERS[surface.shape] === undefined) return undefined;
  const reply = readReply(body);
  return reply && refusalAnswer(reply, { surface, headers: [[HEADER.requestId, requestId]] }, settings);
}

function readReply(body: Buffer): Refusal | undefined {
  let reply: unknown;
  try {
    reply = JSON.parse(body.toString());
  } catch {
    return undefined; // none of ours: an answer without a body
  }
  const { error, type } = (reply ?? {}) as { readonly error?: unknown; readonly type?: unknown };
  return typeof error === 'string' && isErrorType(type) ? { type, message: error } : undefined;
}

function isErrorType(type: unknown): type is ErrorType {
  return typeof type === 'string' && Object.hasOwn(ERROR_STATUS, type);
}
