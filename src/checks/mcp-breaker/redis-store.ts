import * as z from 'zod';
import type { RedisClient } from '../../redis/client.ts';
import { mcpBreakerKey, mcpFailuresKey } from '../../redis/keys.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import { CIRCUIT_MEMORY_MS } from './store.ts';
import type { BreakerSettings, BreakerStore } from './store.ts';

export interface RedisBreakerStoreOptions extends BreakerSettings {
  readonly client: RedisClient;
  /** See `phaseDeadlineMs`. */
  readonly deadlineMs: number;
  /** A clock for tests, Unix ms; Redis's own where it is left out (DECISIONS "Redis"). */
  readonly now?: () => number;
}

const readScript = loadScript(new URL('./read-circuit.lua', import.meta.url));
const takeScript = loadScript(new URL('./take-probe.lua', import.meta.url));
const reportScript = loadScript(new URL('./report-result.lua', import.meta.url));

const waitMs = z.number().min(0);
const readReply = z.tuple([z.enum(['closed', 'open', 'half_open']), waitMs]);
const takeReply = z.tuple([z.enum(['taken', 'closed', 'open']), waitMs]);
const reportReply = z.enum(['opened', 'closed', 'same']);

/** Circuits that all gateways on one Redis share. */
export function createRedisBreakerStore(options: RedisBreakerStoreOptions): BreakerStore {
  const { client, deadlineMs, threshold, windowMs, probeLeaseMs } = options;
  const now = (): string | number => (options.now === undefined ? '' : options.now());
  const memoryMs = windowMs + CIRCUIT_MEMORY_MS;
  return {
    read: (server) =>
      withRedisDeadline(deadlineMs, async () => {
        const args = [now(), windowMs, probeLeaseMs];
        const [kind, retryAfterMs] = readReply.parse(
          await readScript.run(client, [mcpBreakerKey(server)], args),
        );
        return kind === 'open' ? { kind, retryAfterMs } : { kind };
      }),
    takeProbe: (server, operationId) =>
      withRedisDeadline(deadlineMs, async () => {
        const args = [now(), windowMs, probeLeaseMs, operationId, memoryMs];
        const [kind, retryAfterMs] = takeReply.parse(
          await takeScript.run(client, [mcpBreakerKey(server)], args),
        );
        return kind === 'open' ? { kind, retryAfterMs } : { kind };
      }),
    report: (server, operationId, result) =>
      withRedisDeadline(deadlineMs, async () => {
        const keys = [mcpBreakerKey(server), mcpFailuresKey(server)];
        const args = [now(), windowMs, threshold, operationId, result, memoryMs];
        const change = reportReply.parse(await reportScript.run(client, keys, args));
        return change === 'same' ? undefined : change;
      }),
  };
}
