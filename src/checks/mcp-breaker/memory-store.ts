import type { BreakerSettings, BreakerStore, CallResult, CircuitChange, CircuitState } from './store.ts';

export interface MemoryBreakerStoreOptions extends BreakerSettings {
  /** Unix ms. */
  readonly now?: () => number;
}

interface Circuit {
  /** Unix ms; undefined while it is closed. */
  openedAt: number | undefined;
  probe: { readonly operationId: string; readonly until: number } | undefined;
  /** Operation ids to Unix ms, the oldest first. */
  readonly failures: Map<string, number>;
}

/** Circuits of this process alone, for work without Redis; as many as there are servers. */
export function createMemoryBreakerStore(options: MemoryBreakerStoreOptions): BreakerStore {
  const { threshold, windowMs, probeLeaseMs, now = Date.now } = options;
  const circuits = new Map<string, Circuit>();

  function circuitOf(server: string): Circuit {
    const circuit = circuits.get(server) ?? { openedAt: undefined, probe: undefined, failures: new Map() };
    circuits.set(server, circuit);
    return circuit;
  }

  function stateOf({ openedAt, probe }: Circuit): CircuitState {
    if (openedAt === undefined) return { kind: 'closed' };
    if (probe !== undefined && probe.until > now()) {
      return { kind: 'open', retryAfterMs: probe.until - now() };
    }
    const retryAfterMs = openedAt + windowMs - now();
    return retryAfterMs > 0 && openedAt <= now() ? { kind: 'open', retryAfterMs } : { kind: 'half_open' };
  }

  function change(circuit: Circuit, openedAt: number | undefined): CircuitChange {
    Object.assign(circuit, { openedAt, probe: undefined });
    circuit.failures.clear();
    return openedAt === undefined ? 'closed' : 'opened';
  }

  function fail(circuit: Circuit, operationId: string): CircuitChange | undefined {
    if (!circuit.failures.has(operationId)) circuit.failures.set(operationId, now());
    for (const [id, at] of circuit.failures) {
      if (at <= now() - windowMs || at > now()) circuit.failures.delete(id);
    }
    return circuit.failures.size >= threshold ? change(circuit, now()) : undefined;
  }

  function report(server: string, operationId: string, result: CallResult): CircuitChange | undefined {
    const circuit = circuitOf(server);
    if (circuit.openedAt === undefined) return result === 'failed' ? fail(circuit, operationId) : undefined;
    if (circuit.probe?.operationId !== operationId) return undefined;
    if (result === 'abandoned') circuit.probe = undefined;
    else return change(circuit, result === 'failed' ? now() : undefined);
    return undefined;
  }

  return {
    read: (server) => Promise.resolve(stateOf(circuitOf(server))),
    takeProbe(server, operationId) {
      const circuit = circuitOf(server);
      const state = stateOf(circuit);
      const holds = circuit.probe?.operationId === operationId;
      if (state.kind === 'closed' || (state.kind === 'open' && !holds)) return Promise.resolve(state);
      circuit.probe = { operationId, until: now() + probeLeaseMs };
      return Promise.resolve({ kind: 'taken' });
    },
    report: (server, operationId, result) => Promise.resolve(report(server, operationId, result)),
  };
}
