import { fileURLToPath } from 'node:url';
import { loadPackageDefinition, type GrpcObject, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/** The messages of `proto/ext_proc.proto` as proto-loader hands them over with the options below. */
export interface ProcessingRequest {
  readonly request?:
    | 'request_headers'
    | 'response_headers'
    | 'request_body'
    | 'response_body'
    | 'request_trailers'
    | 'response_trailers';
  readonly request_headers?: HttpHeaders;
  readonly response_headers?: HttpHeaders;
  readonly request_body?: HttpBody;
  readonly response_body?: HttpBody;
  readonly request_trailers?: HttpTrailers;
  readonly response_trailers?: HttpTrailers;
  readonly attributes?: Readonly<Record<string, Struct>>;
}

export interface HttpHeaders {
  readonly headers?: HeaderMap;
  readonly end_of_stream?: boolean;
}

export interface HttpBody {
  readonly body?: Buffer;
  readonly end_of_stream?: boolean;
}

export interface HttpTrailers {
  readonly trailers?: HeaderMap;
}

export interface HeaderMap {
  readonly headers?: readonly HeaderValue[];
}

export interface HeaderValue {
  readonly key?: string;
  readonly value?: string;
  readonly raw_value?: Buffer;
}

export interface Struct {
  readonly fields?: Readonly<Record<string, Value>>;
}

export interface Value {
  readonly stringValue?: string;
  readonly numberValue?: number;
  readonly structValue?: Struct;
}

export interface ProcessingResponse {
  request_headers?: { response: CommonResponse };
  response_headers?: { response: CommonResponse };
  request_body?: { response: CommonResponse };
  response_body?: { response: CommonResponse };
  request_trailers?: { header_mutation: HeaderMutation };
  response_trailers?: { header_mutation: HeaderMutation };
  immediate_response?: ImmediateResponse;
  dynamic_metadata?: Struct;
  mode_override?: { response_body_mode?: number; response_trailer_mode?: number };
}

export interface CommonResponse {
  header_mutation?: HeaderMutation;
  body_mutation?: { body?: Buffer; streamed_response?: { body: Buffer; end_of_stream: boolean } };
  clear_route_cache?: boolean;
}

export interface HeaderMutation {
  set_headers?: { header: { key: string; raw_value: Buffer }; append_action: number }[];
  remove_headers?: string[];
}

export interface ImmediateResponse {
  status: { code: number };
  headers: HeaderMutation;
  body: Buffer;
  details: string;
}

/** `ProcessingMode.BodySendMode` and `HeaderSendMode`, as far as they are used. */
export const FULL_DUPLEX_STREAMED = 4;
export const SEND = 1;
/** `HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD`. */
export const OVERWRITE = 2;

function load(file: string): GrpcObject {
  const path = fileURLToPath(new URL(`../../proto/${file}`, import.meta.url));
  return loadPackageDefinition(
    loadSync(path, { keepCase: true, longs: Number, enums: Number, defaults: false, oneofs: true }),
  );
}

function service(root: GrpcObject, path: readonly string[]): ServiceClientConstructor {
  let at: unknown = root;
  for (const name of path) at = (at as Record<string, unknown>)[name];
  return at as ServiceClientConstructor;
}

/** The two gRPC services that a worker serves: Envoy's external processor and the standard health check. */
export function loadServices(): {
  readonly processor: ServiceClientConstructor;
  readonly health: ServiceClientConstructor;
} {
  return {
    processor: service(load('ext_proc.proto'), ['envoy', 'service', 'ext_proc', 'v3', 'ExternalProcessor']),
    health: service(load('health.proto'), ['grpc', 'health', 'v1', 'Health']),
  };
}
