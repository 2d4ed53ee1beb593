import * as z from 'zod';
import { duration, section } from '../../config/fields.ts';

const SECRET_ACTIONS = ['quarantine', 'mask', 'mask_unscored'] as const;
export type SecretAction = (typeof SECRET_ACTIONS)[number];

/** `mcp.inspector` (docs/mcp-inspector.md). */
export const inspector = section({
  enabled: z.boolean().default(true),
  /** What a secret in an answer does: it is kept back and locks its key, is masked and scores, or is only masked. */
  secrets: z.enum(SECRET_ACTIONS).default('quarantine'),
  /** Passwords that only their names tell: masked in the answer, which goes on; neither locked nor scored for. */
  credentials: z.enum(['off', 'mask']).default('off'),
  /** What the model of injections takes for one: recorded, or taken out as what the rules find. */
  learned_injections: z.enum(['off', 'flag', 'remove']).default('off'),
  quarantine_duration: duration('1h'),
  custom_injection_patterns: z.array(z.string().min(1)).default([]),
}).prefault({});
