import { mayCallTool } from '../../mcp/hidden-tools.ts';
import { calledTool, type McpMessage } from '../../mcp/message.ts';
import { PASS, type Check, type Denial, type Verdict } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { findingId } from '../finding-id.ts';
import { toolDenied } from '../denials.ts';
import { createKeyGuard, type AuthenticateAgain } from './key-guard.ts';
import { refuseUnauthorized } from './misleading-answers.ts';
import type { SessionBinding } from './session-binding/binding.ts';

export interface McpCheckDeps {
  readonly binding: SessionBinding;
  /** Scores a policy block of a key (docs/risk.md): +10, once a day for one and the same finding. */
  readonly scorePolicyBlock: (keyHash: string, findings: readonly string[]) => Promise<void>;
  readonly authenticateAgain: AuthenticateAgain;
}

export interface McpState {
  /** Whether the MCP session that the request names is its key's own. */
  session?: Promise<Verdict>;
}

const TOOLS_CALL = 'tools/call';
const RULE = 'allowed_tools';

/**
 * Holds a key to its own tools and its own MCP sessions (docs/mcp.md), on both paths alike: what a message says
 * decides, never its path or its headers. All methods but `tools/call` pass.
 */
export function createMcpCheck(deps: McpCheckDeps): Check<McpState, 'mcp'> {
  const { binding, scorePolicyBlock, authenticateAgain } = deps;

  function judgeTool({ key, request }: Parsed): Verdict {
    if (isDisguised(request.mcp)) return disguisedName();
    const tool = calledTool(request.mcp);
    if (tool === undefined || mayCallTool(key.allowedTools, tool)) return PASS;
    return {
      ...toolDenied({ tool, reason: 'the allowed_tools of this key do not name it', rule: RULE }),
      enforce: () => scorePolicyBlock(key.keyHash, [findingId(RULE, tool)]),
    };
  }

  return {
    name: 'mcp',
    shadowable: false,
    begin: () => ({}),
    prepare(exchange, state) {
      if (exchange.mcp === undefined) return;
      state.session = binding.judge(exchange);
      // Where an earlier check denies, nobody waits for it.
      state.session.catch(() => undefined);
    },
    async requestBody(exchange, { session }) {
      if (session === undefined) return PASS;
      const verdict = judgeTool(exchange);
      return verdict.kind === 'pass' ? session : verdict;
    },
    response: (exchange) =>
      exchange.mcp === undefined ? PASS : (refuseUnauthorized(exchange) ?? binding.keep(exchange)),
    stream: (exchange) => createKeyGuard(exchange, authenticateAgain),
  };
}

/** A call that asks for no answer, or spells its method so that only a careless server knows it: yet it may be made. */
function isDisguised(message: McpMessage | undefined): boolean {
  if (message === undefined || message.kind === 'response' || calledTool(message) !== undefined) return false;
  return message.method.toLowerCase() === TOOLS_CALL;
}

function disguisedName(): Denial {
  return {
    kind: 'deny',
    type: 'invalid_request',
    message: `a call of a tool must be a JSON-RPC request with an id, the method ${TOOLS_CALL} and the name of the tool`,
  };
}
