import * as z from 'zod';
import { positiveCount, section } from '../fields.ts';

/** The audit trail (docs/audit.md). */
export const audit = section({
  enabled: z.boolean().default(false),
  stdout: z.boolean().default(true),
  /** JSON lines are appended here; empty: no file. */
  file: z.string().default(''),
  /** Key of the HMAC that names matches; empty: each process has one of its own. */
  secret: z.string().default(''),
  /** Events kept in the Redis stream `gateway:audit`. */
  stream_max_length: positiveCount.default(100_000),
  /** Refuse traffic that cannot be audited. */
  required: z.boolean().default(false),
}).prefault({});
