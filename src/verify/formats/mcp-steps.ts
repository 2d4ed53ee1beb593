import { isObject } from '../../json/is-object.ts';
import type { StepFields } from '../schema.ts';
import type { TracedStep } from '../step.ts';
import { argumentsOf, stringIn, type TraceFields } from './fields.ts';

const RESOURCE_METHODS: ReadonlyMap<unknown, string> = new Map([
  ['mcp_resource_read', 'resources/read'],
  ['mcp_resource_subscribe', 'resources/subscribe'],
]);

/** Returns the MCP message of a step that is not a tool call, or the step's problem. */
export function mcpMessageOf(
  { type, ...written }: TraceFields,
  data: StepFields,
): TracedStep['message'] | string {
  const method = RESOURCE_METHODS.get(type);
  if (method !== undefined) {
    const uri = stringIn(written, ['uri', 'resource_uri']);
    return uri === undefined ? `a step of type ${String(type)} needs uri` : { method, params: { uri } };
  }
  const args = argumentsOf(data.arguments);
  if (type === 'mcp_prompt_get') {
    const name = stringIn(written, ['prompt_name', 'prompt', 'name']);
    if (name === undefined) return 'a step of type mcp_prompt_get needs prompt_name';
    return { method: 'prompts/get', params: { name, ...(args !== undefined && { arguments: args }) } };
  }
  if (type !== 'mcp_completion') return undefined;
  if (!isObject(args)) return 'a step of type mcp_completion needs arguments: ref, argument, context';
  return { method: 'completion/complete', params: args };
}
