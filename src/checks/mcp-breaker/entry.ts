import { checkEntry } from '../entry.ts';
import { PROBE_LEASE_MS } from './config.ts';

const PROBE_RENEW_MS = 3_000;

export const mcpBreaker = checkEntry(async ({ mcp }, { counting, ownStore }) => {
  const { threshold, window_seconds } = mcp.circuit_breaker;
  const store = await ownStore({
    async redis(place) {
      const { createRedisBreakerStore } = await import('./store.ts');
      const windowMs = window_seconds * 1_000;
      return createRedisBreakerStore({ ...place, threshold, windowMs, probeLeaseMs: PROBE_LEASE_MS });
    },
  });
  if (counting === undefined || store === undefined) return undefined;
  const { createMcpBreakerCheck } = await import('./check.ts');
  return createMcpBreakerCheck({
    config: mcp.circuit_breaker,
    store,
    renewAfterMs: PROBE_RENEW_MS,
    onChange: counting.circuitChanged,
  });
});
