import type { Config } from '../config/schema.ts';

/** Largest unstreamed answer that Envoy buffers for the sidecar. */
export const ANSWER_BUFFER_BYTES = 16_777_216;
/** Limit per upstream connection, for clients that stop reading. */
export const UPSTREAM_BUFFER_BYTES = 1_048_576;
/** Smallest initial stream window of HTTP/2 in Envoy. */
const MIN_REQUEST_BUFFER_BYTES = 65_536;

/**
 * Returns Envoy's buffer limit for one request: the largest body that the sidecar may accept. The sidecar
 * applies the request's own limit (a provider's or MCP's), which Envoy cannot know before the body is
 * complete.
 */
export function requestBufferBytes({ server, mcp }: Config): number {
  const mcpBytes = mcp.enabled ? mcp.max_request_size : 0;
  return Math.max(MIN_REQUEST_BUFFER_BYTES, server.max_payload_bytes, mcpBytes);
}
