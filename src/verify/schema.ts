import * as z from 'zod';
import { PROVIDER_NAMES } from '../providers/registry.ts';

const MAX_NAME_CHARS = 512;

const requiredText = (what: string) => z.string({ error: `${what} must be a string` });
const shortText = (what: string) =>
  requiredText(what).max(MAX_NAME_CHARS, { error: `${what} must have at most ${MAX_NAME_CHARS} characters` });
const names = (what: string) => z.array(shortText(what), { error: `${what} must be an array of strings` });

const provider = z.enum(PROVIDER_NAMES, { error: `provider must be one of ${PROVIDER_NAMES.join(', ')}` });
const stepProvider = shortText('provider').describe(
  `the provider of a model (${PROVIDER_NAMES.join(', ')}), or the MCP server of a tool`,
);

const agentFields = z.looseObject({
  id: shortText('agent.id').nullish(),
  name: shortText('agent.name').nullish(),
  key_hash: shortText('agent.key_hash').nullish().describe("the proxy key's `sha256:…`, if known"),
  owner: shortText('agent.owner').nullish(),
  provider: provider.nullish(),
  tags: z
    .record(z.string(), shortText('agent.tags'), { error: 'agent.tags must be an object of strings' })
    .nullish(),
  allowed_tools: names('agent.allowed_tools').nullish(),
  allowed_models: names('agent.allowed_models').nullish(),
  allowed_providers: z
    .array(provider, { error: 'agent.allowed_providers must be an array of providers' })
    .nullish(),
});
export type AgentFields = z.infer<typeof agentFields>;

export const traceAgentSchema = z.union([shortText('agent'), agentFields], {
  error: 'agent must be a name or an object',
});

const timestamp = z
  .union([z.string(), z.number()], {
    error: 'timestamp must be an RFC 3339 time, or a Unix time in seconds or milliseconds',
  })
  .describe('RFC 3339, or Unix time in seconds or milliseconds');

const TRACE_TYPES = [
  'llm_call',
  'llm_response',
  'mcp_tool_call',
  'mcp_resource_read',
  'mcp_resource_subscribe',
  'mcp_prompt_get',
  'mcp_completion',
  'mcp_tool_response',
] as const;
export const TYPE_PROBLEM = `type must be one of ${TRACE_TYPES.join(', ')}`;

/** A step as documented. `formats/steps.ts` also accepts other common names. */
export const traceStepSchema = z.looseObject({
  type: z.enum(TRACE_TYPES, { error: TYPE_PROBLEM }),
  timestamp: timestamp.nullish(),
  session_id: shortText('session_id').nullish(),
  agent: traceAgentSchema.nullish(),
  call_id: z
    .union([shortText('call_id'), z.number()])
    .nullish()
    .describe('the same for a call and its response'),
  provider: stepProvider.nullish(),
  model: shortText('model').nullish(),
  content: z
    .unknown()
    .optional()
    .describe('a string, an array of messages, or a complete body of the provider’s API'),
  tool_name: shortText('tool_name').nullish(),
  uri: z.unknown().optional().describe('URI of the resource to read or subscribe to: a string'),
  prompt_name: shortText('prompt_name').nullish(),
  arguments: z
    .unknown()
    .optional()
    .describe('arguments of a tool call, a prompt or a completion: an object, or its JSON as a string'),
  result: z
    .unknown()
    .optional()
    .describe('result of this call or of the previous one: a string, or an MCP result'),
  is_error: z.boolean({ error: 'is_error must be true or false' }).nullish(),
});
export type StepFields = z.infer<typeof traceStepSchema>;

const ANYTHING: ReadonlySet<string> = new Set(['content', 'arguments', 'result']);
const TYPES: ReadonlySet<unknown> = new Set(traceStepSchema.shape.type.options);

/** Recognizes common steps ten times faster than the schema, which would accept them unchanged. */
export function isPlainStep(fields: Readonly<Record<string, unknown>>): fields is StepFields {
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const isPlain =
      ANYTHING.has(name) ||
      (name === 'type' ? TYPES.has(value) : typeof value === 'string' && value.length <= MAX_NAME_CHARS);
    if (!isPlain || name === 'is_error' || name === 'agent') return false;
  }
  return TYPES.has(fields['type']);
}

/** The document around a list of steps. */
export const headSchema = z.looseObject({
  version: z.union([z.string(), z.number()], { error: 'version must be a string or a number' }).nullish(),
  session_id: shortText('session_id').nullish(),
  agent: traceAgentSchema.nullish(),
  provider: provider.nullish(),
  model: shortText('model').nullish(),
});
export type HeadFields = z.infer<typeof headSchema>;

const traceSchema = z.union([
  z.array(traceStepSchema),
  headSchema.extend({ traces: z.array(traceStepSchema) }),
]);

export function traceJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(traceSchema, { io: 'input' }),
    title: 'An execution trace for gateway verify',
  };
}

export function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue?.message ?? 'has an unknown form';
}
