import * as z from 'zod';
import { count, duration } from '../../config/fields.ts';

export const sessionSettings = {
  max_per_key: count
    .default(0)
    .describe(
      'Sessions of one key at the same time; a new one beyond is refused. At 0 an old session makes room for a new one.',
    ),
  ttl: duration('24h').describe('Life of an idle session in which a call was answered.'),
  required: z.boolean().default(false).describe('Refuse requests without `X-Gateway-Session-ID`.'),
};
