import type { ErrorType } from '../errors.ts';
import type { Denial } from '../pipeline/check.ts';

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
