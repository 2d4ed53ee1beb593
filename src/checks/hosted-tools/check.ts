import { addAll } from '../../add-all.ts';
import { mayUseModel } from '../../auth/key-record.ts';
import { HEADER } from '../../headers.ts';
import type { JsonEdit, JsonPath } from '../../json/path.ts';
import { PASS, type Check } from '../../pipeline/check.ts';
import { invalidRequest, policyDenied } from '../denials.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { ProviderName } from '../../providers/registry.ts';
import { printableName } from '../../text/label.ts';
import type { HostedTool } from '../../providers/request-facts.ts';

/** Tool types that a request can do without: OpenRouter plugins, which read files or repair JSON. */
const EXTRAS: ReadonlySet<string> = new Set(['plugins']);

/** Maximum number of tools to remove; more than any client sends. Each removal costs an edit. */
const MAX_REMOVED = 1_000;

export interface HostedToolsOptions {
  readonly allowed: readonly string[];
  readonly action: 'remove' | 'deny';
  readonly storedPrompts: 'deny' | 'allow';
  /** Maps a deployment name to its model, which must be allowed. */
  readonly modelOf: (provider: ProviderName, name: string) => string;
}

/**
 * Removes tools that the provider would run, unless they are allowed, because the gateway cannot see their calls.
 * Denies requests that require one of them, have no other tool, refer to stored content that may contain tools, or name
 * a tool model that the key may not use (docs/hosted-tools.md). With the action `deny`, denies all requests with such
 * tools.
 */
export function createHostedToolsCheck(options: HostedToolsOptions): Check<unknown, 'hosted-tools'> {
  return {
    name: 'hosted-tools',
    shadowable: false,
    requestBody(exchange) {
      const { storedPrompt } = exchange.request;
      if (storedPrompt !== undefined && options.storedPrompts === 'deny') {
        return policyDenied(
          `the request's ${storedPrompt} refers to content stored at the provider, which may run tools there: send the content itself, or ask the operator to set proxy.stored_prompts: allow`,
        );
      }
      const { hostedTools } = exchange.request;
      if (hostedTools.length === 0) return PASS;
      const models = modelsOf(hostedTools.filter((tool) => options.allowed.includes(tool.type)));
      if (!models.every((name) => mayUseModel(exchange.key, options.modelOf(exchange.provider.name, name)))) {
        return policyDenied(
          'this key may not use the model of a tool in the request: name another model there, or ask the operator to allow it',
        );
      }
      if (models.length > 0) exchange.facts.toolModels = models;
      const unwanted = hostedTools.filter((tool) => !options.allowed.includes(tool.type));
      if (unwanted.length === 0) return PASS;
      if (unwanted.length > MAX_REMOVED) {
        return invalidRequest(
          `the request has more than ${MAX_REMOVED} tools that are not allowed: send fewer`,
        );
      }
      const types = [...new Set(unwanted.map((tool) => printableName(tool.type)))].slice(0, 16).join(', ');
      if (options.action === 'deny' || unwanted.some((tool) => tool.forced)) {
        return policyDenied(
          `the provider would run ${types} itself: omit these tools, or ask the operator to add them to proxy.provider_tools`,
        );
      }
      if (hasNoOtherTool(exchange, unwanted)) {
        return policyDenied(
          `the request's only tools are ${types}, which the provider would run itself: without them, the model would invent results; an operator can add them to proxy.provider_tools`,
        );
      }
      addAll(exchange.edits, removals(exchange.json, unwanted));
      exchange.responseHeaders.set(HEADER.toolsRemoved, types);
      return { kind: 'flag', reason: `removed ${types}` };
    },
  };
}

function modelsOf(tools: readonly HostedTool[]): readonly string[] {
  return [...new Set(tools.flatMap(({ model }) => model ?? []))];
}

/**
 * Reports whether a request has only unwanted tools, as web searches by agents do. Without the search tool, a model
 * would invent results.
 */
function hasNoOtherTool({ request, endpoint }: Parsed, unwanted: readonly HostedTool[]): boolean {
  if (endpoint.operation === 'count_tokens' || request.tools.length > 0) return false;
  const kept = request.hostedTools.length - unwanted.length;
  return kept === 0 && unwanted.some(({ type }) => !EXTRAS.has(type));
}

/**
 * Returns edits that remove tools. Also removes arrays that become empty, which providers reject, and then the settings
 * for `tools`.
 */
function removals(json: JsonObject, tools: readonly HostedTool[]): JsonEdit[] {
  const edits = tools.flatMap((tool) => tool.remove);
  const removedIn = new Map<string, { parent: JsonPath; indexes: Set<number> }>();
  for (const edit of edits) {
    const index = edit.path.at(-1);
    if (edit.kind !== 'remove' || typeof index !== 'number') continue;
    const parent = edit.path.slice(0, -1);
    const entry = removedIn.get(JSON.stringify(parent)) ?? { parent, indexes: new Set() };
    entry.indexes.add(index);
    removedIn.set(JSON.stringify(parent), entry);
  }
  for (const { parent, indexes } of removedIn.values()) {
    const list = hostedValueAt(json, parent);
    if (!Array.isArray(list) || indexes.size < list.length) continue;
    edits.push({ kind: 'remove', path: parent });
    for (const name of ['tool_choice', 'toolConfig', 'tool_config', 'parallel_tool_calls']) {
      if (parent.length === 1 && parent[0] === 'tools' && name in json) {
        edits.push({ kind: 'remove', path: [name] });
      }
    }
  }
  return edits;
}

function hostedValueAt(json: JsonObject, path: JsonPath): unknown {
  let at: unknown = json;
  for (const step of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}
