import type { Config } from '../config/schema.ts';

/** Maximum size of an unstreamed answer, which Envoy buffers for the sidecar. */
export const ANSWER_BUFFER_BYTES = 16_777_216;
/** Limit per upstream connection, which applies if a client stops reading. */
export const UPSTREAM_BUFFER_BYTES = 1_048_576;
/** At least Envoy's minimum for the initial HTTP/2 stream window (65,535). */
const MIN_REQUEST_BUFFER_BYTES = 65_536;

/**
 * Returns Envoy's buffer limit for one request: the largest body of any route. The sidecar applies the limit of the
 * request's route, which Envoy does not know before the body is complete.
 */
export function requestBufferBytes({ server, mcp }: Config): number {
  const mcpBytes = mcp.enabled ? mcp.max_request_size : 0;
  return Math.max(MIN_REQUEST_BUFFER_BYTES, server.max_payload_bytes, mcpBytes);
}
