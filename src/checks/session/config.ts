import * as z from 'zod';
import { count, duration } from '../../config/fields.ts';

export const sessionSettings = {
  max_per_key: count
    .default(0)
    .describe(
      'Maximum number of concurrent sessions per key; more are refused. With 0, new sessions replace old ones beyond 10,000 per key.',
    ),
  ttl: duration('24h').describe('Lifetime of an idle session in which a call was answered.'),
  required: z
    .boolean()
    .default(false)
    .describe('Refuse requests without `X-Gateway-Session-ID`. MCP calls may have an MCP session instead.'),
};
