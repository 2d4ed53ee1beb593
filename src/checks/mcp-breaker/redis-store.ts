import * as z from 'zod';
import type { RedisStoreOptions } from '../../redis/client.ts';
import { mcpBreakerKey, mcpFailuresKey, mcpKeyBreakerKey, mcpKeyFailuresKey } from '../../redis/keys.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import {
  CIRCUIT_MEMORY_MS,
  SEVERAL_KEYS,
  type BreakerSettings,
  type BreakerStore,
  type CircuitCaller,
} from './store.ts';

export interface RedisBreakerStoreOptions extends BreakerSettings, RedisStoreOptions {}

const readScript = loadScript(new URL('./read-circuit.lua', import.meta.url));
const takeScript = loadScript(new URL('./take-probe.lua', import.meta.url));
const reportScript = loadScript(new URL('./report-result.lua', import.meta.url));

const waitMs = z.number().min(0);
const readReply = z.tuple([z.enum(['closed', 'open', 'half_open']), waitMs]);
const takeReply = z.tuple([z.enum(['taken', 'closed', 'open']), waitMs]);
const change = z.enum(['opened', 'closed', 'same']);
const reportReply = z.tuple([change, change]);

/** Keeps circuits in Redis, shared by all gateways. */
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
