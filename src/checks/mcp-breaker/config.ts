import * as z from 'zod';
import { positiveCount, section, type Settings } from '../../config/fields.ts';

/** `mcp.circuit_breaker` (docs/mcp-breaker.md). */
export const circuitBreaker = section({
  enabled: z.boolean().default(true),
  threshold: positiveCount.default(5),
  window_seconds: positiveCount.default(60),
}).prefault({});

export type BreakerConfig = Settings<typeof circuitBreaker>;
