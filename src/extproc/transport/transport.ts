import type { ProcessingRequest, ProcessingResponse } from '../wire/messages.ts';

/** Exceeds Envoy's 16 MiB buffer, so that gRPC accepts every message that Envoy can send. */
export const MAX_MESSAGE_BYTES = 33_554_432;

export const PROCESS_PATH = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';
export const HEALTH_PATH = '/grpc.health.v1.Health/Check';
/** Metadata key for `server.extproc.token`. */
export const TOKEN_HEADER = 'x-gateway-token';

/** Address of a worker: a private Unix socket, TCP with mTLS, or TCP on loopback with a token. */
export type ListenAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly tls?: ListenTls };

/** Certificates and key, in PEM format. */
export interface ListenTls {
  readonly cert: string;
  readonly key: string;
  /** CA of accepted client certificates, which are always required. */
  readonly clientCa: string;
}

export interface TransportOptions {
  readonly address: ListenAddress;
  /** Returns undefined to refuse a new stream as UNAVAILABLE. */
  accept(call: RpcCall, token: string | undefined): CallListener | undefined;
  isServing(): boolean;
  /** Called if the transport itself fails; the affected stream or connection has failed closed. */
  onFault(cause: unknown): void;
}

export interface Transport {
  /** Applies to new connections. */
  renewTls(tls: ListenTls): void;
  /** Aborts all open streams. */
  close(): void;
}

export type StartTransport = (options: TransportOptions) => Promise<Transport>;

/** `grpc.health.v1.HealthCheckResponse`: SERVING or NOT_SERVING. */
export function healthReply(isServing: boolean): string {
  return isServing ? '\x08\x01' : '\x08\x02';
}

/** The gRPC status codes in use (grpc.io "Status codes and their use in gRPC"). */
export const GRPC_STATUS = {
  deadlineExceeded: 4,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

export type FailStatus = (typeof GRPC_STATUS)[keyof typeof GRPC_STATUS];

/** One ext_proc stream on a transport. All methods may be called at any time; they do nothing after the end. */
export interface RpcCall {
  /** Returns false if the caller should wait for `drained` before it writes more. The reply is sent in any case. */
  write(reply: ProcessingResponse): boolean;
  /**
   * Ends the stream cleanly. If the peer has not ended it, this lets the rest of a request pass uninspected
   * (docs/architecture.md#failing-closed).
   */
  end(): void;
  /** Ends the stream immediately with an error status, at which Envoy fails closed. Unsent messages are dropped. */
  fail(status: FailStatus, details: string): void;
  /** Stops delivering messages, and makes the peer stop sending. */
  pause(): void;
  resume(): void;
}

export interface CallListener {
  message(message: ProcessingRequest): void;
  /** Called when the peer sends no more messages. */
  ended(): void;
  /** Called after a `write` that returned false, when more can be written. */
  drained(): void;
  /** Called exactly once, when either side closes. No call follows. May be called from within `fail` and `end`. */
  closed(): void;
}
