import * as z from 'zod';
import { count, duration } from '../../config/fields.ts';

export const sessionSettings = {
  max_per_key: count
    .default(0)
    .describe(
      'Largest number of sessions that a key may have at the same time; more are refused. With 0, new sessions replace old ones.',
    ),
  ttl: duration('24h').describe('Lifetime of an idle session in which a call was answered.'),
  required: z.boolean().default(false).describe('Refuse requests without `X-Gateway-Session-ID`.'),
};
