import * as z from 'zod';
import { filePath, section } from '../fields.ts';

/** The Envoy in front (docs/serving.md). */
export const envoy = section({
  /** The binary; unset: found on PATH or where the set-up put it. */
  path: filePath.optional(),
  /** False where Envoy is another container (compose, mesh). */
  managed: z.boolean().default(true),
  /**
   * What its heap may grow to: above half of it, streams that hold much are reset; above nine tenths, requests get 503.
   */
  max_heap_bytes: z.int().min(134_217_728).max(1_099_511_627_776).default(2_147_483_648),
}).prefault({});
