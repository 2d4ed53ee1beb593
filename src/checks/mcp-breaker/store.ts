/** State of a call's circuits before it is sent. */
export type CircuitState =
  | { readonly kind: 'closed' }
  /** Nothing passes. Also during a probe. */
  | { readonly kind: 'open'; readonly retryAfterMs: number }
  /** The next call may be the probe. */
  | { readonly kind: 'half_open' };

export type ProbeResult = { readonly kind: 'taken' } | Exclude<CircuitState, { kind: 'half_open' }>;

/** The caller's key and the server it calls. */
export interface CircuitCaller {
  readonly server: string;
  readonly keyHash: string;
}

/**
 * Result of a call. `unreachable`: no connection. `lost`: sent, but no answer began. `failed`: the server answered
 * with an error of its own. `abandoned`: a probe with unknown result.
 */
export type CallResult = 'unreachable' | 'lost' | 'failed' | 'succeeded' | 'abandoned';

/** A change in the server's circuit, or the key's circuit there. */
export interface CircuitChange {
  readonly circuit: 'server' | 'key';
  readonly change: 'opened' | 'closed';
}

export interface BreakerSettings {
  /** Number of failures in `windowMs` that open a circuit. */
  readonly threshold: number;
  /** Also the time that a circuit stays open before a probe. */
  readonly windowMs: number;
  /** Time before another call may probe, unless renewed, in case a gateway dies during its probe. */
  readonly probeLeaseMs: number;
}

/**
 * Circuits of MCP servers (docs/mcp-breaker.md), shared by all gateways or local to this process. A call passes two:
 * its key's own at the server, opened by the key's failures, and the server's, which blocks all keys and opens on
 * connection failures, or failed answers to several keys. Changes are atomic and safe to repeat. Throws
 * `redis_unavailable` if the store fails.
 */
export interface BreakerStore {
  read(caller: CircuitCaller): Promise<CircuitState>;
  /** Takes the single probe of a half-open circuit. A repeat by the same operation renews its lease. */
  takeProbe(caller: CircuitCaller, operationId: string): Promise<ProbeResult>;
  /** Reports a call's result. Only failures matter unless it is the probe. */
  report(caller: CircuitCaller, operationId: string, result: CallResult): Promise<readonly CircuitChange[]>;
}

/** Minimum time that an unused circuit stays open. */
export const CIRCUIT_MEMORY_MS = 86_400_000;

/** Failures seen by fewer keys may be the keys' own fault. */
export const SEVERAL_KEYS = 3;

/** Lease of a probe of an MCP server. */
export const PROBE_LEASE_MS = 10_000;
