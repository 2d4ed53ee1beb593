export type JsonRpcId = string | number;

/**
 * A JSON-RPC message from a client to an MCP server. The call is read from the message, not from headers or the path.
 */
export type McpMessage =
  | {
      readonly kind: 'request';
      readonly id: JsonRpcId;
      readonly method: string;
      /** `params.name` (tools, prompts) or `params.uri` (resources), if it is a string. */
      readonly name?: string;
    }
  | { readonly kind: 'notification'; readonly method: string }
  /** The answer to a server's request (sampling, elicitation, roots). */
  | { readonly kind: 'response'; readonly id: JsonRpcId | null };

export function calledTool(message: McpMessage | undefined): string | undefined {
  return message?.kind === 'request' && message.method === 'tools/call' ? message.name : undefined;
}

/** The MCP server of a request (`mcp.servers[]`). */
export interface McpTarget {
  /** The path segment: `/mcp/<server>`. */
  readonly server: string;
  /** `/mcp/<server>/tools/call`, or `/mcp/<server>` (Streamable HTTP). */
  readonly form: 'tools_call' | 'streamable_http';
}
