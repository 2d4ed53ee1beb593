import type { ContentClass } from '../../detectors/finding.ts';
import { HEADER } from '../../headers.ts';
import type { McpMessage } from '../../mcp/message.ts';
import { calledTool } from '../../mcp/message.ts';
import type { Denial } from '../../pipeline/check.ts';
import { named } from './actions.ts';

/** An answer that is kept from its client (docs/dlp.md). */
export function quarantined(classes: readonly ContentClass[], enforce: () => Promise<void>): Denial {
  return {
    kind: 'deny',
    type: 'dlp_quarantine',
    message: `the answer was withheld: it holds ${named(classes)}`,
    headers: { [HEADER.dlpBlock]: 'true' },
    enforce,
  };
}

/** An answer in which nobody can look: it is not passed on unseen. */
export function unreadable(why: string): Denial {
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: `the provider sent an answer that cannot be inspected: ${why}`,
  };
}

/** A request that holds what may not leave (`server.dlp.requests: deny`). */
export function requestDenied(classes: readonly ContentClass[], mcp: McpMessage | undefined): Denial {
  return refusedRequest(`the request holds ${named(classes)}`, mcp);
}

/** A request that holds it where nothing can be put in its place. */
export function requestNotMaskable(classes: readonly ContentClass[], mcp: McpMessage | undefined): Denial {
  const where = 'where it cannot be masked (a member name, signed or encoded text)';
  return refusedRequest(`the request holds ${named(classes)} ${where}`, mcp);
}

function refusedRequest(reason: string, mcp: McpMessage | undefined): Denial {
  const toolName = calledTool(mcp);
  return {
    kind: 'deny',
    type: 'policy_denied',
    message: reason,
    headers: { [HEADER.dlpBlock]: 'true' },
    details: { reason, rule: 'dlp', ...(toolName !== undefined && { toolName }) },
  };
}
