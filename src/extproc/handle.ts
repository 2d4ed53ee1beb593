import { GatewayError, ERROR_STATUS, type ErrorType, type Refusal } from '../errors.ts';
import { onRequestBody } from './phases/request-body.ts';
import { onRequestHeaders } from './phases/request-headers.ts';
import { onResponseBody } from './phases/response-body.ts';
import { onResponseHeaders } from './phases/response-headers.ts';
import { onResponseTrailers, onStreamChunk } from './phases/response-stream.ts';
import type { StreamContext } from './context.ts';
import { dropTrailers, type PhaseReply, passWhole } from './reply/respond.ts';
import type { ProcessingRequest, ProcessingResponse } from './wire/messages.ts';
import { HEADER } from '../headers.ts';
import { REQUEST_ID_HEADERS } from '../providers/native-errors.ts';
import { withBody, withReceipt } from './reply/answer-headers.ts';
import { refusalAnswer, type RefusalAnswer } from './reply/refusal-answer.ts';

export function handle(context: StreamContext, message: ProcessingRequest): PhaseReply | Promise<PhaseReply> {
  const { state } = context;
  switch (message.phase) {
    case 'request_headers':
      // Starting over would pass the provider's answer as one of Envoy's own.
      if (state.at !== 'opened') throw new Error('request headers came twice');
      return onRequestHeaders(context, message);
    case 'request_body':
      if (state.at !== 'identified') throw new Error('a body came before its headers');
      return onRequestBody(context, state, message);
    case 'request_trailers':
      // Envoy sends a body before trailers, so this request has no body, and no phase would judge it.
      if (state.at === 'identified') throw trailersAlone();
      return dropTrailers(
        'request_trailers',
        message.headers.map(([name]) => name),
      );
    case 'response_headers':
      return onResponseHeaders(context, message);
    case 'response_body':
      if (state.at === 'streaming' || state.at === 'streamed') return onStreamChunk(context, state, message);
      // The body may be the provider's.
      if (state.at === 'forwarded') throw new Error("an answer's body came before its headers");
      return state.at === 'answering'
        ? onResponseBody(context, state, message)
        : passLocalReply(context, message.body);
    case 'response_trailers':
      return onResponseTrailers(context, message);
    default:
      throw new Error('Envoy sent a message of an unknown kind');
  }
}

function trailersAlone(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'the request ends with trailers and has no body: send its body, or end it with its headers',
  );
}

/** Passes Envoy's own reply, already settled, with its receipt and in the client's shape. */
function passLocalReply(context: StreamContext, reply: Buffer): ProcessingResponse {
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
 * Returns Envoy's own reply in the shape of the client's API; undefined if it may stay. Envoy chooses a shape by the
 * path, which is the provider's once a request is forwarded.
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
    return undefined; // an answer without a body
  }
  const { error, type } = (reply ?? {}) as { readonly error?: unknown; readonly type?: unknown };
  return typeof error === 'string' && isErrorType(type) ? { type, message: error } : undefined;
}

function isErrorType(type: unknown): type is ErrorType {
  return typeof type === 'string' && Object.hasOwn(ERROR_STATUS, type);
}
