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
      // If headers were processed twice, the provider's answer would pass as Envoy's local reply.
      if (state.at !== 'opened') throw new Error('request headers arrived twice');
      return onRequestHeaders(context, message);
    case 'request_body':
      if (state.at !== 'identified') throw new Error('a body arrived before its headers');
      return onRequestBody(context, state, message);
    case 'request_trailers':
      // Envoy sends a body before trailers. This request therefore has no body, and no check would judge it.
      if (state.at === 'identified') throw trailersWithoutBody();
      return dropTrailers(
        'request_trailers',
        message.headers.map(([name]) => name),
      );
    case 'response_headers':
      return onResponseHeaders(context, message);
    case 'response_body':
      if (state.at === 'streaming' || state.at === 'streamed') return onStreamChunk(context, state, message);
      // The body may have been sent by the provider.
      if (state.at === 'forwarded') throw new Error("an answer's body arrived before its headers");
      return state.at === 'answering'
        ? onResponseBody(context, state, message)
        : passLocalReply(context, message.body);
    case 'response_trailers':
      return onResponseTrailers(context, message);
    default:
      throw new Error('Envoy sent an unknown kind of message');
  }
}

function trailersWithoutBody(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'the request has trailers but no body: send a body, or omit the trailers',
  );
}

/** Passes on Envoy's local reply in the shape that the client expects, with a receipt if answers are signed. */
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
 * Returns Envoy's local reply in the shape of the client's API, or undefined if it stays unchanged. Envoy selects
 * the shape by path, but forwarded requests have the provider's path.
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
    return undefined; // no body, or another form
  }
  const { error, type } = (reply ?? {}) as { readonly error?: unknown; readonly type?: unknown };
  return typeof error === 'string' && isErrorType(type) ? { type, message: error } : undefined;
}

function isErrorType(type: unknown): type is ErrorType {
  return typeof type === 'string' && Object.hasOwn(ERROR_STATUS, type);
}
