import * as z from 'zod';
import { count, fraction, positiveCount, section, type Settings } from '../../config/fields.ts';

export const loopDetection = section({
  enabled: z.boolean().default(true).describe('Detect loops within a session.'),
  fingerprint: section({
    threshold: positiveCount
      .default(3)
      .describe('Number of similar earlier calls within the window that make a call a loop.'),
    window_seconds: positiveCount
      .default(60)
      .describe('Window, in seconds, in which similar calls are counted.'),
    similarity_threshold: fraction
      .default(0.95)
      .describe('Similarity of two calls, 0 to 1, at which they count as repeats.'),
    defeat_padding: z
      .boolean()
      .default(false)
      .describe(
        'Ignore digits, punctuation and repeated filler when comparing calls, so that a counter in a prompt does not hide a loop.',
      ),
  }).prefault({}),
  velocity: section({
    max_rps: z
      .number()
      .min(0)
      .max(1_000_000)
      .default(0)
      .describe('Maximum number of requests per second in one session. 0 disables the limit.'),
    max_endpoint_repeats: count
      .default(0)
      .describe(
        'Maximum number of calls to one endpoint per session within `repeat_window_seconds`. 0 disables the limit.',
      ),
    repeat_window_seconds: positiveCount.default(60).describe('Window of `max_endpoint_repeats` in seconds.'),
  }).prefault({}),
  stall: section({
    min_hamming_distance: z
      .int()
      .min(0)
      .max(64)
      .default(0)
      .describe(
        'Recent calls are a stall if all consecutive calls differ in fewer than this many of the 64 fingerprint bits. 0 disables the check.',
      ),
    low_diversity_threshold: positiveCount
      .default(5)
      .describe('Number of recent calls compared to detect a stall.'),
  }).prefault({}),
  action: z.enum(['warn', 'block']).default('warn').describe('Log a detected loop, or refuse the call.'),
})
  .prefault({})
  .describe('Repeats, bursts and stalls within a session. See docs/loops.md.');

export type LoopConfig = Settings<typeof loopDetection>;
