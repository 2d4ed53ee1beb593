import type { McpConfig } from '../../config/sections/mcp.ts';
import { mayCallTool } from '../../mcp/hidden-tools.ts';
import { calledTool } from '../../mcp/message.ts';
import { callTypeOf, methodProblem, type McpCallType, type McpEra } from '../../mcp/methods.ts';
import { eraOf } from '../../mcp/mirrored.ts';
import { paramsOf } from '../../mcp/read-message.ts';
import { PASS, type Check, type Denial, type Verdict } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { findingId } from '../finding-id.ts';
import { calledByName, policyDenied, toolDenied } from '../denials.ts';
import { createKeyGuard, type AuthenticateAgain } from './key-guard.ts';
import { refuseUnauthorized } from './misleading-answers.ts';
import type { SessionBinding } from './session-binding/binding.ts';

export interface McpCheckDeps {
  readonly binding: SessionBinding;
  /** Scores a policy block of a key (docs/risk.md): +10, once a day for one and the same finding. */
  readonly scorePolicyBlock: (keyHash: string, findings: readonly string[]) => Promise<void>;
  readonly authenticateAgain: AuthenticateAgain;
  readonly unknownMethods: McpConfig['unknown_methods'];
}

export interface McpState {
  /** Whether the MCP session that the request names is its key's own. */
  session?: Promise<Verdict>;
}

const RULE = 'allowed_tools';

/**
 * Holds a message to the methods of MCP, and a key to its own tools and its own MCP sessions (docs/mcp.md), on both paths
 * alike: what a message says decides, never its path.
 */
export function createMcpCheck(deps: McpCheckDeps): Check<McpState, 'mcp'> {
  const { binding, scorePolicyBlock, authenticateAgain, unknownMethods } = deps;

  function judgeMethod({ headers, json, request: { mcp: message } }: Parsed): Verdict {
    if (message === undefined || message.kind === 'response') return PASS;
    const era = eraOf(headers, paramsOf(json));
    const problem = methodProblem(message, era);
    if (problem === 'disguised') return disguisedMethod();
    return problem === undefined || unknownMethods === 'allow' ? PASS : unknownMethod(era);
  }

  function judgeTool({ key, request, json }: Parsed): Verdict {
    const tool = calledTool(request.mcp);
    if (tool === undefined) return judgeOther(key.allowedTools, callTypeOf(request.mcp, paramsOf(json)));
    if (mayCallTool(key.allowedTools, tool)) return PASS;
    return {
      ...toolDenied({
        tool,
        reason: 'the allowed_tools of this key do not name it',
        rule: RULE,
        found: calledByName('mcp'),
      }),
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
      const method = judgeMethod(exchange);
      const verdict = method.kind === 'pass' ? judgeTool(exchange) : method;
      return verdict.kind === 'pass' ? session : verdict;
    },
    response: (exchange) =>
      exchange.mcp === undefined ? PASS : (refuseUnauthorized(exchange) ?? binding.keep(exchange)),
    stream: (exchange) => createKeyGuard(exchange, authenticateAgain),
  };
}

/** Refuses what is no call of a tool and may become one, or asks for more than a key without any tool may have. */
function judgeOther(allowedTools: readonly string[] | undefined, type: McpCallType | undefined): Verdict {
  const isRefused =
    type === 'mcp_other'
      ? allowedTools !== undefined
      : allowedTools?.length === 0 && type !== undefined && type !== 'mcp_client_response';
  if (!isRefused) return PASS;
  const reason =
    type === 'mcp_other'
      ? 'a key with allowed_tools sends only what MCP defines'
      : 'a key that may call no tool may use no resource, prompt, completion or task either';
  return methodDenied(reason, RULE);
}

function disguisedMethod(): Denial {
  return {
    kind: 'deny',
    type: 'invalid_request',
    message:
      'the method must be spelled as MCP has it: a request has an id, and a notification none (tools/call, notifications/initialized)',
  };
}

function unknownMethod(era: McpEra): Denial {
  const reason = `the method is none of MCP ${era === 'sessions' ? 'up to 2025-11-25' : '2026-07-28'}: an operator can let it pass (mcp.unknown_methods)`;
  return methodDenied(reason, 'unknown_methods');
}

function methodDenied(reason: string, rule: string): Denial {
  const findings = [{ rule, detector: 'mcp', place: 'method' }];
  return { ...policyDenied(reason, { reason, rule }), findings };
}
