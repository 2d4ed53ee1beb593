import * as z from 'zod';
import { positiveCount, section, type Settings } from '../../config/fields.ts';

/** Requests per key (docs/rate-limit.md). */
export const rateLimitSection = section({
  enabled: z.boolean().default(false),
  requests_per_minute: positiveCount.default(60),
}).prefault({});

export type RateLimitConfig = Settings<typeof rateLimitSection>;
