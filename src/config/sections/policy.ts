import * as z from 'zod';
import { PRESET_NAMES } from '../../policy/presets.ts';
import { RULE_MODES } from '../../policy/rule-modes.ts';
import { filePath, section } from '../fields.ts';

/** Sources of policies (docs/policies.md). */
export const policySection = section({
  enabled: z.boolean().default(false),
  policy_file: filePath.default('./policies.yaml'),
  policy_dir: filePath.default('./policies'),
  presets: z.array(z.enum(PRESET_NAMES)).default([]),
  /** Changes the mode of rules in cards and presets (docs/policies.md). */
  overrides: z.record(z.string().min(1).max(256), z.enum(RULE_MODES)).default({}),
  /** Unset: `deny` if any source can allow, else `allow` (docs/policies.md). */
  default_action: z.enum(['allow', 'deny']).optional(),
  /** Roles whose instructions are exempt from injection rules, unless a key, a card or a rule overrides it. */
  trust: section({ system: z.boolean().default(true), developer: z.boolean().default(true) }).prefault({}),
}).prefault({});
