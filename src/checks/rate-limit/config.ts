import * as z from 'zod';
import { positiveCount, section, type Settings } from '../../config/fields.ts';

export const rateLimitSection = section({
  enabled: z.boolean().default(false).describe('Limit the requests of each key.'),
  requests_per_minute: positiveCount
    .default(60)
    .describe('Maximum number of requests of one key per minute; further requests get 429.'),
})
  .prefault({})
  .describe('Requests per key. See docs/rate-limit.md.');

export type RateLimitConfig = Settings<typeof rateLimitSection>;
