import type { ErrorType } from '../errors.ts';
import { createAnonymousLines, type AnonymousLinesOptions } from './anonymous-lines.ts';

export interface EnvoyLinesOptions extends AnonymousLinesOptions {
  readonly write: (line: string, from: 'stdout' | 'stderr') => void;
}

export interface EnvoyLines {
  take(line: string, from: 'stdout' | 'stderr'): void;
  flush(): void;
}

/**
 * Forwards Envoy's output, with at most `maxPerMinute` lines about requests that Envoy itself refused, because any
 * client can cause them without a valid key.
 */
export function createEnvoyLines({ write, ...options }: EnvoyLinesOptions): EnvoyLines {
  const anonymous = createAnonymousLines(options);
  return {
    take(line, from) {
      if (!isRefusedByEnvoy(line) || anonymous.take('envoy')) write(line, from);
    },
    flush: anonymous.flush,
  };
}

/**
 * Matches an access log line (`accessLog` in envoy/render.ts, names in alphabetical order) of a request that Envoy
 * answered before assigning an id, or of a failed upgrade. Client input follows later in the line, in `method`, with
 * escaped quotes.
 */
const REFUSED_BY_ENVOY =
  /^\{"answer_id":(?:null|"[^"]*"),"details":(?:"upgrade_failed"|(?:null|"[^"]*"),"error_type":(?:null|"[^"]*"),"flags":(?:null|"[^"]*"),"id":null)/;

function isRefusedByEnvoy(line: string): boolean {
  return REFUSED_BY_ENVOY.test(line);
}

/** Types of Envoy's own replies (envoy/local-replies). */
const ENVOY_REPLY_TYPES = [
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
 * Matches the start of an access log line (`accessLog` in envoy/render.ts, names in alphabetical order). Only the
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
