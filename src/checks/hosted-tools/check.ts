import { HEADER } from '../../headers.ts';
import type { JsonEdit, JsonPath } from '../../json/path.ts';
import { PASS, type Check } from '../../pipeline/check.ts';
import { invalidRequest, policyDenied } from '../denials.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JsonObject, HostedTool } from '../../providers/provider.ts';

/** What adds something to a request that makes sense without it: OpenRouter's plugins, which read files or mend JSON. */
const EXTRAS: ReadonlySet<string> = new Set(['plugins']);

/** No client sends so many; each costs an edit. */
const MAX_REMOVED = 1_000;

export interface HostedToolsOptions {
  /** `proxy.provider_tools`: types that may stay. */
  readonly allowed: readonly string[];
  /** `proxy.provider_tools_action`. */
  readonly action: 'remove' | 'deny';
  /** `proxy.stored_prompts`. */
  readonly storedPrompts: 'deny' | 'allow';
}

/**
 * Tools that the provider would run itself act outside the gateway's sight: those not allowed are taken out of
 * the body, or the request is denied where it insists on one, brings no other, or brings something stored that may carry
 * some (docs/routing.md).
 */
export function createHostedToolsCheck(options: HostedToolsOptions): Check<unknown, 'hosted-tools'> {
  return {
    name: 'hosted-tools',
    shadowable: false,
    requestBody(exchange) {
      const { storedPrompt } = exchange.request;
      if (storedPrompt !== undefined && options.storedPrompts === 'deny') {
        return policyDenied(
          `the request's ${storedPrompt} names something that is stored at the provider and may run tools there: send its content instead, or ask the operator for proxy.stored_prompts: allow`,
        );
      }
      const unwanted = exchange.request.hostedTools.filter((tool) => !options.allowed.includes(tool.type));
      if (unwanted.length === 0) return PASS;
      if (unwanted.length > MAX_REMOVED) {
        return invalidRequest(`more than ${MAX_REMOVED} tools of the request are not allowed: send fewer`);
      }
      const types = [...new Set(unwanted.map((tool) => toolTypeInPrint(tool.type)))].slice(0, 16).join(', ');
      if (options.action === 'deny' || unwanted.some((tool) => tool.forced)) {
        return policyDenied(
          `the provider would run ${types} itself: leave these tools out, or ask the operator to list them in proxy.provider_tools`,
        );
      }
      if (isAllThereIs(exchange, unwanted)) {
        return policyDenied(
          `the only tools of this request are ${types}, which the provider would run itself: without them it would answer as if it had used them; an operator may list them in proxy.provider_tools`,
        );
      }
      exchange.edits.push(...removals(exchange.json, unwanted));
      exchange.responseHeaders.set(HEADER.toolsRemoved, types);
      return { kind: 'flag', reason: `took out ${types}` };
    },
  };
}

/**
 * Whether a request asks for nothing but what is taken out of it. Agents send their web search so: a model that is asked
 * to search, and cannot, makes results up. Counting tokens makes up nothing.
 */
function isAllThereIs({ request, endpoint }: Parsed, unwanted: readonly HostedTool[]): boolean {
  if (endpoint.operation === 'count_tokens' || request.tools.length > 0) return false;
  const kept = request.hostedTools.length - unwanted.length;
  return kept === 0 && unwanted.some(({ type }) => !EXTRAS.has(type));
}

/** The tools' own removals; a list that loses all its members goes whole, since providers refuse an empty one. */
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

/** Tool types come from the client and go into a header: only plain characters, bounded. */
function toolTypeInPrint(type: string): string {
  return type.slice(0, 64).replace(/[^A-Za-z0-9._:-]/g, '?');
}
