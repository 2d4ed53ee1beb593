import type { McpConfig } from '../../config/sections/mcp.ts';
import { mayCallTool } from '../../mcp/answer-shape.ts';
import { calledTool } from '../../mcp/message.ts';
import { callTypeOf, methodProblem, type McpCallType, type McpEra } from '../../mcp/methods.ts';
import { eraOf } from '../../mcp/mirrored.ts';
import { paramsOf } from '../../mcp/read-message.ts';
import {
  asDenial,
  isParsed,
  PASS,
  PASS_EVENT,
  type Check,
  type Denial,
  type StreamAction,
  type StreamRewriter,
  type Verdict,
} from '../../pipeline/check.ts';
import type { Admitted, Answered, Parsed } from '../../pipeline/exchange.ts';
import { handled } from '../../pipeline/read-ahead.ts';
import { findingId } from '../finding-id.ts';
import { calledByName, policyDenied, toolDenied } from '../denials.ts';
import type { SessionBinding } from './session-binding/binding.ts';
import { inOrder, type TaskBinding } from './task-binding.ts';
import { GatewayError } from '../../errors.ts';

export interface McpCheckDeps {
  readonly binding: SessionBinding;
  readonly tasks: TaskBinding;
  /**
   * Adds 10 points to the key's risk score for a policy block, if a finding has not scored in the last 24 hours
   * (docs/risk.md).
   */
  readonly scorePolicyBlock: (keyHash: string, findings: readonly string[]) => Promise<void>;
  readonly authenticateAgain: (
    admitted: Pick<Admitted, 'key' | 'rawKeyHash' | 'tokenEndsAt'>,
  ) => Promise<unknown>;
  readonly unknownMethods: McpConfig['unknown_methods'];
}

export interface McpState {
  /** Verdict on whether the named MCP session and task belong to the key. */
  named?: Promise<Verdict>;
}

const RULE = 'allowed_tools';

/** Restricts messages to MCP methods, and keys to their tools, sessions and tasks, whatever the path (docs/mcp.md). */
export function createMcpCheck(deps: McpCheckDeps): Check<McpState, 'mcp'> {
  const { binding, tasks, scorePolicyBlock, authenticateAgain, unknownMethods } = deps;

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
        reason: "this key's allowed_tools do not include it",
        rule: RULE,
        found: calledByName('mcp'),
      }),
      enforce: () => scorePolicyBlock(key.keyHash, [findingId(RULE, tool)]),
    };
  }

  async function judgeNamed(exchange: Parsed): Promise<Verdict> {
    const [session, task] = await Promise.all([binding.judge(exchange), tasks.judge(exchange)]);
    return session.kind === 'pass' ? task : session;
  }

  async function keepNamed(exchange: Answered): Promise<Verdict> {
    const session = await binding.keep(exchange);
    return session.kind === 'pass' ? tasks.keep(exchange) : session;
  }

  return {
    name: 'mcp',
    shadowable: false,
    begin: () => ({}),
    prepare(request, state) {
      if (isParsed(request) && request.mcp !== undefined) state.named = handled(judgeNamed(request));
    },
    requestBody(exchange, { named }) {
      if (named === undefined) return PASS;
      const method = judgeMethod(exchange);
      const verdict = method.kind === 'pass' ? judgeTool(exchange) : method;
      return verdict.kind === 'pass' ? named : verdict;
    },
    response: (exchange) =>
      exchange.mcp === undefined ? PASS : (refuseUnauthorized(exchange) ?? keepNamed(exchange)),
    stream: (exchange) => inOrder(createKeyGuard(exchange, authenticateAgain), tasks.rewriter(exchange)),
  };
}

/** Refuses unknown messages from keys with `allowed_tools`, and all calls from keys whose list is empty. */
function judgeOther(allowedTools: readonly string[] | undefined, type: McpCallType | undefined): Verdict {
  const isRefused =
    type === 'mcp_other'
      ? allowedTools !== undefined
      : allowedTools?.length === 0 && type !== undefined && type !== 'mcp_client_response';
  if (!isRefused) return PASS;
  const reason =
    type === 'mcp_other'
      ? 'a key with allowed_tools may send only methods that MCP defines'
      : 'a key without allowed tools may not use resources, prompts, completions or tasks either';
  return methodDenied(reason, RULE);
}

function disguisedMethod(): Denial {
  return {
    kind: 'deny',
    type: 'invalid_request',
    message:
      'spell the method as MCP does, and send an id only with requests, not with notifications (tools/call, notifications/initialized)',
  };
}

function unknownMethod(era: McpEra): Denial {
  const reason = `MCP ${era === 'sessions' ? 'up to 2025-11-25' : '2026-07-28'} does not define this method: an operator can allow it (mcp.unknown_methods)`;
  return methodDenied(reason, 'unknown_methods');
}

function methodDenied(reason: string, rule: string): Denial {
  const findings = [{ rule, detector: 'mcp', place: 'method' }];
  return { ...policyDenied(reason, { reason, rule }), findings };
}

/** Statuses with which the server, or a proxy in front of it, rejects credentials. */
const UNAUTHORIZED: ReadonlySet<number> = new Set([401, 403, 407]);

/** Replaces answers that reject credentials, because clients would blame their gateway key. */
function refuseUnauthorized({ origin, status, mcp }: Answered): Denial | undefined {
  if (origin !== 'provider' || !UNAUTHORIZED.has(status)) return undefined;
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: `the MCP server ${mcp?.server ?? ''} rejected the gateway's credentials (HTTP ${String(status)}): an operator can set them in mcp.servers[].headers`,
  };
}

/** How long the last check of a key remains valid. */
const JUDGED_FOR_MS = 1_000;

/** Cuts off an open-ended stream at an event once its key is no longer valid. Returns undefined for other streams. */
export function createKeyGuard(
  exchange: Answered,
  authenticateAgain: McpCheckDeps['authenticateAgain'],
): StreamRewriter | undefined {
  if (!isOpenEnded(exchange)) return undefined;
  let judgedAt = exchange.startedAt;

  async function judge(): Promise<StreamAction> {
    try {
      await authenticateAgain(exchange);
    } catch (failure) {
      if (!(failure instanceof GatewayError)) throw failure;
      return { kind: 'cut', denial: asDenial(failure) };
    }
    judgedAt = performance.now();
    return PASS_EVENT;
  }

  return {
    readsText: false,
    event: () => (performance.now() - judgedAt < JUDGED_FOR_MS ? PASS_EVENT : judge()),
  };
}

/** Matches server-initiated streams: the GET stream up to 2025-11-25, and later subscriptions. */
function isOpenEnded({ mcp, method, request }: Answered): boolean {
  if (mcp === undefined) return false;
  return (
    method === 'GET' || (request.mcp?.kind === 'request' && request.mcp.method === 'subscriptions/listen')
  );
}
