import type { ProcessingRequest, ProcessingResponse } from '../wire/messages.ts';

/** The gRPC status codes in use (grpc.io "Status codes and their use in gRPC"). */
export const GRPC_STATUS = {
  deadlineExceeded: 4,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

export type FailStatus = (typeof GRPC_STATUS)[keyof typeof GRPC_STATUS];

/** One ext_proc stream on a transport. All methods may be called at any time, and do nothing after the end. */
export interface RpcCall {
  /** Returns false if the peer's window is full: the reply is sent later, and `drained` signals room. */
  write(reply: ProcessingResponse): boolean;
  /**
   * Ends it cleanly. Before the peer's own end, this lets the rest of a request pass uninspected
   * (docs/architecture.md#failing-closed).
   */
  end(): void;
  /** Ends it immediately with an error status, by which Envoy fails closed. Unsent messages are dropped. */
  fail(status: FailStatus, details: string): void;
  /** Stops delivering messages, and makes the peer stop sending. */
  pause(): void;
  resume(): void;
}

export interface CallListener {
  message(message: ProcessingRequest): void;
  /** The peer sends no more messages. */
  ended(): void;
  /** A `write` that returned false is sent; there is room again. */
  drained(): void;
  /** Called exactly once when either side closes; nothing follows. May be called within `fail` and `end`. */
  closed(): void;
}
