import type { ErrorType, RefusalDetails } from '../errors.ts';
import { calledTool } from '../mcp/message.ts';
import type { Denial } from '../pipeline/check.ts';
import type { Parsed } from '../pipeline/exchange.ts';

/** 403: what this key, this gateway or a rule does not allow. */
export function policyDenied(message: string, details?: RefusalDetails): Denial {
  return {
    kind: 'deny',
    type: 'policy_denied',
    message,
    ...(details !== undefined && { details }),
  };
}

/** The same of a call as it was judged: one of a tool says to its agent which tool, and by which rule. */
export function callDenied({ request }: Parsed, reason: string, rule: string): Denial {
  const tool = calledTool(request.mcp);
  return tool === undefined ? policyDenied(reason) : toolDenied({ tool, reason, rule });
}

export interface ToolDenial {
  readonly tool: string;
  /** Read by agents and sent as a header: plain ASCII of our own, with nothing in it that a client wrote. */
  readonly reason: string;
  readonly rule: string;
  /** `policy_denied` unless told. */
  readonly type?: ErrorType;
}

/** Refuses a call of a tool with what an agent needs to do something else (docs/mcp.md). */
export function toolDenied({ tool, reason, rule, type = 'policy_denied' }: ToolDenial): Denial {
  return {
    kind: 'deny',
    type,
    message: reason,
    details: { reason, toolName: tool, rule },
  };
}

/** 400: what the client wrote cannot be taken. */
export function invalidRequest(message: string): Denial {
  return { kind: 'deny', type: 'invalid_request', message };
}
