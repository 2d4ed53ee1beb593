import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { HostedTool } from '../request-facts.ts';
import { arrayOf, objectOf, requiredObject } from './fields.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { ROLE, type PromptCollector } from './prompt-collector.ts';
import { isSet } from './settings.ts';

export interface ToolOffer {
  readonly type: string;
  readonly name: string;
  readonly clientRun: boolean;
  readonly remove: readonly JsonEdit[];
  /** See `HostedTool`. */
  readonly model?: string;
  readonly dearer?: string;
}

export type IsClientRun = (tool: JsonObject) => boolean;

/** Reads an array of tool definitions. Adds their texts and returns an offer for each. */
export function readToolList(
  into: PromptCollector,
  value: unknown,
  path: JsonPath,
  isClientRun: IsClientRun,
): ToolOffer[] {
  return arrayOf(value).map((item, index) => {
    const tool = requiredObject(item, String(path.at(-1)));
    const at = [...path, index];
    into.addTextsIn(ROLE.toolDefinition, tool, at);
    return {
      type: typeof tool.type === 'string' ? tool.type : 'unknown',
      name: openaiToolName(tool),
      clientRun: isClientRun(tool),
      remove: [{ kind: 'remove', path: at }],
      // The model of an image tool.
      ...(typeof tool.model === 'string' && { model: tool.model }),
      ...largerMemory(tool),
    };
  });
}

/** Default container size, to which the listed prices apply. */
const USUAL_MEMORY = '1g';

/** Reads the memory limit of code containers. 64 GB costs 64 times as much as 1 GB (openai.com/api/pricing). */
function largerMemory(tool: JsonObject): Pick<ToolOffer, 'dearer'> {
  const sizes = [tool, objectOf(tool.container), objectOf(tool.environment)].map(
    (place) => place.memory_limit,
  );
  const larger = sizes.find((size) => isSet(size) && size !== USUAL_MEMORY);
  return larger === undefined ? {} : { dearer: `memory_limit ${JSON.stringify(larger).slice(0, 32)}` };
}

function openaiToolName(tool: JsonObject): string {
  for (const holder of [tool, objectOf(tool.function), objectOf(tool.custom)]) {
    if (typeof holder.name === 'string') return holder.name;
  }
  return typeof tool.type === 'string' ? tool.type : '';
}

/** Body members that enable provider-run tools. */
export const SWITCHES: ReadonlySet<string> = new Set([
  'web_search_options',
  'search_parameters',
  'search_settings',
  'compound_custom',
  'data_sources',
  'plugins',
]);

/**
 * Models that always run their own tools. OpenRouter accepts suffixes such as `:nitro` after every name, and adds a
 * search to OpenAI's deep research, which OpenAI itself refuses without one.
 */
const TOOL_RUNNING_MODELS: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)compound(?:-beta)?(?:-mini)?(?:$|:)/, 'compound'],
  [/-search-(?:preview|api)(?:$|[-:@])/, 'web_search'],
  [/(?:^|\/)sonar(?:$|[-:@])/, 'web_search'],
  [/\/o\d(?:-mini)?-deep-research(?:$|[-:@])/, 'web_search'],
];

/** Returns the tools that other members or the models themselves enable. */
export function readToolSwitches(body: JsonObject, models: readonly string[]): ToolOffer[] {
  const offers: ToolOffer[] = [];
  for (const name of SWITCHES) {
    if (!isSwitchedOn(name, body[name])) continue;
    offers.push({ type: name, name, clientRun: false, remove: [{ kind: 'remove', path: [name] }] });
  }
  const names = models.map((model) => model.trim().toLowerCase());
  for (const [pattern, type] of TOOL_RUNNING_MODELS) {
    if (names.some((name) => pattern.test(name))) {
      offers.push({ type, name: type, clientRun: false, remove: [] });
    }
  }
  return offers;
}

/** Any value except null, false and an empty array may enable the tool. Only xAI's search has an explicit off mode. */
function isSwitchedOn(name: string, value: unknown): boolean {
  if (!isSet(value)) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !(name === 'search_parameters' && objectOf(value).mode === 'off');
}

export interface ToolFacts {
  readonly tools: readonly string[];
  readonly hostedTools: readonly HostedTool[];
}

/** Splits the offers by who runs the tools, and marks tools required by `tool_choice`. */
export function toolFacts(offers: readonly ToolOffer[], toolChoice: unknown): ToolFacts {
  const clientRun = offers.filter((offer) => offer.clientRun);
  const choice = objectOf(toolChoice);
  const allowed = allowedTools(choice);
  const seen = new Set<string>();
  const hostedTools = offers
    .filter((offer) => !offer.clientRun)
    .map(({ type, remove, model, dearer }): HostedTool => {
      // Only the first tool of a type edits `tool_choice`, because an edit for each would take quadratic time.
      const removals = seen.has(type) ? remove : [...remove, ...allowedToolRemovals(allowed, type)];
      seen.add(type);
      return {
        type,
        remove: removals,
        forced: remove.length === 0 || isForced(toolChoice, allowed, type, clientRun),
        ...(model !== undefined && { model }),
        ...(dearer !== undefined && { dearer }),
      };
    });
  return { tools: clientRun.map((offer) => offer.name), hostedTools };
}

interface AllowedTools {
  readonly path: JsonPath;
  readonly required: boolean;
  /** The listed types, each with its array indexes. */
  readonly types: ReadonlyMap<unknown, readonly number[]>;
}

/** `tool_choice: {type: 'allowed_tools', …}`. Chat nests the tools one level deeper than the Responses API. */
function allowedTools(choice: JsonObject): AllowedTools | undefined {
  if (choice.type !== 'allowed_tools') return undefined;
  const nested = isObject(choice.allowed_tools);
  const list = nested ? objectOf(choice.allowed_tools) : choice;
  const listed = arrayOf(list.tools).map((tool, index) => ({ type: objectOf(tool).type, index }));
  const byType = Map.groupBy(listed, ({ type }) => type);
  return {
    path: nested ? ['tool_choice', 'allowed_tools', 'tools'] : ['tool_choice', 'tools'],
    required: list.mode === 'required',
    types: new Map([...byType].map(([type, places]) => [type, places.map(({ index }) => index)])),
  };
}

function allowedToolRemovals(allowed: AllowedTools | undefined, type: string): JsonEdit[] {
  const places = allowed?.types.get(type);
  if (allowed === undefined || places === undefined) return [];
  if (allowed.types.size === 1) return [{ kind: 'remove', path: ['tool_choice'] }];
  return places.map((index) => ({ kind: 'remove', path: [...allowed.path, index] }));
}

function isForced(
  toolChoice: unknown,
  allowed: AllowedTools | undefined,
  type: string,
  clientRun: readonly ToolOffer[],
): boolean {
  if (toolChoice === 'required' || toolChoice === 'any') return clientRun.length === 0;
  if (allowed !== undefined) {
    return (
      allowed.required && (allowed.types.size === 0 || (allowed.types.size === 1 && allowed.types.has(type)))
    );
  }
  return objectOf(toolChoice).type === type;
}
