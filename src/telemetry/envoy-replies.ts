import type { ErrorType } from '../errors.ts';

/** Types of Envoy's own replies (envoy/local-replies). */
export const ENVOY_REPLY_TYPES = [
  'gateway_unavailable',
  'invalid_request',
  'upgrade_not_supported',
  'payload_too_large',
  'request_timeout',
  'upstream_timeout',
  'upstream_unavailable',
  'not_found',
] as const satisfies readonly ErrorType[];

export type EnvoyReplyType = (typeof ENVOY_REPLY_TYPES)[number];

/** Counts Envoy's own replies. Sidecars may not have seen their requests. */
export interface EnvoyReplies {
  /** Reads a line of Envoy's output. */
  take(line: string): void;
  counts(): ReadonlyMap<EnvoyReplyType, number>;
}

export function createEnvoyReplies(): EnvoyReplies {
  const counts = new Map<EnvoyReplyType, number>(ENVOY_REPLY_TYPES.map((type) => [type, 0]));
  return {
    take(line) {
      const type = replyType(line);
      if (type !== undefined) counts.set(type, (counts.get(type) ?? 0) + 1);
    },
    counts: () => counts,
  };
}

/**
 * Matches the beginning of an access log line (`accessLog` in envoy/render.ts, names in alphabetical order). Only the
 * gateway and Envoy write these fields. Client input follows later in the line.
 */
const REPLY = /^\{"answer_id":(?:null|"[^"]*"),"details":(?:null|"([^"]*)"),"error_type":"([^"]*)"/;
/** Replies with these details were written and counted by a sidecar. */
const BY_SIDECAR = 'gw';

function replyType(line: string): EnvoyReplyType | undefined {
  const [, details, type] = REPLY.exec(line) ?? [];
  if (details === BY_SIDECAR) return undefined;
  return ENVOY_REPLY_TYPES.find((known) => known === type);
}
