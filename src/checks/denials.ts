import type { ErrorType, RefusalDetails } from '../errors.ts';
import { calledTool } from '../mcp/message.ts';
import type { Denial } from '../pipeline/check.ts';
import type { Parsed } from '../pipeline/exchange.ts';
import { placeOf, type RefusalFinding } from '../where-found.ts';
import { timeSpan, wholeSeconds } from '../text/time-span.ts';

/** 403: what this key, this gateway or a rule does not allow. */
export function policyDenied(message: string, details?: RefusalDetails): Denial {
  return {
    kind: 'deny',
    type: 'policy_denied',
    message,
    ...(details !== undefined && { details }),
    ...(details?.rule !== undefined && { findings: [{ rule: details.rule }] }),
  };
}

/** The same of a call as it was judged: one of an MCP server says to its agent which tool, and by which rule. */
export function callDenied({ request }: Parsed, reason: string, rule: string): Denial {
  const tool = calledTool(request.mcp);
  if (tool !== undefined) return toolDenied({ tool, reason, rule });
  const details = request.mcp === undefined ? undefined : { reason, rule };
  return { ...policyDenied(reason, details), findings: [{ rule }] };
}

export interface ToolDenial {
  readonly tool: string;
  /** Read by agents and sent as a header: plain ASCII of our own, with nothing in it that a client wrote. */
  readonly reason: string;
  readonly rule: string;
  /** `policy_denied` unless told. */
  readonly type?: ErrorType;
  /** What the rule found, and where. */
  readonly found?: Omit<RefusalFinding, 'rule'>;
}

/** The check that refuses a tool for its name, and where that stands. */
export function calledByName(check: string): Pick<RefusalFinding, 'detector' | 'place'> {
  return { detector: check, place: placeOf(['params', 'name']) };
}

/** Refuses a call of a tool with what an agent needs to do something else (docs/mcp.md). */
export function toolDenied({ tool, reason, rule, type = 'policy_denied', found }: ToolDenial): Denial {
  return {
    kind: 'deny',
    type,
    message: reason,
    details: { reason, toolName: tool, rule },
    findings: [{ rule, ...found }],
  };
}

/** 400: what the client wrote cannot be taken. */
export function invalidRequest(message: string): Denial {
  return { kind: 'deny', type: 'invalid_request', message };
}

/**
 * Ends a refusal that a repeat cannot cure soon. Qwen Code and Gemini CLI obey neither `x-should-retry` nor
 * the body's type: they read the message, and repeat a 429 for minutes where it has not these words (decision 099).
 */
export const NEVER_RESETS = 'For clients that retry: Quota exceeded (limit: 0), no wait will reset it';

/** The same for a window that resets later. */
export function resetsIn(ms: number): string {
  return `For clients that retry: Quota exceeded, it will reset in ${timeSpan(ms)}. Please retry in ${wholeSeconds(ms)}s`;
}
