import * as z from 'zod';
import { driftDetection } from '../../checks/drift/config.ts';
import { sessionSettings } from '../../checks/session/config.ts';
import { section, durationOrZero } from '../fields.ts';

/** Sessions and multi-turn drift (docs/sessions.md, docs/drift.md). */
export const sessionSection = section({ ...sessionSettings, drift_detection: driftDetection }).prefault({});

const score = z.int().min(0).max(100);

export const riskProfile = section({
  enabled: z.boolean().default(true).describe('Keep a risk score for each key.'),
  ttl: durationOrZero('0').describe('Lifetime of a profile. 0 keeps it forever.'),
  auto_quarantine_threshold: score.default(75).describe('Score above which the key is locked for a while.'),
  permanent_block_threshold: score
    .default(90)
    .describe('Score above which the key is blocked until an operator resets it.'),
})
  .prefault({})
  .describe('The persistent risk score of each key. See docs/risk.md.');
