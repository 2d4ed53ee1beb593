import type { McpConfig } from '../../config/sections/mcp.ts';
import { calledTool } from '../../mcp/message.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { toNanoUsd } from '../../pricing/usd.ts';

/** Stands for all tools without a cost of their own. */
const ANY_TOOL = '*';

/** Returns an MCP tool call's cost in nano-USD, or undefined if it is free (`mcp.servers[].tool_costs`). */
export type ToolCost = (exchange: Parsed) => number | undefined;

export function createToolCost(servers: McpConfig['servers']): ToolCost {
  const byServer = new Map(
    servers.map(({ name, tool_costs }) => [name, new Map(Object.entries(tool_costs))]),
  );
  return ({ mcp, request }) => {
    const costs = mcp && byServer.get(mcp.server);
    const tool = calledTool(request.mcp);
    if (costs === undefined || tool === undefined) return undefined;
    const usd = costs.get(tool) ?? costs.get(ANY_TOOL);
    return usd === undefined || usd === 0 ? undefined : toNanoUsd(usd);
  };
}
