import { newOperationId } from '../../operation-id.ts';
import { retryAfter } from '../../errors.ts';
import { PASS, type Check, type Denial } from '../../pipeline/check.ts';
import type { Answered, Identified, Outcome, Parsed } from '../../pipeline/exchange.ts';
import { timeSpan } from '../../text/time-span.ts';
import type { BreakerConfig } from './config.ts';
import type { BreakerStore, CallResult, CircuitCaller, CircuitChange, CircuitState } from './store.ts';

export interface McpBreakerDeps {
  readonly config: Pick<BreakerConfig, 'enabled'>;
  readonly store: BreakerStore;
  /** A circuit has opened, or closed; told to one of all gateways. */
  readonly onChange: (caller: CircuitCaller, change: CircuitChange) => void;
  /** How often the lease of a probe is put off: well within it. */
  readonly renewAfterMs: number;
}

/** One exchange's part in the circuits of its server. */
export interface McpBreakerState {
  readonly operationId: string;
  read?: Promise<CircuitState>;
  /** Passed, and says something of its server. */
  counts: boolean;
  /** This call is the probe, or may be: the reply was lost. */
  probes: boolean;
  renewal?: NodeJS.Timeout;
}

const SERVER_ERROR = 500;
const SOON_MS = 1_000;

/**
 * Fails fast where a server has failed a key, or all keys, too often, and lets one call at a time find out whether it is
 * back (docs/mcp-breaker.md). Only JSON-RPC requests are counted, and probe: servers answer other messages, and GETs
 * they do not serve, with whatever they like.
 */
export function createMcpBreakerCheck(deps: McpBreakerDeps): Check<McpBreakerState, 'mcp-breaker'> {
  const name = 'mcp-breaker';
  const { store } = deps;
  if (!deps.config.enabled) return { name, shadowable: false };

  async function takeProbe(caller: CircuitCaller, state: McpBreakerState): Promise<CircuitState> {
    const { operationId } = state;
    // Set before the store is asked: a probe whose reply is lost must be given back too.
    Object.assign(state, { counts: true, probes: true });
    const result = await store.takeProbe(caller, operationId);
    if (result.kind !== 'taken') {
      Object.assign(state, { counts: false, probes: false });
      return result;
    }
    function renew(): void {
      // Where the store does not take it, the lease ends, and somebody else probes.
      store.takeProbe(caller, operationId).catch(() => undefined);
    }
    state.renewal = setInterval(renew, deps.renewAfterMs).unref();
    return { kind: 'closed' };
  }

  /** Once for each call, and only where it changes something. */
  async function report(caller: CircuitCaller, state: McpBreakerState, result: CallResult): Promise<void> {
    clearInterval(state.renewal);
    state.counts = false;
    if (!state.probes && !hasFailed(result)) return;
    const changes = await store.report(caller, state.operationId, result);
    for (const change of changes) deps.onChange(caller, change);
  }

  return {
    name,
    shadowable: false,
    begin: () => ({ operationId: newOperationId(), counts: false, probes: false }),
    prepare(exchange, state) {
      const caller = callerOf(exchange);
      if (caller === undefined) return;
      state.read = store.read(caller);
      // Where an earlier check denies, nobody waits for it.
      state.read.catch(() => undefined);
    },
    async requestBody(exchange, state) {
      const caller = callerOf(exchange);
      if (caller === undefined || state.read === undefined) return PASS;
      const counts = isCounted(exchange);
      let circuit = await state.read;
      if (circuit.kind === 'half_open') {
        circuit = counts ? await takeProbe(caller, state) : { kind: 'open', retryAfterMs: SOON_MS };
      }
      if (circuit.kind === 'open') return circuitOpen(caller.server, circuit.retryAfterMs);
      state.counts = counts;
      return PASS;
    },
    async response(exchange, state) {
      const caller = callerOf(exchange);
      if (caller !== undefined && state.counts) await report(caller, state, callResult(exchange.status));
      return PASS;
    },
    async end(exchange, outcome, state) {
      const caller = callerOf(exchange);
      if (caller === undefined || !state.counts) return;
      try {
        await report(caller, state, resultAtEnd(exchange, outcome));
      } catch {
        // A failure that is not counted; a probe's lease ends by itself.
      }
    },
  };
}

function callerOf({ mcp, key }: Identified): CircuitCaller | undefined {
  return mcp === undefined ? undefined : { server: mcp.server, keyHash: key.keyHash };
}

function hasFailed(result: CallResult): boolean {
  return result !== 'succeeded' && result !== 'abandoned';
}

function isCounted({ request }: Parsed): boolean {
  return request.mcp?.kind === 'request';
}

function callResult(status: number): CallResult {
  return status >= SERVER_ERROR ? 'failed' : 'succeeded';
}

/** Of a call whose answer did not come to `response`: lost, or refused by a check before this one. */
function resultAtEnd(exchange: Identified | Answered, outcome: Outcome): CallResult {
  const isAnswered = 'status' in exchange;
  if (outcome.kind !== 'not_forwarded' && outcome.kind !== 'lost') {
    return isAnswered ? callResult(exchange.status) : 'abandoned';
  }
  if (outcome.upstreamFailed !== true) return 'abandoned';
  if (outcome.kind === 'not_forwarded') return 'unreachable';
  return isAnswered ? 'failed' : 'lost';
}

function circuitOpen(server: string, retryAfterMs: number): Denial {
  return {
    kind: 'deny',
    type: 'circuit_open',
    message: `the MCP server ${server} has failed too often: try again in ${timeSpan(retryAfterMs)}`,
    headers: retryAfter('circuit_open', retryAfterMs),
    details: { reason: `the MCP server ${server} has failed too often` },
  };
}
