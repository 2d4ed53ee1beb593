import type { Config } from '../../config/schema.ts';
import { ERROR_STATUS, mayRetry, NO_RETRY, type ErrorType, type Refusal } from '../../errors.ts';
import { HEADER, TELEMETRY_HEADERS } from '../../headers.ts';
import { blockReason, mcpAnswer, refusalReason, type RefusedMessage } from '../../mcp/refusal.ts';
import { gatewayBody, nativeBody, nativeHeaders, REQUEST_ID_HEADERS } from '../../providers/native-errors.ts';
import type { Surface } from '../request/surface.ts';

export interface Refused extends RefusedMessage {
  readonly surface: Surface;
  /** Names are in lower case. */
  readonly headers: Iterable<readonly [string, string]>;
}

export interface RefusalSettings {
  /** `server.strip_budget_headers`. */
  readonly stripTelemetry: boolean;
  /** `server.error_format`. */
  readonly errorFormat: Config['server']['error_format'];
  /** `server.refusal_details`. */
  readonly refusalDetails: Config['server']['refusal_details'];
}

export interface RefusalAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Refusals marked as policy blocks in the headers (docs/refusals.md). */
const BLOCKED_BY_POLICY: ReadonlySet<ErrorType> = new Set([
  'policy_denied',
  'drift_detected',
  'escalation_denied',
]);

export function refusalAnswer(denied: Refusal, refused: Refused, settings: RefusalSettings): RefusalAnswer {
  const refusal = settings.refusalDetails === 'brief' ? { ...denied, findings: undefined } : denied;
  const { surface } = refused;
  const own = ownHeaders(refusal, refused, settings);
  const asMcp = surface.kind === 'mcp' ? mcpAnswer(refusal, refused) : undefined;
  const status = asMcp?.status ?? ERROR_STATUS[refusal.type];
  return {
    status,
    headers: [...own, ...forSdks(refusal.type, status, own.get(HEADER.requestId), surface)],
    body: asMcp?.body ?? JSON.stringify(errorObject(refusal, surface, settings, own)),
  };
}

/** Returns the JSON body (docs/refusals.md). */
function errorObject(
  { type, message, findings }: Refusal,
  surface: Surface,
  { errorFormat }: RefusalSettings,
  headers: ReadonlyMap<string, string>,
): object {
  // OAuth clients show only this text (RFC 6749 section 5.2).
  if (surface.kind === 'oauth') return { error: message, error_description: message, type };
  const shape = surface.kind === 'provider' ? surface.shape : undefined;
  const facts = {
    type,
    message,
    status: ERROR_STATUS[type],
    requestId: headers.get(HEADER.requestId),
    retryAfter: headers.get('retry-after'),
    findings,
  };
  return shape === undefined || errorFormat === 'gateway'
    ? gatewayBody(shape, facts)
    : nativeBody(shape, facts);
}

function ownHeaders(
  refusal: Refusal,
  refused: Refused,
  { stripTelemetry }: RefusalSettings,
): Map<string, string> {
  const headers = new Map([['content-type', 'application/json']]);
  headers.set(HEADER.errorType, refusal.type);
  if (!mayRetry(refusal.type)) headers.set(...NO_RETRY);
  const all = [...policyHeaders(refusal), ...refused.headers, ...Object.entries(refusal.headers ?? {})];
  for (const [name, value] of all) {
    if (stripTelemetry && TELEMETRY_HEADERS.has(name)) continue;
    headers.set(name, name === HEADER.blockReason ? blockReason(value) : value);
  }
  return headers;
}

/** Returns the request id, and other headers that SDKs read from errors. */
function forSdks(
  type: ErrorType,
  status: number,
  requestId: string | undefined,
  surface: Surface,
): RefusalAnswer['headers'] {
  const shape = surface.kind === 'provider' ? surface.shape : undefined;
  const names = ['x-request-id', shape && REQUEST_ID_HEADERS[shape]].filter((name) => name !== undefined);
  return [
    ...(requestId === undefined ? [] : names.map((name) => [name, requestId] as const)),
    ...(shape === undefined ? [] : nativeHeaders(shape, { type, status })),
  ];
}

/** Returns default headers, which a check can override. */
function policyHeaders(refusal: Refusal): readonly (readonly [string, string])[] {
  if (!BLOCKED_BY_POLICY.has(refusal.type)) return [];
  return [
    [HEADER.policyBlock, 'true'],
    [HEADER.blockReason, refusalReason(refusal)],
  ];
}
