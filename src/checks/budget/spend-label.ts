import type { Parsed } from '../../pipeline/exchange.ts';
import { PROVIDER_NAMES } from '../../providers/registry.ts';
import { calledTool } from '../../mcp/message.ts';
import { printableName } from '../../text/label.ts';

export interface SpentFor {
  /** Or an MCP server, as in `mcp:maps`. */
  readonly provider: string;
  /** Or a tool of an MCP server. Empty if the request names none. */
  readonly model: string;
}

export const MCP = 'mcp:';

/** Labels without a name: expired leases, and models beyond a day's limit (record-spend.lua). */
const UNNAMED: readonly string[] = ['expired', 'other', 'shared'];

/** Returns the label under which a request's spend is recorded: `openai/gpt-4o`, `mcp:maps/geocode`. */
export function spentFor({ provider, request, mcp }: Parsed): string {
  if (mcp !== undefined)
    return `${MCP}${printableName(mcp.server)}/${printableName(calledTool(request.mcp) ?? '')}`;
  return `${provider.name}/${printableName(request.models[0] ?? '')}`;
}

export function readSpentFor(label: string): SpentFor {
  const slash = label.indexOf('/');
  const provider = label.slice(0, slash);
  const isKnown = provider.startsWith(MCP) || PROVIDER_NAMES.some((name) => name === provider);
  if (UNNAMED.includes(label) || !isKnown) return { provider: label, model: label };
  return { provider, model: label.slice(slash + 1) };
}
