import type { ProcessingRequest, ProcessingResponse } from '../wire/messages.ts';

/** The gRPC status codes that are used here (grpc.io "Status codes and their use in gRPC"). */
export const GRPC_STATUS = {
  deadlineExceeded: 4,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

export type FailStatus = (typeof GRPC_STATUS)[keyof typeof GRPC_STATUS];

/** One ext_proc stream as its transport offers it; all of it may be called at any time, and is silent after the end. */
export interface RpcCall {
  /** False where the peer does not take it yet: it is sent later, and `drained` tells when there is room again. */
  write(reply: ProcessingResponse): boolean;
  /**
   * Ends it cleanly. Before the peer's own end this lets the rest of a request through uninspected
   * (docs/architecture.md#failing-closed).
   */
  end(): void;
  /** Ends it at once with a status that is not OK, by which Envoy fails closed. What waits to be sent is dropped. */
  fail(status: FailStatus, details: string): void;
  /** No message is delivered from now on, and the peer is told to send no more than it may have sent already. */
  pause(): void;
  resume(): void;
}

/** What a transport tells the one that serves a call. */
export interface CallListener {
  message(message: ProcessingRequest): void;
  /** The peer sends no more. */
  ended(): void;
  /** There is room again after a `write` that returned false. */
  drained(): void;
  /** It is over, by whomever: once, and nothing follows. May come from within `fail` and `end`. */
  closed(): void;
}
