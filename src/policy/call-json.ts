import * as z from 'zod';
import { MCP_CALL_TYPES } from '../mcp/methods.ts';
import { INSTRUCTION_ROLES } from '../providers/instructions.ts';
import { STEP_TYPES } from './cards/card-schema.ts';

/**
 * Policy inputs as people write them (docs/policies.md): what is left out is empty, as it is for a call that has no
 * session, and what is not known is an error.
 */
const MAX_STEPS = 10_000;

const text = z.string().default('');
const amount = z.number().min(0).default(0);
const flag = z.boolean().default(false);
const names = z.array(z.string()).readonly().default([]);

/** zod leaves `__proto__` out of a record, and a rule would not see it. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__');
const mapOf = <T extends z.ZodType>(value: T) =>
  z
    .unknown()
    .refine(isPlain, { error: 'must be a map of names to values, none of them __proto__' })
    .pipe(z.record(z.string(), value));

/** Any name may be a flag, `__proto__` too. */
const isFlagMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.values(value).every((one) => one === true);

const taintFlags = z
  .union([z.array(z.string()), z.custom<object>(isFlagMap)], {
    error: 'must be a list of names, or a map of names to true',
  })
  .transform((flags) => (Array.isArray(flags) ? flags : Object.keys(flags)))
  .transform((flags): Readonly<Record<string, true>> =>
    Object.fromEntries(flags.map((one) => [one, true as const])),
  )
  .prefault([]);

export const agentSchema = z.strictObject({
  key_hash: text,
  name: text,
  agent_name: text,
  owner: text,
  provider: text,
  tags: mapOf(z.string()).prefault({}),
});

export const sessionSchema = z.strictObject({
  id: text,
  state: text,
  spend: amount,
  steps: amount,
  taint_flags: taintFlags,
  tools_called: names,
  drift: z
    .strictObject({
      drift_detected: flag,
      drift_score: z.number().default(0),
      anchor_similarity: z.number().default(0),
      prior_similarity: z.number().default(0),
      turn_count: amount,
    })
    .prefault({}),
});

export const agentRiskSchema = z.strictObject({
  risk_score: amount,
  total_policy_blocks: amount,
  total_escalations: amount,
  total_spend: amount,
  persistent_taint_flags: names,
  session_count: amount,
  quarantine_active: flag,
});

const textsSchema = z.union([z.string(), z.array(z.string())], {
  error: 'must be a text, or a list of texts',
});

const instruction = z.strictObject({ role: z.enum(INSTRUCTION_ROLES), text: z.string() });

/** Texts of a prompt: an instruction names its role. */
export const promptSchema = z.union([z.string(), z.array(z.union([z.string(), instruction]))], {
  error: 'must be a text, or a list of texts and instructions ({role: system or developer, text})',
});

/** In place of `policy.trust`, role by role. */
const trustSchema = z
  .strictObject({ system: z.boolean().optional(), developer: z.boolean().optional() })
  .prefault({});

/** An earlier step of the session, for rules that ask for one (`contains_matching_trace`). */
export const stepSchema = z.strictObject({
  type: z.enum(STEP_TYPES),
  provider: text,
  tool: text,
  content: textsSchema.prefault(''),
});

const obfuscation = z.strictObject({
  obfuscation_detected: z.boolean().exactOptional(),
  has_homoglyphs: z.boolean().exactOptional(),
  has_invisible_chars: z.boolean().exactOptional(),
  has_base64_payloads: z.boolean().exactOptional(),
  has_encoding_attacks: z.boolean().exactOptional(),
  has_delim_padding: z.boolean().exactOptional(),
});

const OTHER_CALL_TYPES = MCP_CALL_TYPES.filter((type) => type !== 'mcp_tool_call');
const mcpFields = {
  provider: text,
  mcp_method: z.string().optional(),
  tool_name: text,
  resource_uri: text,
  prompt_name: text,
  mcp_server: text,
  path: z.string().optional(),
  arguments: z.unknown().optional(),
  unseen_content: flag,
};

const request = z.discriminatedUnion(
  'method',
  [
    z.strictObject({
      method: z.literal('llm_call'),
      provider: text,
      model: text,
      path: text,
      unseen_content: flag,
    }),
    z.strictObject({ method: z.literal('mcp_tool_call'), ...mcpFields, tool_name: z.string().min(1) }),
    z.strictObject({ method: z.enum(OTHER_CALL_TYPES), ...mcpFields }),
  ],
  { error: `must be llm_call, ${MCP_CALL_TYPES.join(', ')}` },
);

export const callSchema = z
  .strictObject({
    agent: agentSchema.prefault({}),
    request,
    session: sessionSchema.prefault({}),
    agent_risk: agentRiskSchema.prefault({}),
    action: z
      .strictObject({
        normalized_prompt: z.string().optional(),
        obfuscation: obfuscation.optional(),
        injection_score: z.number().min(0).max(1).optional(),
      })
      .optional(),
    prompt_text: promptSchema.optional(),
    trust: trustSchema,
    history: z.array(stepSchema).max(MAX_STEPS).default([]),
  })
  .refine(({ request: { method }, prompt_text }) => method === 'llm_call' || prompt_text === undefined, {
    path: ['prompt_text'],
    error: "is for llm_call: the texts of an MCP server's call are its arguments",
  });

/** A call as JSON has it, its gaps filled. */
export type CallJson = z.output<typeof callSchema>;
