import * as z from 'zod';
import { positiveCount, section, type Settings } from '../../config/fields.ts';

export const circuitBreaker = section({
  enabled: z.boolean().default(true).describe('Stop calling MCP servers that keep failing.'),
  threshold: positiveCount.default(5).describe('Failures within the window that open the circuit.'),
  window_seconds: positiveCount.default(60).describe('Window, in seconds, in which failures are counted.'),
})
  .prefault({})
  .describe('See docs/mcp-breaker.md.');

/** Another call may probe after this time, unless the lease is renewed. */
export const PROBE_LEASE_MS = 10_000;

export type BreakerConfig = Settings<typeof circuitBreaker>;
