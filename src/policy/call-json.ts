import * as z from 'zod';
import { MCP_CALL_TYPES } from '../mcp/methods.ts';
import { INSTRUCTION_ROLES } from '../providers/instructions.ts';
import { STEP_TYPES } from './cards/card-schema.ts';
import {
  ACTION,
  AGENT,
  AGENT_RISK,
  DRIFT,
  LLM_REQUEST,
  MCP_REQUEST,
  OBFUSCATION,
  SESSION,
  shapeOf,
} from './input-fields.ts';

const MAX_STEPS = 10_000;

export const agentSchema = z.strictObject(shapeOf(AGENT));

export const sessionSchema = z.strictObject({
  ...shapeOf(SESSION),
  drift: z.strictObject(shapeOf(DRIFT)).prefault({}),
});

export const agentRiskSchema = z.strictObject(shapeOf(AGENT_RISK));

const textsSchema = z.union([z.string(), z.array(z.string())], {
  error: 'must be a string, or an array of strings',
});

const instruction = z.strictObject({ role: z.enum(INSTRUCTION_ROLES), text: z.string() });

export const promptSchema = z.union([z.string(), z.array(z.union([z.string(), instruction]))], {
  error: 'must be a string, or an array of strings and instructions ({role: system or developer, text})',
});

/** Overrides `policy.trust` for each role that is set. */
const trustSchema = z
  .strictObject({ system: z.boolean().optional(), developer: z.boolean().optional() })
  .prefault({});

/** An earlier step of the session, for `contains_matching_trace`. */
export const stepSchema = z.strictObject({
  type: z.enum(STEP_TYPES),
  provider: z.string().default(''),
  tool: z.string().default(''),
  content: textsSchema.prefault(''),
});

const mcpShape = shapeOf(MCP_REQUEST);
const toolCall = z.literal('mcp_tool_call');
const otherCall = z.enum(MCP_CALL_TYPES).exclude(['mcp_tool_call']);

const request = z.discriminatedUnion(
  'method',
  [
    z.strictObject(shapeOf(LLM_REQUEST)),
    z.strictObject({ ...mcpShape, method: toolCall, tool_name: z.string().min(1) }),
    z.strictObject({ ...mcpShape, method: otherCall }),
  ],
  { error: `must be llm_call, ${MCP_CALL_TYPES.join(', ')}` },
);

/**
 * A policy input (docs/policies.md). Missing members are empty, as in a call without a session; unknown ones are
 * errors.
 */
export const callSchema = z
  .strictObject({
    agent: agentSchema.prefault({}),
    request,
    session: sessionSchema.prefault({}),
    agent_risk: agentRiskSchema.prefault({}),
    action: z
      .strictObject({
        ...shapeOf(ACTION),
        obfuscation: z.strictObject(shapeOf(OBFUSCATION)).exactOptional(),
      })
      .optional(),
    prompt_text: promptSchema.optional(),
    trust: trustSchema,
    history: z.array(stepSchema).max(MAX_STEPS).default([]),
  })
  .refine(({ request: { method }, prompt_text }) => method === 'llm_call' || prompt_text === undefined, {
    path: ['prompt_text'],
    error: 'is for llm_call: the texts of an MCP call are its arguments',
  });

export type CallJson = z.output<typeof callSchema>;
