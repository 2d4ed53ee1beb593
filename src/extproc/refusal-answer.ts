import { ERROR_STATUS, errorBody, mayRetry, NO_RETRY, type ErrorType } from '../errors.ts';
import { HEADER, TELEMETRY_HEADERS } from '../headers.ts';
import { blockReason, mcpAnswer, reasonOf, type RefusedMessage } from '../mcp/refusal.ts';
import type { Surface } from './surface.ts';

export interface Refusal extends RefusedMessage {
  /** Lower-case names. */
  readonly headers: Iterable<readonly [string, string]>;
}

export interface RefusalSettings {
  /** `server.strip_budget_headers`. */
  readonly stripTelemetry: boolean;
}

/** A refusal as its client gets it. */
export interface RefusalAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** What was blocked by policy says so in its headers, whoever refused it (SPEC "Response headers", "Errors"). */
const BLOCKED_BY_POLICY: ReadonlySet<ErrorType> = new Set([
  'policy_denied',
  'drift_detected',
  'escalation_denied',
]);

/** The one place where a refusal takes its form: status, headers and body, as the client of this surface reads them. */
export function refusalAnswer(refusal: Refusal, surface: Surface, settings: RefusalSettings): RefusalAnswer {
  const { status, body } = statusAndBody(refusal, surface);
  return { status, headers: refusalHeaders(refusal, settings), body };
}

/** Our JSON error shape (SPEC "Errors"), or JSON-RPC where an MCP client can act on it. */
function statusAndBody(refusal: Refusal, surface: Surface): Pick<RefusalAnswer, 'status' | 'body'> {
  const asMcp = surface.kind === 'mcp' ? mcpAnswer(refusal) : undefined;
  return asMcp ?? { status: ERROR_STATUS[refusal.type], body: errorBody(refusal.type, refusal.message) };
}

function refusalHeaders(refusal: Refusal, { stripTelemetry }: RefusalSettings): RefusalAnswer['headers'] {
  const headers: (readonly [string, string])[] = [['content-type', 'application/json']];
  if (!mayRetry(refusal.type)) headers.push(NO_RETRY);
  for (const [name, value] of new Map([...policyHeaders(refusal), ...refusal.headers])) {
    if (stripTelemetry && TELEMETRY_HEADERS.has(name)) continue;
    headers.push([name, name === HEADER.blockReason ? blockReason(value) : value]);
  }
  return headers;
}

/** A reason of a check's own wins over these. */
function policyHeaders(refusal: Refusal): readonly (readonly [string, string])[] {
  if (!BLOCKED_BY_POLICY.has(refusal.type)) return [];
  return [
    [HEADER.policyBlock, 'true'],
    [HEADER.blockReason, reasonOf(refusal)],
  ];
}
