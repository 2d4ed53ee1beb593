import * as z from 'zod';
import { time, count, texts, pageOf } from './parts.ts';

export const mcpServer = z.object({
  name: z.string(),
  url: z.string(),
  circuit: z.enum(['closed', 'open', 'half_open']),
  /** Next probe of an open circuit; otherwise null. */
  retry_at: time.nullable(),
  pinned_tools: count,
  changed_tools: count,
});
export type McpServer = z.infer<typeof mcpServer>;
export const mcpServers = pageOf(mcpServer).extend({ enabled: z.boolean() });

export const mcpPin = z.object({
  server: z.string(),
  tool: z.string(),
  digest: z.string(),
  pinned_at: time,
  changed_digest: z.string().nullable(),
  changed_at: time.nullable(),
  /** Definitions as JSON, for a changed tool, if they are stored. */
  definition: z.string().nullable(),
  changed_definition: z.string().nullable(),
});
export type McpPin = z.infer<typeof mcpPin>;
export const mcpPins = pageOf(mcpPin);

export const policies = z.object({
  enabled: z.boolean(),
  /** Digest of the files on disk; null if they are broken. */
  digest: z.string().nullable(),
  /** Why the files cannot be loaded. */
  errors: texts,
  warnings: texts,
  default_action: z.object({ action: z.string(), why: z.string() }).nullable(),
  initial_state: z.string().nullable(),
  files: z.array(
    z.object({
      file: z.string(),
      kind: z.enum(['card', 'rego', 'preset']),
      has_states: z.boolean(),
      rules: z.array(
        z.object({
          rule: z.string(),
          mode: z.enum(['enforce', 'report', 'off']),
          /** Matches in the last hour, from the audit trail. */
          fired: count,
        }),
      ),
    }),
  ),
});
export type Policies = z.infer<typeof policies>;

/** The output of `gateway policy explain`. */
export const explanation = z.object({
  call: z.string(),
  verdict: z.string(),
  passes: z.boolean(),
  reasons: texts,
  default_action: z.object({ action: z.string(), why: z.string() }),
  rules: z.array(
    z.object({
      rule: z.string(),
      file: z.string(),
      line: count,
      action: z.string(),
      mode: z.string(),
      fired: z.boolean(),
      reason: z.string(),
      conditions: z.array(z.object({ condition: z.unknown(), holds: z.boolean().nullable() })),
      found: z.array(z.looseObject({ before: z.string(), words: z.string(), after: z.string() })),
    }),
  ),
  rules_for_other_calls: count,
  rego: z.record(z.string(), texts).nullable(),
  taints: texts,
  state: z.string(),
  next_state: z.string().nullable(),
});
export type Explanation = z.infer<typeof explanation>;
export const acceptedPins = z.object({
  server: z.string(),
  accepted: z.array(z.object({ tool: z.string(), digest: z.string() })),
});
export type AcceptedPins = z.infer<typeof acceptedPins>;
