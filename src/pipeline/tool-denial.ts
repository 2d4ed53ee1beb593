import type { Denial } from './check.ts';

export interface ToolDenial {
  readonly tool: string;
  /** Read by agents and sent as a header: plain ASCII of our own, with nothing in it that a client wrote. */
  readonly reason: string;
  readonly rule: string;
}

/** Refuses a call of a tool with what an agent needs to do something else (DECISIONS "MCP"). */
export function toolDenied({ tool, reason, rule }: ToolDenial): Denial {
  return {
    kind: 'deny',
    type: 'policy_denied',
    message: reason,
    details: { reason, toolName: tool, rule },
  };
}
