import type { Denial } from '../../pipeline/check.ts';
import {
  BUFFERED,
  FULL_DUPLEX_STREAMED,
  SEND,
  SKIP,
  type CommonResponse,
  type HeaderList,
  type HeaderMutation,
  type ModeOverride,
  type ProcessingResponse,
} from '../wire/messages.ts';
import type { RefusalAnswer } from './refusal-answer.ts';

/** Messages for Envoy in order, or a denial, which `serveStream` renders. */
export type PhaseReply = ProcessingResponse | readonly ProcessingResponse[] | Denial;

export function isDenial(reply: PhaseReply): reply is Denial {
  return 'kind' in reply;
}

/** Names are in lower case. A name that is both removed and set ends up set. */
export interface HeaderChanges {
  readonly set: Iterable<readonly [string, string]>;
  readonly remove: readonly string[];
}

/**
 * Makes Envoy send the answer to the sidecar too; otherwise, the response gate passes no upstream answer. As the
 * configured mode, it would prevent Envoy from answering malformed requests.
 */
const WITH_ANSWER: ModeOverride = {
  response_header_mode: SEND,
  request_body_mode: BUFFERED,
  response_body_mode: BUFFERED,
  request_trailer_mode: SEND,
  response_trailer_mode: SKIP,
};

/** Gives no verdict yet, because the body follows. */
export function awaitRequestBody(): ProcessingResponse {
  return { request_headers: { response: {} }, mode_override: WITH_ANSWER };
}

/** Gives the request gate's verdict. Only for the last request phase, so that no uninspected body can follow. */
export function forwardRequest(
  phase: 'request_headers' | 'request_body',
  changes: HeaderChanges,
  body?: Buffer,
): ProcessingResponse {
  const response: CommonResponse = {
    header_mutation: mutation(changes),
    clear_route_cache: true,
    ...(body !== undefined && { body_mutation: { body } }),
  };
  return {
    [phase]: { response },
    verdict: { req: 'ok' },
    ...(phase === 'request_headers' && { mode_override: WITH_ANSWER }),
  };
}

/** Removes all trailers, which could carry forbidden headers. */
export function dropTrailers(
  phase: 'request_trailers' | 'response_trailers',
  names: readonly string[],
): ProcessingResponse {
  return { [phase]: { header_mutation: { set_headers: [], remove_headers: names } } };
}

export function awaitResponseBody(): ProcessingResponse {
  return { response_headers: { response: {} } };
}

export function passWhole(
  phase: 'response_headers' | 'response_body',
  changes: HeaderChanges,
  body?: Buffer,
): ProcessingResponse {
  const response: CommonResponse = {
    header_mutation: mutation(changes),
    ...(body !== undefined && { body_mutation: { body } }),
  };
  return { [phase]: { response }, verdict: { resp: 'whole' } };
}

/**
 * Starts a streamed answer, whose chunks the sidecar receives and sends. Removes `content-length`, because otherwise
 * Envoy would answer 500 and leave the client hanging.
 */
export function startStream(changes: HeaderChanges): ProcessingResponse {
  return {
    response_headers: {
      response: {
        header_mutation: mutation({ set: changes.set, remove: [...changes.remove, 'content-length'] }),
      },
    },
    mode_override: { response_body_mode: FULL_DUPLEX_STREAMED, response_trailer_mode: SEND },
    verdict: { resp: 'stream', out: 0 },
  };
}

/** The response gate cuts off bytes beyond `emittedBytes`, the total so far. */
export function streamChunk(body: Buffer, endOfStream: boolean, emittedBytes: number): ProcessingResponse {
  return {
    response_body: {
      response: { body_mutation: { streamed_response: { body, end_of_stream: endOfStream } } },
    },
    verdict: { resp: 'stream', out: emittedBytes },
  };
}

export function bePatient(ms: number): ProcessingResponse {
  return { override_message_timeout_ms: ms };
}

/** Ends the exchange with the gateway's own answer. `details` makes Envoy keep the body, and decides about logging. */
export function refuse(
  answer: Omit<RefusalAnswer, 'headers'>,
  headers: HeaderList,
  isLogged: boolean,
): ProcessingResponse {
  return {
    immediate_response: {
      status: answer.status,
      headers: mutation({ set: headers, remove: [] }),
      body: Buffer.from(answer.body),
      details: isLogged ? 'gw' : 'gw_unlogged',
    },
  };
}

function mutation({ set, remove }: HeaderChanges): HeaderMutation {
  return { set_headers: [...set], remove_headers: remove };
}
