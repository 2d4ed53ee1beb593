import type { Denial } from '../../pipeline/check.ts';
import {
  FULL_DUPLEX_STREAMED,
  SEND,
  type CommonResponse,
  type HeaderList,
  type HeaderMutation,
  type ProcessingResponse,
} from '../wire/messages.ts';
import type { RefusalAnswer } from './refusal-answer.ts';

/** What a phase ends in: what Envoy is told, in order, or a check's refusal, which takes its form at the end. */
export type PhaseReply = ProcessingResponse | readonly ProcessingResponse[] | Denial;

export function isDenial(reply: PhaseReply): reply is Denial {
  return 'kind' in reply;
}

/** Header changes of one phase: names are lower-case; a name that is both removed and set ends up set. */
export interface HeaderChanges {
  readonly set: Iterable<readonly [string, string]>;
  readonly remove: readonly string[];
}

/** The request headers were seen; the body comes next, so nothing is vouched for yet. */
export function awaitRequestBody(): ProcessingResponse {
  return { request_headers: { response: {} } };
}

/**
 * The verdict of the request gate (envoy/render): only with it does a route lead to a provider. Given in the last
 * request phase only; given earlier, an uninspected body could follow.
 */
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
  return { [phase]: { response }, verdict: { req: 'ok' } };
}

/** Request trailers can carry what headers may not: all of them are taken out. */
export function dropTrailers(
  phase: 'request_trailers' | 'response_trailers',
  names: readonly string[],
): ProcessingResponse {
  return { [phase]: { header_mutation: { set_headers: [], remove_headers: names } } };
}

/** The answer's headers were seen; its buffered body comes next, and the verdict with it. */
export function awaitResponseBody(): ProcessingResponse {
  return { response_headers: { response: {} } };
}

/** The verdict of the response gate for a whole, inspected answer. */
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
 * Starts a streamed answer: from here every chunk comes to us and goes out by our hand. `content-length` goes,
 * or Envoy answers 500 and hangs the client.
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

/** Emits bytes of a stream; `emittedBytes` counts them with all before, and the gate cuts what exceeds it. */
export function streamChunk(body: Buffer, endOfStream: boolean, emittedBytes: number): ProcessingResponse {
  return {
    response_body: {
      response: { body_mutation: { streamed_response: { body, end_of_stream: endOfStream } } },
    },
    verdict: { resp: 'stream', out: emittedBytes },
  };
}

/** The phase's own reply comes later: Envoy waits so long for it from now on. */
export function bePatient(ms: number): ProcessingResponse {
  return { override_message_timeout_ms: ms };
}

/**
 * Ends the exchange with an answer of ours; `details` lets Envoy pass the body as it is, and tells it what is not to be
 * logged.
 */
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
