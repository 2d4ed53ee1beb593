/** What the circuits of a call say to it when it has just come. */
export type CircuitState =
  | { readonly kind: 'closed' }
  /** Nothing passes; also while a probe is on its way. */
  | { readonly kind: 'open'; readonly retryAfterMs: number }
  /** The time is over: the next call may be the probe. */
  | { readonly kind: 'half_open' };

export type ProbeResult = { readonly kind: 'taken' } | Exclude<CircuitState, { kind: 'half_open' }>;

/** Whose call goes to which server. */
export interface CircuitCaller {
  readonly server: string;
  readonly keyHash: string;
}

/**
 * What became of a call. `unreachable`: no connection. `lost`: sent, and no answer began. `failed`: the server answered,
 * with a fault of its own. `abandoned`: of a probe of which nobody knows.
 */
export type CallResult = 'unreachable' | 'lost' | 'failed' | 'succeeded' | 'abandoned';

/** What a report changed: of the circuit of the server, or of that of the key there. */
export interface CircuitChange {
  readonly circuit: 'server' | 'key';
  readonly change: 'opened' | 'closed';
}

export interface BreakerSettings {
  /** So many failures in `windowMs` open a circuit. */
  readonly threshold: number;
  /** Also how long a circuit stays open until a probe may pass. */
  readonly windowMs: number;
  /** How long nobody else may probe, unless it is put off: a gateway may die while its probe is on its way. */
  readonly probeLeaseMs: number;
}

/**
 * The circuits of MCP servers (docs/mcp-breaker.md), for all gateways or for this process alone. A call goes
 * through two: its key's own at the server, which its failures open, and the server's, which shuts all keys out and opens
 * by failures to get an answer at all, or by answers that several keys got. Every change is atomic and safe to repeat; a
 * failure of the store throws `redis_unavailable`.
 */
export interface BreakerStore {
  /** Changes nothing. */
  read(caller: CircuitCaller): Promise<CircuitState>;
  /** Takes the one probe of a half-open circuit; again under the same operation, it puts the end of its lease off. */
  takeProbe(caller: CircuitCaller, operationId: string): Promise<ProbeResult>;
  /** Of a call that is no probe only its failure is of interest. */
  report(caller: CircuitCaller, operationId: string, result: CallResult): Promise<readonly CircuitChange[]>;
}

/** How long a circuit that nobody asks for stays open, at least. */
export const CIRCUIT_MEMORY_MS = 86_400_000;

/** So many keys are several: what fewer of them see may be their own doing. */
export const SEVERAL_KEYS = 3;
