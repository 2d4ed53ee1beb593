import * as z from 'zod';
import { duration, section } from '../fields.ts';

/** Records of what was spent (docs/spend.md). */
export const spendSection = section({
  enabled: z.boolean().default(false).describe('Record the spend of each key by day, provider and model.'),
  retention: duration('400d').describe('How long a day is kept.'),
})
  .prefault({})
  .describe('Records for `gateway spend`. See docs/spend.md.');
