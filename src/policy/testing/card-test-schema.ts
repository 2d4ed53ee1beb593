import * as z from 'zod';
import { MCP_CALL_TYPES } from '../../mcp/methods.ts';
import { agentRiskSchema, agentSchema, promptSchema, sessionSchema, stepSchema } from '../call-json.ts';
import { VERDICTS } from '../decision.ts';

const MAX_CASES = 10_000;
const MAX_STEPS = 1_000;
const name = z.string().min(1).max(256);

const who = { agent: agentSchema.optional(), agent_risk: agentRiskSchema.optional() };
const before = {
  session: sessionSchema.optional(),
  history: z.array(stepSchema).max(MAX_STEPS).optional(),
};

const llmCall = z.strictObject({
  type: z.literal('llm_call'),
  prompt: promptSchema.optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  path: z.string().optional(),
  unseen_content: z.boolean().optional(),
  ...who,
});
const mcpFields = {
  arguments: z.unknown().optional(),
  server: z.string().optional(),
  provider: z.string().optional(),
  unseen_content: z.boolean().optional(),
  ...who,
};
const toolCall = z.strictObject({ type: z.literal('mcp_tool_call'), tool_name: name, ...mcpFields });
const otherCall = z.strictObject({
  type: z.enum(MCP_CALL_TYPES.filter((type) => type !== 'mcp_tool_call')),
  mcp_method: name.optional(),
  resource_uri: z.string().optional(),
  prompt_name: z.string().optional(),
  ...mcpFields,
});
const ofType = { error: `must be llm_call, ${MCP_CALL_TYPES.join(', ')}` };
/** In a case with steps, the earlier steps are the history. */
const stepCall = z.discriminatedUnion('type', [llmCall, toolCall, otherCall], ofType);
const call = z.discriminatedUnion(
  'type',
  [llmCall.extend(before), toolCall.extend(before), otherCall.extend(before)],
  ofType,
);
export type TestCall = z.output<typeof call>;

const expectation = {
  expect: z.enum(VERDICTS).describe('strongest kind of rule that fires; none: the default action decides'),
  rules: z.array(name).optional().describe('rules that must fire; others may fire as well'),
  reason: z.string().min(1).optional().describe('text that a reason of the deciding rules must contain'),
  taints: z.array(name).optional().describe('all flags that the call sets on its session'),
};
export type Expectation = z.output<z.ZodObject<typeof expectation>>;

const step = z.strictObject({
  call: stepCall,
  ...expectation,
  answer: z
    .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())], {
      error: 'must be a string, an MCP result, or its content',
    })
    .optional()
    .describe(
      'answer of the model or tool, for rules about later steps: a string, an MCP result, or its content',
    ),
  state: name.optional().describe('state of the session after this step'),
});
export type TestStep = z.output<typeof step>;

const single = z.strictObject({ name, call, ...expectation, state: name.optional() });
const walk = z.strictObject({
  name,
  ...who,
  session: sessionSchema.optional().describe('the session as it begins'),
  steps: z.array(step).min(1).max(MAX_STEPS),
});

/** A file `*_test.yaml`: calls and expected results. A case with `steps` runs them in one session. */
export const cardTestSchema = z
  .array(z.union([single, walk]))
  .min(1)
  .max(MAX_CASES);
export type CardTest = z.output<typeof cardTestSchema>[number];
