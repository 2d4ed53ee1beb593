import { mayCallTool } from '../../mcp/hidden-tools.ts';
import { calledTool, type McpMessage } from '../../mcp/message.ts';
import { isKnownMethod, misspeltMethod } from '../../mcp/methods.ts';
import { isStatelessMessage } from '../../mcp/mirrored.ts';
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
  /** `mcp.unknown_methods: allow`. */
  readonly allowsUnknownMethods: boolean;
}

export interface McpState {
  /** Whether the MCP session that the request names is its key's own. */
  session?: Promise<Verdict>;
}

const TOOLS_CALL = 'tools/call';
const RULE = 'allowed_tools';
const METHODS_RULE = 'unknown_methods';

/**
 * Holds a key to its own tools and its own MCP sessions, and every message to the methods of its revision
 * (docs/mcp.md), on both paths alike: what a message says decides, never its path or its headers.
 */
export function createMcpCheck(deps: McpCheckDeps): Check<McpState, 'mcp'> {
  const { binding, scorePolicyBlock, authenticateAgain, allowsUnknownMethods } = deps;

  function judgeMethod(exchange: Parsed): Verdict {
    const message = exchange.request.mcp;
    if (message === undefined || isKnownMethod(message, isStatelessMessage(exchange))) return PASS;
    // A list of tools says all that the key may run, and what another method runs cannot be told.
    if (allowsUnknownMethods && exchange.key.allowedTools === undefined) return PASS;
    return unknownMethod();
  }

  function judgeTool({ key, request }: Parsed): Verdict {
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
      if (isDisguised(exchange.request.mcp)) return disguisedMethod();
      for (const judge of [judgeMethod, judgeTool]) {
        const verdict = judge(exchange);
        if (verdict.kind !== 'pass') return verdict;
      }
      return session;
    },
    response: (exchange) =>
      exchange.mcp === undefined ? PASS : (refuseUnauthorized(exchange) ?? binding.keep(exchange)),
    stream: (exchange) => createKeyGuard(exchange, authenticateAgain),
  };
}

/** A call that asks for no answer, or spells its method so that only a careless server knows it: yet it may be made. */
function isDisguised(message: McpMessage | undefined): boolean {
  if (message === undefined || message.kind === 'response' || calledTool(message) !== undefined) return false;
  return message.method === TOOLS_CALL || misspeltMethod(message.method) !== undefined;
}

function disguisedMethod(): Denial {
  return {
    kind: 'deny',
    type: 'invalid_request',
    message: `a method must be spelt as MCP spells it, and a call of a tool must be a JSON-RPC request with an id, the method ${TOOLS_CALL} and the name of the tool`,
  };
}

function unknownMethod(): Denial {
  const reason = 'this revision of MCP has no such method (mcp.unknown_methods)';
  return { kind: 'deny', type: 'policy_denied', message: reason, details: { reason, rule: METHODS_RULE } };
}
