/** Members of the oneof in `proto/ext_proc.proto`. */
export type PhaseName =
  | 'request_headers'
  | 'response_headers'
  | 'request_body'
  | 'response_body'
  | 'request_trailers'
  | 'response_trailers';

/** Names and values in order, including repeated names. */
export type HeaderList = readonly (readonly [string, string])[];

export interface ProcessingRequest {
  /** Undefined for an unknown kind. */
  readonly phase: PhaseName | undefined;
  /** Headers or trailers. Names are in lower case; values are latin1, which loses no byte. */
  readonly headers: HeaderList;
  /** May be a view of the bytes read from the socket. */
  readonly body: Buffer;
  readonly endOfStream: boolean;
  /** Envoy's string attributes. */
  readonly attributes: ReadonlyMap<string, string>;
}

const NO_BYTES = Buffer.alloc(0);
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

export function processingRequest(
  phase: PhaseName | undefined,
  parts: Partial<Omit<ProcessingRequest, 'phase'>> = {},
): ProcessingRequest {
  const { headers = [], body = NO_BYTES, endOfStream = false, attributes = NO_ATTRIBUTES } = parts;
  return { phase, headers, body, endOfStream, attributes };
}

/** Selects the parts that Envoy sends from now on. By default, only headers. */
export interface ModeOverride {
  readonly response_header_mode?: number;
  readonly request_body_mode?: number;
  readonly response_body_mode: number;
  readonly request_trailer_mode?: number;
  readonly response_trailer_mode: number;
}

/** Exactly one of the phases, `immediate_response` or `override_message_timeout_ms` is set. */
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
  readonly mode_override?: ModeOverride;
  /** Not an answer: sets Envoy's timeout from now on, once per phase, if Envoy's configuration allows it. */
  readonly override_message_timeout_ms?: number;
}

/** Verdict for the gates in Envoy's configuration. */
export interface GateVerdict {
  readonly req?: 'ok';
  readonly resp?: 'whole' | 'stream';
  /** Allowed total bytes of the stream. */
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

/** A header that is set replaces all headers with its name. Values are sent as UTF-8. */
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

// Values of `ProcessingMode.BodySendMode` and `HeaderSendMode` in use.
export const FULL_DUPLEX_STREAMED = 4;
export const SEND = 1;
export const SKIP = 2;
export const BUFFERED = 2;
