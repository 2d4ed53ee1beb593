/** What a circuit says to a call that has just come. */
export type CircuitState =
  | { readonly kind: 'closed' }
  /** Nothing passes; also while a probe is on its way. */
  | { readonly kind: 'open'; readonly retryAfterMs: number }
  /** The time is over: the next call may be the probe. */
  | { readonly kind: 'half_open' };

export type ProbeResult = { readonly kind: 'taken' } | Exclude<CircuitState, { kind: 'half_open' }>;

/** What became of a call. `abandoned`: of a probe of which nobody knows. */
export type CallResult = 'failed' | 'succeeded' | 'abandoned';

/** What a report changed. */
export type CircuitChange = 'opened' | 'closed';

export interface BreakerSettings {
  /** So many failures in `windowMs` open a circuit. */
  readonly threshold: number;
  /** Also how long a circuit stays open until a probe may pass. */
  readonly windowMs: number;
  /** How long nobody else may probe, unless it is put off: a gateway may die while its probe is on its way. */
  readonly probeLeaseMs: number;
}

/**
 * The circuits of MCP servers (SPEC "Limits", DECISIONS "MCP"): one for all gateways, or one of this process alone.
 * Every change is atomic and safe to repeat; a failure of the store throws `redis_unavailable`.
 */
export interface BreakerStore {
  /** Changes nothing. */
  read(server: string): Promise<CircuitState>;
  /** Takes the one probe of a half-open circuit; again under the same operation, it puts the end of its lease off. */
  takeProbe(server: string, operationId: string): Promise<ProbeResult>;
  /** Of a call that is no probe only its failure is of interest. */
  report(server: string, operationId: string, result: CallResult): Promise<CircuitChange | undefined>;
}

/** How long a circuit that nobody asks for stays open, at least. */
export const CIRCUIT_MEMORY_MS = 86_400_000;
