import { addAll } from '../../add-all.ts';
import type { JsonPath } from '../../json/path.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { HostedTool } from '../request-facts.ts';
import { camelName } from './gemini-content.ts';
import { readToolSwitches, SWITCHES, toolFacts, type ToolFacts, type ToolOffer } from './openai-tools.ts';
import { isSet } from './settings.ts';

/** Matches tool types that clients run, in any dialect. Every other type counts as provider-run. */
const CLIENT_RUN =
  /^(?:function|custom|computer|computer_use_preview|local_shell|apply_patch|(?:bash|text_editor|computer|computer_toolset|memory|browser_toolset)_\d{8})$/;

/**
 * Hosted tool types without their version suffix. They also occur outside `tools`, as in `tool_choice` and
 * attachments.
 */
const HOSTED: ReadonlySet<string> = new Set(
  `browser_search code_execution code_interpreter connector document_library file_search image_generation
   live_search mcp mcp_toolset retrieval web_fetch web_search x_search`.split(/\s+/),
);
const VERSION = /(?:_preview|_premium|_tool)?(?:_\d{1,8}){0,3}$/;
const MAX_TYPE_CHARS = 64;

export function isHostedType(type: string): boolean {
  if (type.length > MAX_TYPE_CHARS) return false;
  const lower = type.toLowerCase();
  return HOSTED.has(lower.replace(VERSION, '')) || lower.startsWith('tool_search_tool_');
}

/** Members, normalized by `plainName`, that enable a tool wherever they occur. */
const SWITCH_NAMES: ReadonlySet<string> = new Set([
  ...[...SWITCHES].map(plainName),
  ...`codeexecution coderunner connectors enterprisewebsearch filesearch googlemaps googlesearch
    googlesearchretrieval mcpservers novagrounding systemtool urlcontext`.split(/\s+/),
]);

/** Members of an untyped tool that enable no hosted tool. */
const CLIENT_MEMBERS: ReadonlySet<string> = new Set([
  'functiondeclarations',
  'computeruse',
  'toolspec',
  'cachepoint',
]);
const DESCRIBED: ReadonlySet<string> = new Set(['function', 'name']);

/** Reads tools at any depth of an unknown body: in thread messages, in a run, in batched requests. */
export function readOpaqueTools(body: JsonObject, models: readonly string[]): ToolFacts {
  const offers: ToolOffer[] = readToolSwitches({}, models);
  const forced: HostedTool[] = [];
  const path: (string | number)[] = [];

  function visit(value: unknown): void {
    if (Array.isArray(value)) value.forEach((item, index) => below(index, () => visit(item)));
    else if (isObject(value)) {
      const { type } = value;
      if (typeof type === 'string' && isHostedType(type)) forced.push({ type, remove: [], forced: true });
      for (const [name, member] of Object.entries(value)) below(name, () => visitMember(name, member));
    }
  }

  function visitMember(name: string, value: unknown): void {
    const plain = plainName(name);
    if (plain === 'tools') visitTools(value);
    else if (SWITCH_NAMES.has(plain) && isOn(value)) offers.push(hosted(name));
    else visit(value);
  }

  function visitTools(value: unknown): void {
    if (Array.isArray(value)) value.forEach((item, index) => below(index, () => visitTool(item)));
    else if (isOn(value)) visitTool(value);
  }

  function visitTool(tool: unknown): void {
    if (typeof tool === 'string') offers.push(hosted(tool));
    else if (isObject(tool)) addAll(offers, offersOf(tool, path));
    else visit(tool);
  }

  function hosted(type: string): ToolOffer {
    return { type, name: type, clientRun: false, remove: [{ kind: 'remove', path: [...path] }] };
  }

  function below(step: string | number, visitIt: () => void): void {
    path.push(step);
    visitIt();
    path.pop();
  }

  visit(body);
  const { tools, hostedTools } = toolFacts(offers, body['tool_choice']);
  return { tools, hostedTools: [...hostedTools, ...forced] };
}

function offersOf(tool: JsonObject, at: JsonPath): ToolOffer[] {
  const { type, name } = tool;
  const called = typeof name === 'string' ? name : '';
  const whole: ToolOffer['remove'] = [{ kind: 'remove', path: [...at] }];
  if (typeof type === 'string' && !CLIENT_RUN.test(type)) {
    return [{ type, name: called, clientRun: false, remove: whole }];
  }
  const members = Object.keys(tool);
  const isDescribed = typeof type === 'string' || members.some((member) => DESCRIBED.has(member));
  const others = members.filter((member) => {
    const plain = plainName(member);
    return SWITCH_NAMES.has(plain) || (!isDescribed && !CLIENT_MEMBERS.has(plain));
  });
  if (others.length === 0) return [{ type: 'function', name: called, clientRun: true, remove: whole }];
  return others.map((member) => ({
    type: camelName(member),
    name: member,
    clientRun: false,
    remove: members.length === 1 ? whole : [{ kind: 'remove', path: [...at, member] }],
  }));
}

function isOn(value: unknown): boolean {
  return isSet(value) && !(Array.isArray(value) && value.length === 0);
}

/** Normalizes a name as a lenient parser would, ignoring case and word separators. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
