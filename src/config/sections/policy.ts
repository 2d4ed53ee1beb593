import * as z from 'zod';
import { filePath, section } from '../fields.ts';

export const POLICY_PRESETS = ['safety', 'pci', 'mcp_sandbox', 'zero_trust', 'safety_drift'] as const;

/** Where the policies come from (SPEC "Policies"). */
export const policy = section({
  enabled: z.boolean().default(false),
  policy_file: filePath.default('./policies.yaml'),
  policy_dir: filePath.default('./policies'),
  presets: z.array(z.enum(POLICY_PRESETS)).default([]),
  /** Unset: `deny` if any source can allow, else `allow` (DECISIONS "Policy"); written: always obeyed. */
  default_action: z.enum(['allow', 'deny']).optional(),
}).prefault({});
