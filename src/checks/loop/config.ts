import * as z from 'zod';
import { count, fraction, positiveCount, section, type Settings } from '../../config/fields.ts';

/** Repeats, bursts and stalls within a session (docs/loops.md). */
export const loopDetection = section({
  enabled: z.boolean().default(true),
  fingerprint: section({
    threshold: positiveCount.default(3),
    window_seconds: positiveCount.default(60),
    similarity_threshold: fraction.default(0.95),
    /** Also drop digits, punctuation and repeated filler before hashing. */
    defeat_padding: z.boolean().default(false),
  }).prefault({}),
  velocity: section({
    /** 0 disables. */
    max_rps: z.number().min(0).max(1_000_000).default(0),
    /** 0 disables. */
    max_endpoint_repeats: count.default(0),
    repeat_window_seconds: positiveCount.default(60),
  }).prefault({}),
  stall: section({
    /** Bits of 64; 0 disables. */
    min_hamming_distance: z.int().min(0).max(64).default(0),
    low_diversity_threshold: positiveCount.default(5),
  }).prefault({}),
  action: z.enum(['warn', 'block']).default('warn'),
}).prefault({});

export type LoopConfig = Settings<typeof loopDetection>;
