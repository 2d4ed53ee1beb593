import type { JsonPath } from '../../json/path.ts';
import type { HostedTool } from '../request-facts.ts';
import { arrayOf, objectOf, optionalArray, requiredObject } from './fields.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { ROLE, type PromptCollector } from './prompt-collector.ts';

/** Dated tool types that the client runs. `custom` and untyped tools are client-defined. */
const CLIENT_RUN = /^(bash|text_editor|computer|computer_toolset|memory|browser_toolset)_\d{8}$/;

export interface AnthropicTools {
  readonly names: readonly string[];
  readonly hostedTools: readonly HostedTool[];
}

interface Offer {
  readonly tool: JsonObject;
  readonly path: JsonPath;
  /** Path whose removal withdraws the offer. */
  readonly remove: JsonPath;
}

/** Reads all tool definitions and `tool_choice`. `at` is the path of `body` in the document. */
export function readAnthropicTools(
  into: PromptCollector,
  body: JsonObject,
  at: JsonPath = [],
): AnthropicTools {
  const offers = [...declaredTools(body, at), ...addedTools(body, at)];
  const names: string[] = [];
  const providerRun: Offer[] = [];
  const mcp: JsonPath[] = [];
  for (const offer of offers) {
    into.addTextsIn(ROLE.toolDefinition, offer.tool, offer.path);
    if (isClientRun(offer.tool)) names.push(anthropicToolName(offer.tool));
    else if (offer.tool.type === 'mcp_toolset') mcp.push(offer.remove);
    else providerRun.push(offer);
  }
  if ((optionalArray(body, 'mcp_servers')?.length ?? 0) > 0) mcp.push([...at, 'mcp_servers']);
  const forced = forcedBy(objectOf(body.tool_choice), names);
  const hostedTools: HostedTool[] = providerRun.map(({ tool, remove }) => ({
    type: typeof tool.type === 'string' ? tool.type : 'unknown',
    remove: [{ kind: 'remove', path: remove }],
    forced: forced(anthropicToolName(tool)),
    // The advisor's tokens are billed at its own model's price.
    ...(typeof tool.model === 'string' && { model: tool.model, dearer: 'the model of a tool' }),
  }));
  if (mcp.length > 0) {
    // Removed together, because the provider rejects a toolset without its server and a server without its toolset.
    const remove = mcp.map((path) => ({ kind: 'remove', path }) as const);
    hostedTools.push({ type: 'mcp_servers', remove, forced: forced(undefined) });
  }
  return { names, hostedTools };
}

function declaredTools(body: JsonObject, at: JsonPath): Offer[] {
  return (optionalArray(body, 'tools') ?? []).map((tool, index) => {
    const path = [...at, 'tools', index];
    return { tool: requiredObject(tool, 'tools'), path, remove: path };
  });
}

/** System messages may add tools mid-conversation: `{type: 'tool_addition', tool: {definition}}`. */
function addedTools(body: JsonObject, at: JsonPath): Offer[] {
  const offers: Offer[] = [];
  arrayOf(body.messages).forEach((message, m) => {
    arrayOf(objectOf(message).content).forEach((block, b) => {
      if (!isObject(block) || block.type !== 'tool_addition') return;
      const { definition } = objectOf(block.tool);
      const remove = [...at, 'messages', m, 'content', b];
      if (isObject(definition))
        offers.push({ tool: definition, path: [...remove, 'tool', 'definition'], remove });
    });
  });
  return offers;
}

function isClientRun({ type }: JsonObject): boolean {
  return (
    type === undefined ||
    type === null ||
    type === 'custom' ||
    (typeof type === 'string' && CLIENT_RUN.test(type))
  );
}

function anthropicToolName(tool: JsonObject): string {
  return typeof tool.name === 'string' ? tool.name : typeof tool.type === 'string' ? tool.type : '';
}

/** Returns a function that reports whether `tool_choice` requires a provider-run tool, which may be unnamed. */
function forcedBy(choice: JsonObject, clientTools: readonly string[]) {
  return (name: string | undefined): boolean => {
    if (choice.type === 'any') return clientTools.length === 0;
    if (choice.type !== 'tool' || typeof choice.name !== 'string') return false;
    return name === undefined ? !clientTools.includes(choice.name) : choice.name === name;
  };
}
