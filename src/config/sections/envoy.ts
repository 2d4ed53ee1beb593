import * as z from 'zod';
import { filePath, section } from '../fields.ts';

/** The Envoy in front (DECISIONS "Serving and configuration"). */
export const envoy = section({
  /** The binary; unset: found on PATH or where the set-up put it. */
  path: filePath.optional(),
  /** False where Envoy is another container (compose, mesh). */
  managed: z.boolean().default(true),
}).prefault({});
