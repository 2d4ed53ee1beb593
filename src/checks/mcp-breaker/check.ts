import { newOperationId } from '../../operation-id.ts';
import { retryAfter } from '../../errors.ts';
import { isParsed, PASS, type Check, type Denial, type Verdict } from '../../pipeline/check.ts';
import type { Answered, Identified, Outcome, Parsed } from '../../pipeline/exchange.ts';
import { handled } from '../../pipeline/read-ahead.ts';
import { timeSpan } from '../../text/time-span.ts';
import type { BreakerConfig } from './config.ts';
import type { BreakerStore, CallResult, CircuitCaller, CircuitChange, CircuitState } from './store.ts';

export interface McpBreakerDeps {
  readonly config: Pick<BreakerConfig, 'enabled'>;
  readonly store: BreakerStore;
  /** Called on only one gateway when a circuit opens or closes. */
  readonly onChange: (caller: CircuitCaller, change: CircuitChange) => void;
  /** Renewal interval of a probe's lease; must be well below the lease duration. */
  readonly renewAfterMs: number;
}

export interface McpBreakerState {
  readonly operationId: string;
  read?: Promise<CircuitState>;
  counts: boolean;
  /** Whether this call is the probe, or may be the probe because the reply was lost. */
  probes: boolean;
  renewal?: NodeJS.Timeout;
}

const SERVER_ERROR = 500;
const SOON_MS = 1_000;

/**
 * Fails fast if a server has failed a key, or all keys, too often, and lets one call at a time probe whether the server
 * has recovered (docs/mcp-breaker.md). Only JSON-RPC requests count and probe, because servers answer other messages
 * and unsupported GETs in arbitrary ways.
 */
export function createMcpBreakerCheck(deps: McpBreakerDeps): Check<McpBreakerState, 'mcp-breaker'> {
  const name = 'mcp-breaker';
  const { store } = deps;
  if (!deps.config.enabled) return { name, shadowable: false };

  async function takeProbe(caller: CircuitCaller, state: McpBreakerState): Promise<CircuitState> {
    const { operationId } = state;
    // Set before the Redis call, so that the probe is released even if the reply is lost.
    Object.assign(state, { counts: true, probes: true });
    const result = await store.takeProbe(caller, operationId);
    if (result.kind !== 'taken') {
      Object.assign(state, { counts: false, probes: false });
      return result;
    }
    function renew(): void {
      // If this fails, the lease expires, and another call may probe.
      store.takeProbe(caller, operationId).catch(() => undefined);
    }
    state.renewal = setInterval(renew, deps.renewAfterMs).unref();
    return { kind: 'closed' };
  }

  /** Reports a call at most once, and only if it can change a circuit. */
  async function report(caller: CircuitCaller, state: McpBreakerState, result: CallResult): Promise<void> {
    clearInterval(state.renewal);
    state.counts = false;
    if (!state.probes && !hasFailed(result)) return;
    const changes = await store.report(caller, state.operationId, result);
    for (const change of changes) deps.onChange(caller, change);
  }

  async function judge(
    exchange: Parsed,
    caller: CircuitCaller,
    state: McpBreakerState,
    read: NonNullable<McpBreakerState['read']>,
  ): Promise<Verdict> {
    const counts = isCounted(exchange);
    let circuit = await read;
    if (circuit.kind === 'half_open') {
      circuit = counts ? await takeProbe(caller, state) : { kind: 'open', retryAfterMs: SOON_MS };
    }
    if (circuit.kind === 'open') return circuitOpen(caller.server, circuit.retryAfterMs);
    state.counts = counts;
    return PASS;
  }

  return {
    name,
    shadowable: false,
    begin: () => ({ operationId: newOperationId(), counts: false, probes: false }),
    prepare(request, state) {
      const caller = isParsed(request) ? callerOf(request) : undefined;
      if (caller !== undefined) state.read = handled(store.read(caller));
    },
    requestBody(exchange, state) {
      const caller = callerOf(exchange);
      if (caller === undefined || state.read === undefined) return PASS;
      return judge(exchange, caller, state, state.read);
    },
    response(exchange, state) {
      const caller = callerOf(exchange);
      if (caller === undefined || !state.counts) return PASS;
      return report(caller, state, callResult(exchange.status)).then(() => PASS);
    },
    end(exchange, outcome, state) {
      const caller = callerOf(exchange);
      if (caller === undefined || !state.counts) return undefined;
      // If Redis fails, the result is not counted, and a probe's lease expires.
      return report(caller, state, resultAtEnd(exchange, outcome)).catch(() => undefined);
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

/**
 * Returns the result of a call that never reached `response`, because it was lost, not forwarded, or withheld by an
 * earlier check.
 */
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
