import * as z from 'zod';
import { PRESET_NAMES } from '../../policy/presets.ts';
import { RULE_MODES } from '../../policy/rule-modes.ts';
import { needsRestart, filePath, section } from '../fields.ts';

export const policySection = section({
  enabled: needsRestart(z.boolean().default(false).describe('Evaluate policies.')),
  policy_file: filePath
    .default('./policies.yaml')
    .describe('YAML file of policy cards. Changes on disk are reloaded.'),
  policy_dir: filePath
    .default('./policies')
    .describe('Directory of Rego files (package `gateway.policy`). Changes on disk are reloaded.'),
  presets: z
    .array(z.enum(PRESET_NAMES))
    .default([])
    .describe('Built-in rule sets to evaluate in addition to your own.'),
  overrides: z
    .record(z.string().min(1).max(256), z.enum(RULE_MODES))
    .default({})
    .describe('Modes of individual card and preset rules, by name, such as `safety/block-cvv: report`.'),
  default_action: z
    .enum(['allow', 'deny'])
    .optional()
    .describe(
      'Verdict when no rule applies. Default: `deny` if any source has an `allow` rule, otherwise `allow`.',
    ),
  trust: section({
    system: z.boolean().default(true).describe('Do not apply injection rules to system messages.'),
    developer: z.boolean().default(true).describe('Do not apply injection rules to developer messages.'),
  })
    .prefault({})
    .describe('Authors whose messages injection rules ignore. Keys, cards and rules can override this.'),
})
  .prefault({})
  .describe('Policy sources. See docs/policies.md.');
