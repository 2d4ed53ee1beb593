import type { Parsed } from '../../pipeline/exchange.ts';
import { PROVIDER_NAMES } from '../../providers/registry.ts';
import { calledTool } from '../../mcp/message.ts';
import { printableName } from '../../text/label.ts';

export interface SpentFor {
  /** A provider name, or an MCP server (`mcp:maps`). */
  readonly provider: string;
  /** A model or MCP tool name; empty if the request has none. */
  readonly model: string;
}

export const MCP = 'mcp:';

/** Labels without a model: expired leases, models beyond the daily limit (record-spend.lua), shared budgets. */
const UNNAMED: readonly string[] = ['expired', 'other', 'shared'];

/** Returns a request's spend record label, such as `openai/gpt-4o` or `mcp:maps/geocode`. */
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
