import * as z from 'zod';
import { PRESET_NAMES } from '../../policy/presets.ts';
import { RULE_MODES } from '../../policy/rule-modes.ts';
import { filePath, section } from '../fields.ts';

/** Where the policies come from (docs/policies.md). */
export const policySection = section({
  enabled: z.boolean().default(false),
  policy_file: filePath.default('./policies.yaml'),
  policy_dir: filePath.default('./policies'),
  presets: z.array(z.enum(PRESET_NAMES)).default([]),
  /** Rules of cards and presets that do not count as they say (docs/policies.md). */
  overrides: z.record(z.string().min(1).max(256), z.enum(RULE_MODES)).default({}),
  /** Unset: `deny` if any source can allow, else `allow` (docs/policies.md); written: always obeyed. */
  default_action: z.enum(['allow', 'deny']).optional(),
  /** Whose instructions rules about injections leave alone, unless a key, a card or a rule says otherwise. */
  trust: section({ system: z.boolean().default(true), developer: z.boolean().default(true) }).prefault({}),
}).prefault({});
