import * as z from 'zod';
import { fraction, positiveCount, section, type Settings } from '../../config/fields.ts';

/** `session.drift_detection` (docs/drift.md). */
export const driftDetection = section({
  enabled: z.boolean().default(false),
  min_turns: positiveCount.default(3),
  anchor_similarity_threshold: fraction.default(0.08),
  drift_score_threshold: fraction.default(0.45),
}).prefault({});

export type DriftConfig = Settings<typeof driftDetection>;
