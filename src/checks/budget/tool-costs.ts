import type { McpConfig } from '../../config/sections/mcp.ts';
import { calledTool } from '../../mcp/message.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { foldedMatcher } from '../../policy/cards/tool-names.ts';
import { toNanoUsd } from '../../pricing/usd.ts';

const ANY_TOOL = '*';

/**
 * Returns the nano-USD cost of an MCP tool call (`mcp.servers[].tool_costs`), or undefined for free calls and other
 * requests.
 */
export type ToolCost = (exchange: Parsed) => number | undefined;

export function createToolCost(servers: McpConfig['servers']): ToolCost {
  const byServer = new Map(servers.map(({ name, tool_costs }) => [name, pricesOf(tool_costs)]));
  return ({ mcp, request }) => {
    const usdOf = mcp && byServer.get(mcp.server);
    const tool = calledTool(request.mcp);
    if (usdOf === undefined || tool === undefined) return undefined;
    const usd = usdOf(tool);
    return usd === 0 ? undefined : toNanoUsd(usd);
  };
}

/** Unlisted names cost the highest price of `*` and all similar names, because servers may equate them. */
function pricesOf(costs: Readonly<Record<string, number>>): (tool: string) => number {
  const { [ANY_TOOL]: usual = 0, ...named } = costs;
  const alike = Object.entries(named).map(([name, usd]) => ({ isAlike: foldedMatcher([name]), usd }));
  return (tool) => {
    if (Object.hasOwn(named, tool)) return named[tool] ?? 0;
    const found = alike.filter(({ isAlike }) => isAlike(tool)).map(({ usd }) => usd);
    return Math.max(usual, ...found);
  };
}
