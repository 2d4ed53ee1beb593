import * as z from 'zod';
import { duration, section } from '../../config/fields.ts';

/** `mcp.inspector` (docs/mcp-inspector.md). */
export const inspector = section({
  enabled: z.boolean().default(true),
  /** What a secret in an answer does: it is kept back and locks its key, or is masked; both score. */
  secrets: z.enum(['quarantine', 'mask']).default('quarantine'),
  /** Passwords that only their names tell: masked in the answer, which goes on; neither locked nor scored for. */
  credentials: z.enum(['off', 'mask']).default('off'),
  quarantine_duration: duration('1h'),
  custom_injection_patterns: z.array(z.string().min(1)).default([]),
}).prefault({});
