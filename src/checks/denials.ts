import type { ErrorType, RefusalDetails } from '../errors.ts';
import { calledTool } from '../mcp/message.ts';
import type { Denial } from '../pipeline/check.ts';
import type { Parsed } from '../pipeline/exchange.ts';
import { placeOf, type RefusalFinding } from '../where-found.ts';
import { timeSpan, wholeSeconds } from '../text/time-span.ts';

/** 403: not allowed by the key, the gateway or a rule. */
export function policyDenied(message: string, details?: RefusalDetails): Denial {
  return {
    kind: 'deny',
    type: 'policy_denied',
    message,
    ...(details !== undefined && { details }),
    ...(details?.rule !== undefined && { findings: [{ rule: details.rule }] }),
  };
}

export function callDenied({ request }: Parsed, reason: string, rule: string): Denial {
  const tool = calledTool(request.mcp);
  if (tool !== undefined) return toolDenied({ tool, reason, rule });
  const details = request.mcp === undefined ? undefined : { reason, rule };
  return { ...policyDenied(reason, details), findings: [{ rule }] };
}

export interface ToolDenial {
  readonly tool: string;
  /** Read by agents and sent as a header. Must be plain ASCII without client text. */
  readonly reason: string;
  readonly rule: string;
  readonly type?: ErrorType;
  readonly found?: Omit<RefusalFinding, 'rule'>;
}

export function calledByName(check: string): Pick<RefusalFinding, 'detector' | 'place'> {
  return { detector: check, place: placeOf(['params', 'name']) };
}

/** Refuses a tool call, and tells the agent how to proceed (docs/mcp.md). */
export function toolDenied({ tool, reason, rule, type = 'policy_denied', found }: ToolDenial): Denial {
  return {
    kind: 'deny',
    type,
    message: reason,
    details: { reason, toolName: tool, rule },
    findings: [{ rule, ...found }],
  };
}

/** 400: the request is invalid. */
export function invalidRequest(message: string): Denial {
  return { kind: 'deny', type: 'invalid_request', message };
}

/** Suffix of refusals that no retry resolves. Qwen Code and Gemini CLI recognize the wording (decision 099). */
export const NEVER_RESETS = 'For clients that retry: Quota exceeded (limit: 0), no wait will reset it';

export function resetsIn(ms: number): string {
  return `For clients that retry: Quota exceeded, it will reset in ${timeSpan(ms)}. Please retry in ${wholeSeconds(ms)}s`;
}
