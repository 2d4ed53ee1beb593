/** State of a call's circuits before the call is sent. */
export type CircuitState =
  | { readonly kind: 'closed' }
  /** No call passes. This is also the state during a probe. */
  | { readonly kind: 'open'; readonly retryAfterMs: number }
  /** The next call may be the probe. */
  | { readonly kind: 'half_open' };

export type ProbeResult = { readonly kind: 'taken' } | Exclude<CircuitState, { kind: 'half_open' }>;

export interface CircuitCaller {
  readonly server: string;
  readonly keyHash: string;
}

/**
 * A call's result. `unreachable`: no connection. `lost`: sent, but no answer began. `failed`: the server answered with
 * an error of its own. `abandoned`: a probe with an unknown result.
 */
export type CallResult = 'unreachable' | 'lost' | 'failed' | 'succeeded' | 'abandoned';

/** A change of the server's circuit, or of the key's circuit there. */
export interface CircuitChange {
  readonly circuit: 'server' | 'key';
  readonly change: 'opened' | 'closed';
}

export interface BreakerSettings {
  /** Failures within `windowMs` that open a circuit. */
  readonly threshold: number;
  /** Also the time before the first probe of an open circuit. */
  readonly windowMs: number;
  /** Another call may probe after this time, unless the lease is renewed: a gateway may crash during its probe. */
  readonly probeLeaseMs: number;
}

/**
 * Stores circuits of MCP servers (docs/mcp-breaker.md). A call passes two circuits: that of its key at the server,
 * which opens on failures of the key, and that of the server, which blocks all keys and opens on connection failures,
 * or on failed answers to several keys. Changes are atomic and safe to repeat. Failures throw `redis_unavailable`.
 */
export interface BreakerStore {
  read(caller: CircuitCaller): Promise<CircuitState>;
  /** Takes the single probe of a half-open circuit. Repeating it with the same operation renews the lease. */
  takeProbe(caller: CircuitCaller, operationId: string): Promise<ProbeResult>;
  /** Reports the result of a call. A success changes the circuit only if the call is the probe. */
  report(caller: CircuitCaller, operationId: string, result: CallResult): Promise<readonly CircuitChange[]>;
}

/** Minimum time for which an unused circuit is remembered. */
export const CIRCUIT_MEMORY_MS = 86_400_000;

/** Failures of fewer keys may be caused by the keys themselves. */
export const SEVERAL_KEYS = 3;

export const PROBE_LEASE_MS = 10_000;
