import {
  SEVERAL_KEYS,
  type BreakerSettings,
  type BreakerStore,
  type CircuitCaller,
  type CallResult,
  type CircuitChange,
  type CircuitState,
  type ProbeResult,
} from '../../../src/checks/mcp-breaker/store.ts';

export interface MemoryBreakerStoreOptions extends BreakerSettings {
  /** Unix ms. */
  readonly now?: () => number;
}

interface Circuit {
  /** Unix ms; undefined while it is closed. */
  openedAt: number | undefined;
  probe: { readonly operationId: string; readonly until: number } | undefined;
  /** To Unix ms, the oldest first. */
  readonly failures: Map<string, number>;
}

/** Above this number, the least recently used are dropped. */
const MAX_CIRCUITS = 10_000;

type Change = CircuitChange['change'] | undefined;

/** Circuits of this process alone, for work without Redis: the same as in `report-result.lua`. */
export function createMemoryBreakerStore(options: MemoryBreakerStoreOptions): BreakerStore {
  const { threshold, windowMs, probeLeaseMs, now = Date.now } = options;
  const needed = Math.max(threshold, SEVERAL_KEYS);
  const perKey = Math.max(1, Math.floor((needed - 1) / (SEVERAL_KEYS - 1)));
  const circuits = new Map<string, Circuit>();

  function circuitOf(name: string): Circuit {
    const circuit = circuits.get(name) ?? { openedAt: undefined, probe: undefined, failures: new Map() };
    circuits.delete(name);
    circuits.set(name, circuit);
    if (circuits.size > MAX_CIRCUITS) circuits.delete(circuits.keys().next().value ?? '');
    return circuit;
  }

  /** The server's, then the key's there. */
  function circuitsOf({ server, keyHash }: CircuitCaller): readonly [Circuit, Circuit] {
    return [circuitOf(server), circuitOf(`${server} ${keyHash}`)];
  }

  function stateOf({ openedAt, probe }: Circuit): CircuitState {
    if (openedAt === undefined) return { kind: 'closed' };
    if (probe !== undefined && probe.until > now() && probe.until <= now() + probeLeaseMs) {
      return { kind: 'open', retryAfterMs: probe.until - now() };
    }
    const retryAfterMs = openedAt + windowMs - now();
    return retryAfterMs > 0 && openedAt <= now() ? { kind: 'open', retryAfterMs } : { kind: 'half_open' };
  }

  function change(circuit: Circuit, openedAt: number | undefined): Change {
    Object.assign(circuit, { openedAt, probe: undefined });
    circuit.failures.clear();
    return openedAt === undefined ? 'closed' : 'opened';
  }

  /** Returns how many there are in the window. */
  function add({ failures }: Circuit, member: string): number {
    if (!failures.has(member)) failures.set(member, now());
    for (const [id, at] of failures) if (at <= now() - windowMs || at > now()) failures.delete(id);
    return failures.size;
  }

  /** The newest of a key's failures count for the server, at most as many as one key may contribute. */
  function countForServer(
    server: Circuit,
    key: Circuit,
    { keyHash }: CircuitCaller,
    operationId: string,
  ): Change {
    const outdated = [...key.failures.keys()].at(-perKey - 1);
    if (outdated !== undefined) server.failures.delete(`${keyHash} ${outdated}`);
    return add(server, `${keyHash} ${operationId}`) >= needed ? change(server, now()) : undefined;
  }

  function probed(circuit: Circuit, result: CallResult, reopens: () => boolean): Change {
    if (result === 'succeeded') return change(circuit, undefined);
    if (result !== 'abandoned' && reopens()) return change(circuit, now());
    circuit.probe = undefined;
    return undefined;
  }

  function report(caller: CircuitCaller, operationId: string, result: CallResult): readonly CircuitChange[] {
    const [server, key] = circuitsOf(caller);
    const noAnswer = result === 'unreachable' || result === 'lost';
    const hasFailed = noAnswer || result === 'failed';
    const probesServer = server.probe?.operationId === operationId;
    const isNew = key.openedAt === undefined && !key.failures.has(operationId);
    let ofServer: Change;
    let ofKey: Change;
    let own = 0;
    if (key.openedAt === undefined) own = hasFailed ? add(key, operationId) : 0;
    else if (key.probe?.operationId === operationId) ofKey = probed(key, result, () => true);

    if (probesServer) {
      const { keyHash } = caller;
      ofServer = probed(
        server,
        result,
        () => result === 'unreachable' || add(server, keyHash) >= SEVERAL_KEYS,
      );
    } else if (server.openedAt === undefined && noAnswer) {
      ofServer = add(server, operationId) >= threshold ? change(server, now()) : undefined;
    } else if (server.openedAt === undefined && hasFailed && isNew) {
      ofServer = countForServer(server, key, caller, operationId);
    }

    const waits = own >= threshold || (probesServer && result !== 'unreachable');
    if (hasFailed && waits && key.openedAt === undefined) ofKey = change(key, now());
    return [
      ...(ofServer === undefined ? [] : [{ circuit: 'server' as const, change: ofServer }]),
      ...(ofKey === undefined ? [] : [{ circuit: 'key' as const, change: ofKey }]),
    ];
  }

  function takeProbe(caller: CircuitCaller, operationId: string): ProbeResult {
    const probing: Circuit[] = [];
    let refusedForMs = 0;
    for (const circuit of circuitsOf(caller)) {
      const state = stateOf(circuit);
      const holds = circuit.openedAt !== undefined && circuit.probe?.operationId === operationId;
      if (state.kind === 'half_open' || holds) probing.push(circuit);
      else if (state.kind === 'open') refusedForMs = Math.max(refusedForMs, state.retryAfterMs);
    }
    if (refusedForMs > 0) return { kind: 'open', retryAfterMs: refusedForMs };
    for (const circuit of probing) circuit.probe = { operationId, until: now() + probeLeaseMs };
    return { kind: probing.length > 0 ? 'taken' : 'closed' };
  }

  function read(caller: CircuitCaller): CircuitState {
    const states = circuitsOf(caller).map(stateOf);
    const waits = states.flatMap((state) => (state.kind === 'open' ? [state.retryAfterMs] : []));
    if (waits.length > 0) return { kind: 'open', retryAfterMs: Math.max(...waits) };
    return { kind: states.some(({ kind }) => kind === 'half_open') ? 'half_open' : 'closed' };
  }

  return {
    read: (caller) => Promise.resolve(read(caller)),
    takeProbe: (caller, operationId) => Promise.resolve(takeProbe(caller, operationId)),
    report: (caller, operationId, result) => Promise.resolve(report(caller, operationId, result)),
  };
}
