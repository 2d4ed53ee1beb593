import type { RpcCall, CallListener } from './call.ts';

/** Above Envoy's 16 MiB buffer, so that gRPC refuses no message that Envoy can send. */
export const MAX_MESSAGE_BYTES = 33_554_432;

export const PROCESS_PATH = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';
export const HEALTH_PATH = '/grpc.health.v1.Health/Check';
/** Metadata with `server.extproc.token`. */
export const TOKEN_HEADER = 'x-gateway-token';

/** A worker's address: a private unix socket, TCP with mTLS, or TCP on loopback with a token. */
export type ListenAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly tls?: ListenTls };

/** PEM. */
export interface ListenTls {
  readonly cert: string;
  readonly key: string;
  /** Authority of accepted client certificates; always required. */
  readonly clientCa: string;
}

/** The user of a transport, independent of its kind. */
export interface TransportOptions {
  readonly address: ListenAddress;
  /** Returns undefined to refuse a new stream as UNAVAILABLE. */
  accept(call: RpcCall, token: string | undefined): CallListener | undefined;
  /** Answer of the health service. */
  isServing(): boolean;
  /** The transport itself failed; the stream or connection concerned has failed closed. */
  onFault(cause: unknown): void;
}

export interface Transport {
  /** Uses these certificates for new connections. */
  renewTls(tls: ListenTls): void;
  /** Stops listening, and cuts all open streams. */
  close(): void;
}

export type StartTransport = (options: TransportOptions) => Promise<Transport>;

/** `grpc.health.v1.HealthCheckResponse`: SERVING or NOT_SERVING. */
export function healthReply(isServing: boolean): string {
  return isServing ? '\x08\x01' : '\x08\x02';
}
