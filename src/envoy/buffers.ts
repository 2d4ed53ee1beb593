import type { Config } from '../config/schema.ts';

/** Largest whole answer that Envoy holds for the sidecar. */
export const ANSWER_BUFFER_BYTES = 16_777_216;
/** Per upstream connection: what a client that stops reading can make Envoy hold. */
export const UPSTREAM_BUFFER_BYTES = 1_048_576;
/** HTTP/2 knows no smaller window that a stream may begin with. */
const MIN_REQUEST_BUFFER_BYTES = 65_536;

/**
 * What Envoy holds of one request: the largest body that the sidecar may let pass. Which of the two limits is a
 * request's own (a provider's or MCP's), the sidecar judges; Envoy does not know before the body is whole.
 */
export function requestBufferBytes({ server, mcp }: Config): number {
  const ofMcp = mcp.enabled ? mcp.max_request_size : 0;
  return Math.max(MIN_REQUEST_BUFFER_BYTES, server.max_payload_bytes, ofMcp);
}
