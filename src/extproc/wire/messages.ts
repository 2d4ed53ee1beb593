/** What Envoy and the pipeline say to each other, whichever transport carries it (`proto/ext_proc.proto`). */

/** The phases of one request, by the names of the oneofs that carry them. */
export type PhaseName =
  | 'request_headers'
  | 'response_headers'
  | 'request_body'
  | 'response_body'
  | 'request_trailers'
  | 'response_trailers';

/** Name and value, in order, repeated ones as often as they came. */
export type HeaderList = readonly (readonly [string, string])[];

/** One message of Envoy's. */
export interface ProcessingRequest {
  /** Undefined where it is of a kind that is not known here. */
  readonly phase: PhaseName | undefined;
  /** Of a message of headers or trailers; names are lower-case, values latin1, so that no byte of them is lost. */
  readonly headers: HeaderList;
  /** Of a message of a body; may be a view of what was read from the socket. */
  readonly body: Buffer;
  readonly endOfStream: boolean;
  /** Those with a text, of the attributes that the configuration asks Envoy for. */
  readonly attributes: ReadonlyMap<string, string>;
}

const NO_BYTES = Buffer.alloc(0);
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/** A message with what its phase has; the rest is empty. */
export function processingRequest(
  phase: PhaseName | undefined,
  parts: Partial<Omit<ProcessingRequest, 'phase'>> = {},
): ProcessingRequest {
  const { headers = [], body = NO_BYTES, endOfStream = false, attributes = NO_ATTRIBUTES } = parts;
  return { phase, headers, body, endOfStream, attributes };
}

/** One reply; exactly one of the phases, `immediate_response` or `override_message_timeout_ms` is set. */
export interface ProcessingResponse {
  readonly request_headers?: { readonly response: CommonResponse };
  readonly response_headers?: { readonly response: CommonResponse };
  readonly request_body?: { readonly response: CommonResponse };
  readonly response_body?: { readonly response: CommonResponse };
  readonly request_trailers?: { readonly header_mutation: HeaderMutation };
  readonly response_trailers?: { readonly header_mutation: HeaderMutation };
  readonly immediate_response?: ImmediateResponse;
  /** Sent as dynamic metadata, `{gw: {…}}`. */
  readonly verdict?: GateVerdict;
  readonly mode_override?: { readonly response_body_mode: number; readonly response_trailer_mode: number };
  /** No answer yet: Envoy waits so long from now on, where its configuration lets it. Heard once a phase. */
  readonly override_message_timeout_ms?: number;
}

/** What the gates of Envoy's configuration ask for before they let anything through. */
export interface GateVerdict {
  readonly req?: 'ok';
  readonly resp?: 'whole' | 'stream';
  /** Bytes of the stream that may be out. */
  readonly out?: number;
}

export interface CommonResponse {
  readonly header_mutation?: HeaderMutation;
  readonly body_mutation?: {
    readonly body?: Buffer;
    readonly streamed_response?: { readonly body: Buffer; readonly end_of_stream: boolean };
  };
  readonly clear_route_cache?: boolean;
}

/** Each header that is set replaces all of its name; values go out as UTF-8. */
export interface HeaderMutation {
  readonly set_headers: HeaderList;
  readonly remove_headers: readonly string[];
}

export interface ImmediateResponse {
  readonly status: number;
  readonly headers: HeaderMutation;
  readonly body: Buffer;
  readonly details: string;
}

/** `ProcessingMode.BodySendMode` and `HeaderSendMode`, as far as they are used. */
export const FULL_DUPLEX_STREAMED = 4;
export const SEND = 1;
