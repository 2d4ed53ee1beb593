import { GatewayError } from '../errors.ts';
import { onRequestBody } from './phases/request-body.ts';
import { onRequestHeaders } from './phases/request-headers.ts';
import { onResponseBody } from './phases/response-body.ts';
import { onResponseHeaders } from './phases/response-headers.ts';
import { onResponseTrailers, onStreamChunk } from './phases/response-stream.ts';
import type { StreamContext } from './context.ts';
import { passLocalReply } from './reply/local-reply.ts';
import { dropTrailers, type PhaseReply } from './reply/respond.ts';
import type { ProcessingRequest } from './wire/messages.ts';

/** Dispatches a message to its phase, by kind and state of the exchange. The phase advances the state. */
export function handle(context: StreamContext, message: ProcessingRequest): PhaseReply | Promise<PhaseReply> {
  const { state } = context;
  switch (message.phase) {
    case 'request_headers':
      return onRequestHeaders(context, message);
    case 'request_body':
      if (state.at !== 'identified') throw new Error('a body came before its headers');
      return onRequestBody(context, state, message);
    case 'request_trailers':
      // Envoy sends a body before its trailers: there was none, so no phase will judge the request.
      if (state.at === 'identified') throw trailersAlone();
      return dropTrailers(
        'request_trailers',
        message.headers.map(([name]) => name),
      );
    case 'response_headers':
      return onResponseHeaders(context, message);
    case 'response_body':
      if (state.at === 'streaming' || state.at === 'streamed') return onStreamChunk(context, state, message);
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
