/** An MCP server that a request goes to (`mcp.servers[]`). */
export interface McpTarget {
  /** The path segment: `/mcp/<server>`. */
  readonly server: string;
  /** `/mcp/<server>/tools/call`, or `/mcp/<server>` (Streamable HTTP). */
  readonly form: 'tools_call' | 'streamable_http';
}
