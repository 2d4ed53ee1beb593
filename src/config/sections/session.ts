import * as z from 'zod';
import { count, duration, fraction, positiveCount, section } from '../fields.ts';

/** Sessions and multi-turn drift (docs/sessions.md, docs/drift.md). */
export const session = section({
  /** Concurrent sessions of one key, beyond which a new one is refused; at 0 an old one makes room. */
  max_per_key: count.default(0),
  /** Life of an idle session in which a call was answered. */
  ttl: duration('24h'),
  /** Refuse requests without a session id. */
  required: z.boolean().default(false),
  drift_detection: section({
    enabled: z.boolean().default(false),
    min_turns: positiveCount.default(3),
    anchor_similarity_threshold: fraction.default(0.08),
    drift_score_threshold: fraction.default(0.45),
  }).prefault({}),
}).prefault({});
