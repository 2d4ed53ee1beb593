import * as z from 'zod';
import { durationOrZero, section } from '../fields.ts';

const score = z.int().min(0).max(100);

/** The persistent risk score of each key (docs/risk.md). */
export const riskProfile = section({
  enabled: z.boolean().default(true),
  /** Life of a profile; 0 is permanent. */
  ttl: durationOrZero('0'),
  /** A score over it locks the key for a while. */
  auto_quarantine_threshold: score.default(75),
  /** A score over it blocks the key until an operator resets it. */
  permanent_block_threshold: score.default(90),
}).prefault({});
