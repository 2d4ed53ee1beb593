import {
  FULL_DUPLEX_STREAMED,
  OVERWRITE,
  SEND,
  type CommonResponse,
  type HeaderMutation,
  type ProcessingResponse,
  type Struct,
} from './proto.ts';
import type { RefusalAnswer } from './refusal-answer.ts';

/** Header changes of one phase: names are lower-case; a name that is both removed and set ends up set. */
export interface HeaderChanges {
  readonly set: Iterable<readonly [string, string]>;
  readonly remove: readonly string[];
}

export const NO_CHANGES: HeaderChanges = { set: [], remove: [] };

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
  const response: CommonResponse = { header_mutation: mutation(changes), clear_route_cache: true };
  if (body !== undefined) response.body_mutation = { body };
  return { [phase]: { response }, dynamic_metadata: verdict({ req: { stringValue: 'ok' } }) };
}

/** Request trailers can carry what headers may not: all of them are taken out. */
export function dropTrailers(
  phase: 'request_trailers' | 'response_trailers',
  names: string[],
): ProcessingResponse {
  return { [phase]: { header_mutation: { remove_headers: names } } };
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
  const response: CommonResponse = { header_mutation: mutation(changes) };
  if (body !== undefined) response.body_mutation = { body };
  return { [phase]: { response }, dynamic_metadata: verdict({ resp: { stringValue: 'whole' } }) };
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
    dynamic_metadata: verdict({ resp: { stringValue: 'stream' }, out: { numberValue: 0 } }),
  };
}

/** Emits bytes of a stream; `emittedBytes` counts them with all before, and the gate cuts what exceeds it. */
export function streamChunk(body: Buffer, endOfStream: boolean, emittedBytes: number): ProcessingResponse {
  return {
    response_body: {
      response: { body_mutation: { streamed_response: { body, end_of_stream: endOfStream } } },
    },
    dynamic_metadata: verdict({ resp: { stringValue: 'stream' }, out: { numberValue: emittedBytes } }),
  };
}

/**
 * Ends the exchange with an answer of ours; `details` lets Envoy pass the body as it is, and tells it what is not to be
 * logged.
 */
export function refuse(answer: RefusalAnswer, isLogged: boolean): ProcessingResponse {
  return {
    immediate_response: {
      status: { code: answer.status },
      headers: mutation({ set: answer.headers, remove: [] }),
      body: Buffer.from(answer.body),
      details: isLogged ? 'gw' : 'gw_unlogged',
    },
  };
}

function mutation(changes: HeaderChanges): HeaderMutation {
  const set_headers = [];
  for (const [key, value] of changes.set) {
    set_headers.push({ header: { key, raw_value: Buffer.from(value) }, append_action: OVERWRITE });
  }
  return { set_headers, remove_headers: [...changes.remove] };
}

function verdict(fields: Record<string, { stringValue: string } | { numberValue: number }>): Struct {
  return { fields: { gw: { structValue: { fields } } } };
}
