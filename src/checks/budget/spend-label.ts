import type { Parsed } from '../../pipeline/exchange.ts';
import { PROVIDER_NAMES } from '../../providers/registry.ts';
import { calledTool } from '../../mcp/message.ts';
import { printableName } from './refusals.ts';

/** Provider and model of an amount. */
export interface SpentFor {
  /** Or an MCP server: `mcp:maps`. */
  readonly provider: string;
  /** Or the tool of an MCP server. Empty if the request named none. */
  readonly model: string;
}

/** Stands before the name of an MCP server. */
export const MCP = 'mcp:';

/** Charges of leases that ran out, and of more models than a day records: see record-spend.lua. */
const UNNAMED: readonly string[] = ['expired', 'other', 'shared'];

/** Returns the label under which the spend of a request is recorded: `openai/gpt-4o`, `mcp:maps/geocode`. */
export function spentFor({ provider, request, mcp }: Parsed): string {
  if (mcp !== undefined)
    return `${MCP}${printableName(mcp.server)}/${printableName(calledTool(request.mcp) ?? '')}`;
  return `${provider.name}/${printableName(request.models[0] ?? '')}`;
}

/** Reads a label back. */
export function readSpentFor(label: string): SpentFor {
  const slash = label.indexOf('/');
  const provider = label.slice(0, slash);
  const isKnown = provider.startsWith(MCP) || PROVIDER_NAMES.some((name) => name === provider);
  if (UNNAMED.includes(label) || !isKnown) return { provider: label, model: label };
  return { provider, model: label.slice(slash + 1) };
}
