import * as z from 'zod';
import { duration, section } from '../../config/fields.ts';

const SECRET_ACTIONS = ['quarantine', 'mask', 'mask_unscored'] as const;
export type SecretAction = (typeof SECRET_ACTIONS)[number];

export const inspector = section({
  enabled: z.boolean().default(true).describe('Scan MCP server answers for injections and secrets.'),
  secrets: z
    .enum(SECRET_ACTIONS)
    .default('quarantine')
    .describe(
      'Action on a secret in an answer: `quarantine` withholds the answer and locks the key, `mask` masks it and raises the risk score, `mask_unscored` only masks it.',
    ),
  credentials: z
    .enum(['off', 'mask'])
    .default('off')
    .describe(
      'Action on passwords recognized by their names, such as `DB_PASSWORD=…`: ignore or mask them. The key is neither locked nor scored.',
    ),
  learned_injections: z
    .enum(['off', 'flag', 'remove'])
    .default('off')
    .describe('Action on injection model findings in answers: ignore, record, or remove them.'),
  quarantine_duration: duration('1h').describe('How long a key is locked after a secret in an answer.'),
  custom_injection_patterns: z
    .array(z.string().min(1))
    .default([])
    .describe('Additional regular expressions that match injections.'),
})
  .prefault({})
  .describe('See docs/mcp-inspector.md.');
