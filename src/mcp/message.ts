/** JSON-RPC 2.0 ids, as MCP has them: strings and whole numbers. */
export type JsonRpcId = string | number;

/** One JSON-RPC message that a client sends to an MCP server. What it says decides, never a header or the path. */
export type McpMessage =
  | {
      readonly kind: 'request';
      readonly id: JsonRpcId;
      readonly method: string;
      /** `params.name` (tools, prompts) or `params.uri` (resources), where it is a string. */
      readonly name?: string;
    }
  | { readonly kind: 'notification'; readonly method: string }
  /** The answer to a request of the server's (sampling, elicitation, roots). */
  | { readonly kind: 'response'; readonly id: JsonRpcId | null };

/** The tool that a message calls; undefined for every other message. */
export function calledTool(message: McpMessage | undefined): string | undefined {
  return message?.kind === 'request' && message.method === 'tools/call' ? message.name : undefined;
}

/** An MCP server that a request goes to (`mcp.servers[]`). */
export interface McpTarget {
  /** The path segment: `/mcp/<server>`. */
  readonly server: string;
  /** `/mcp/<server>/tools/call`, or `/mcp/<server>` (Streamable HTTP). */
  readonly form: 'tools_call' | 'streamable_http';
}
