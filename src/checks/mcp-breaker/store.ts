import type { RedisStoreOptions } from '../../redis/client.ts';
import { mcpBreakerKey, mcpFailuresKey, mcpKeyBreakerKey, mcpKeyFailuresKey } from '../../redis/keys.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import * as z from 'zod';

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

/** `lost`: sent, but no answer began. `failed`: answered with 5xx. `abandoned`: a probe with an unknown result. */
export type CallResult = 'unreachable' | 'lost' | 'failed' | 'succeeded' | 'abandoned';

/** A change of the server's circuit, or of the key's circuit at the server. */
export interface CircuitChange {
  readonly circuit: 'server' | 'key';
  readonly change: 'opened' | 'closed';
}

export interface BreakerSettings {
  /** Failures within `windowMs` that open a circuit. */
  readonly threshold: number;
  /** Also the delay before an open circuit's first probe. */
  readonly windowMs: number;
  /** Without renewal, another call may probe after this time, because a gateway may crash during its probe. */
  readonly probeLeaseMs: number;
}

/**
 * Stores MCP server circuits (docs/mcp-breaker.md). A call passes two circuits: its key's circuit at the server, which
 * opens on that key's failures, and the server's circuit, which blocks all keys and opens on connection failures or on
 * failed answers to several keys. Changes are atomic and may be repeated. Failures throw `redis_unavailable`.
 */
export interface BreakerStore {
  read(caller: CircuitCaller): Promise<CircuitState>;
  /**
   * Takes the probes of all half-open circuits of the call, or none. A repeat with the same operation renews the lease.
   */
  takeProbe(caller: CircuitCaller, operationId: string): Promise<ProbeResult>;
  /** Reports a call's result. A success changes the circuit only if the call is the probe. */
  report(caller: CircuitCaller, operationId: string, result: CallResult): Promise<readonly CircuitChange[]>;
}

const CIRCUIT_MEMORY_MS = 86_400_000;

/** Failures of fewer keys may be caused by the keys themselves. */
const SEVERAL_KEYS = 3;

export interface RedisBreakerStoreOptions extends BreakerSettings, RedisStoreOptions {}

const readScript = loadScript(new URL('./read-circuit.lua', import.meta.url));
const takeScript = loadScript(new URL('./take-probe.lua', import.meta.url));
const reportScript = loadScript(new URL('./report-result.lua', import.meta.url));

const waitMs = z.number().min(0);
const readReply = z.tuple([z.enum(['closed', 'open', 'half_open']), waitMs]);
const takeReply = z.tuple([z.enum(['taken', 'closed', 'open']), waitMs]);
const change = z.enum(['opened', 'closed', 'same']);
const reportReply = z.tuple([change, change]);

export function createRedisBreakerStore(options: RedisBreakerStoreOptions): BreakerStore {
  const { client, deadlineMs, threshold, windowMs, probeLeaseMs } = options;
  const now = (): string | number => (options.now === undefined ? '' : options.now());
  const memoryMs = windowMs + CIRCUIT_MEMORY_MS;
  return {
    read: (caller) =>
      withRedisDeadline(deadlineMs, async () => {
        const args = [now(), windowMs, probeLeaseMs];
        const [kind, retryAfterMs] = readReply.parse(await readScript.run(client, circuitsOf(caller), args));
        return kind === 'open' ? { kind, retryAfterMs } : { kind };
      }),
    takeProbe: (caller, operationId) =>
      withRedisDeadline(deadlineMs, async () => {
        const args = [now(), windowMs, probeLeaseMs, operationId, memoryMs];
        const [kind, retryAfterMs] = takeReply.parse(await takeScript.run(client, circuitsOf(caller), args));
        return kind === 'open' ? { kind, retryAfterMs } : { kind };
      }),
    report: (caller, operationId, result) =>
      withRedisDeadline(deadlineMs, async () => {
        const { server, keyHash } = caller;
        const [ofServer, ofKey] = circuitsOf(caller);
        const keys = [ofServer, mcpFailuresKey(server), ofKey, mcpKeyFailuresKey(server, keyHash)];
        const args = [now(), windowMs, threshold, operationId, result, memoryMs, keyHash, SEVERAL_KEYS];
        const changes = reportReply.parse(await reportScript.run(client, keys, args));
        return (['server', 'key'] as const).flatMap((circuit, index) => {
          const change = changes[index] ?? 'same';
          return change === 'same' ? [] : [{ circuit, change }];
        });
      }),
  };
}

function circuitsOf({ server, keyHash }: CircuitCaller): readonly [string, string] {
  return [mcpBreakerKey(server), mcpKeyBreakerKey(server, keyHash)];
}
