import * as z from 'zod';
import { driftDetection } from '../../checks/drift/config.ts';
import { sessionSettings } from '../../checks/session/config.ts';
import { section, durationOrZero } from '../fields.ts';

/** Sessions and multi-turn drift (docs/sessions.md, docs/drift.md). */
export const sessionSection = section({ ...sessionSettings, drift_detection: driftDetection }).prefault({});

const score = z.int().min(0).max(100);

/** The persistent risk score of each key (docs/risk.md). */
export const riskProfile = section({
  enabled: z.boolean().default(true),
  /** Lifetime of a profile; 0 is permanent. */
  ttl: durationOrZero('0'),
  /** Scores above it lock the key temporarily. */
  auto_quarantine_threshold: score.default(75),
  /** Scores above it block the key until an operator resets it. */
  permanent_block_threshold: score.default(90),
}).prefault({});
