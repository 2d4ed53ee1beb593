import * as z from 'zod';
import { count, duration } from '../../config/fields.ts';

/** Keys of `session` (docs/sessions.md). */
export const sessionSettings = {
  /** Concurrent sessions of one key, beyond which a new one is refused; at 0 an old one makes room. */
  max_per_key: count.default(0),
  /** Life of an idle session in which a call was answered. */
  ttl: duration('24h'),
  /** Refuse requests without a session id. */
  required: z.boolean().default(false),
};
