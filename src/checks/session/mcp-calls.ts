import {
  isSuccess,
  isSuccessOfServer,
  type Answered,
  type Identified,
  type Outcome,
  type Parsed,
} from '../../pipeline/exchange.ts';
import { newOperationId } from '../../operation-id.ts';
import { HEADER } from '../../headers.ts';
import { calledTool } from '../../mcp/message.ts';
import { judgedType } from '../../mcp/called.ts';
import { PASS, type Denial, type Verdict } from '../../pipeline/check.ts';
import { handled } from '../../pipeline/read-ahead.ts';
import { mcpSessionOf } from '../../conversation/session-name.ts';
import { sessionRequest, sessionRequired, setSessionHeaders, type SessionRequest } from './headers.ts';
import { historyFull, longToolName, tooManySessions } from './refusals.ts';

import type { RetryQueue } from '../../redis/retry-queue.ts';
import type { RunningCalls } from './running-calls.ts';
import { isTighter, MAX_NOTE_CHARS, MAX_NOTES, type Session, type SessionStore, type Step } from './store.ts';

/** A step or call that may have to be given back. For `createdAt`, see `SessionStore.leave`. */
export interface TakenStep {
  readonly step: Step;
  readonly createdAt: number | undefined;
}

export interface McpCallsDeps {
  readonly store: SessionStore;
  readonly refunds: RetryQueue<TakenStep>;
  readonly running: RunningCalls;
  readonly required: boolean;
}

export interface McpCallState {
  requested?: SessionRequest;
  call?: McpCall;
}

interface McpCall {
  readonly step: Step;
  readonly tool: string | undefined;
  readonly peeked: Promise<Session | undefined>;
  /** Whether the session was opened or tightened for this call. */
  joined: boolean;
  session: Session | undefined;
  /** Whether `response` has decided if the session records this call. */
  settled: boolean;
}

export interface McpCalls {
  requestHeaders(exchange: Identified, state: McpCallState): Verdict;
  prepare(exchange: Parsed, state: McpCallState): void;
  requestBody(exchange: Parsed, state: McpCallState): Promise<Verdict>;
  response(exchange: Answered, state: McpCallState): Promise<Verdict>;
  end(exchange: Identified, outcome: Outcome, state: McpCallState): Promise<void>;
}

/**
 * Provides the session for judging MCP calls, which take no step. A tool is added to the session's history once the
 * server has received the call, unless it answers 4xx. Denied calls leave no trace.
 */
export function createMcpCalls({ store, refunds, running, required }: McpCallsDeps): McpCalls {
  /**
   * Opens the session. If the session is kept and its limits do not change, a call proceeds without waiting to be
   * recorded.
   */
  async function enter(call: McpCall, requested: SessionRequest): Promise<Session | Denial> {
    const open = await call.peeked;
    if (open?.kept === true && !isTighter(requested, open)) {
      running.announce(call.step, open.createdAt);
      return open;
    }
    // Set before the Redis call, so that the call is given back even if the reply is lost.
    call.joined = true;
    const result = await store.open({ ...call.step, ...requested });
    if (result.kind === 'opened') {
      running.begin(call.step, result.session.createdAt);
      return result.session;
    }
    call.joined = false;
    if (result.kind === 'too_many_sessions') return tooManySessions(result.liveSessions);
    throw new Error('a call that takes no step was refused a step');
  }

  async function judge(exchange: Parsed, call: McpCall, requested: SessionRequest): Promise<Verdict> {
    const { tool } = call;
    if (tool !== undefined && tool.length > MAX_NOTE_CHARS) return longToolName(tool);
    const session = await enter(call, requested);
    if ('kind' in session) return session;
    call.session = session;
    setSessionHeaders(exchange, session);
    if (tool !== undefined && isFull(session, tool)) return historyFull(tool);
    exchange.facts.session = session;
    return PASS;
  }

  async function remember({ step, tool, session }: McpCall, answered: boolean): Promise<Verdict> {
    if (session === undefined) return PASS;
    const noted = await store.keep(step, session.createdAt, tool, answered);
    return noted === 'full' && tool !== undefined ? historyFull(tool) : PASS;
  }

  /** Records a call without a visible answer, because the tool may have run. */
  async function rememberUnseen(call: McpCall): Promise<void> {
    try {
      await remember(call, false);
    } catch {
      // If Redis is down, no later call in the session is allowed either.
    }
  }

  return {
    requestHeaders(exchange, state) {
      const { headers } = exchange;
      const id = mcpSessionOf(exchange)?.sessionId;
      // The body decides whether a session is required.
      if (id === undefined && !headers.has(HEADER.sessionId)) return PASS;
      const requested = sessionRequest(headers, id);
      if (requested === undefined) return PASS;
      if ('kind' in requested) return requested;
      state.requested = requested;
      return PASS;
    },
    prepare(exchange, state) {
      if (state.requested === undefined || !isCall(exchange)) return;
      const name = { keyHash: exchange.key.keyHash, sessionId: state.requested.sessionId };
      state.call = {
        step: { ...name, operationId: newOperationId(), isMcpCall: true },
        tool: calledTool(exchange.request.mcp),
        peeked: handled(store.peek(name)),
        joined: false,
        session: undefined,
        settled: false,
      };
    },
    async requestBody(exchange, { requested, call }) {
      if (requested !== undefined && call !== undefined) return judge(exchange, call, requested);
      return isCall(exchange) ? withoutSession(exchange, required) : PASS;
    },
    async response(exchange, { call }) {
      if (call !== undefined) {
        const verdict = isClientError(exchange) ? PASS : await remember(call, isSuccessOfServer(exchange));
        call.settled = true;
        return verdict;
      }
      const name = hasEnded(exchange) ? mcpSessionOf(exchange) : undefined;
      if (name !== undefined) await store.end(name);
      return PASS;
    },
    async end(_exchange, outcome, { call }) {
      if (call === undefined) return;
      if (outcome.kind === 'not_forwarded' && call.joined && !call.settled) {
        running.forget(call.step);
        await refunds.give({ step: call.step, createdAt: call.session?.createdAt });
        return;
      }
      if (outcome.kind !== 'not_forwarded' && !call.settled) await rememberUnseen(call);
      await running.finish(call.step);
    },
  };
}

/** Reports whether policies judge this message. Other messages do not belong to the session. */
function isCall({ request, json }: Parsed): boolean {
  return judgedType(request, json) !== undefined;
}

/** Refuses limits without a session, because they cannot be enforced. */
function withoutSession({ headers }: Parsed, required: boolean): Verdict {
  const requested = sessionRequest(headers);
  if (requested !== undefined && 'kind' in requested) return requested;
  return required ? sessionRequired() : PASS;
}

/** Reports whether the call cannot be recorded. Policies rely on a complete history. */
function isFull({ toolsCalled }: Session, tool: string): boolean {
  return toolsCalled.length >= MAX_NOTES.tool && !toolsCalled.includes(tool);
}

function isClientError({ status }: Answered): boolean {
  return status >= 400 && status < 500;
}

/** Reports whether the MCP session has ended. A session named by the client may have other calls. */
function hasEnded(exchange: Answered): boolean {
  return exchange.method === 'DELETE' && isSuccess(exchange) && !exchange.headers.has(HEADER.sessionId);
}
