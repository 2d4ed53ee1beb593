import * as z from 'zod';
import { fraction, positiveCount, section, type Settings } from '../../config/fields.ts';

export const driftDetection = section({
  enabled: z.boolean().default(false).describe('Detect sessions that drift away from their first request.'),
  min_turns: positiveCount
    .default(3)
    .describe('Minimum number of turns in the session, including the current one, before drift is detected.'),
  anchor_similarity_threshold: fraction
    .default(0.08)
    .describe(
      'Similarity to the first turn and the last on-topic turn, 0 to 1, at which a turn is fully on topic.',
    ),
  drift_score_threshold: fraction
    .default(0.45)
    .describe('Drift score, 0 to 1, above which drift is detected.'),
})
  .prefault({})
  .describe('See docs/drift.md.');

export type DriftConfig = Settings<typeof driftDetection>;
