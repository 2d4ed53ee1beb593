import { checkEntry } from '../entry.ts';

/** Interval for renewing a probe's lease, well within it. */
const PROBE_RENEW_MS = 3_000;

export const mcpBreaker = checkEntry(async ({ mcp }, { counting }) => {
  if (counting === undefined) return undefined;
  const { createMcpBreakerCheck } = await import('./check.ts');
  return createMcpBreakerCheck({
    config: mcp.circuit_breaker,
    store: counting.circuits,
    renewAfterMs: PROBE_RENEW_MS,
    onChange: counting.circuitChanged,
  });
});
