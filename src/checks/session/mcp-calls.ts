import { isSuccess, isSuccessOfServer } from '../../pipeline/success.ts';
import { newOperationId } from '../../operation-id.ts';
import { HEADER } from '../../headers.ts';
import { calledTool } from '../../mcp/message.ts';
import { judgedType } from '../../mcp/called.ts';
import { PASS, type Denial, type Verdict } from '../../pipeline/check.ts';
import type { Answered, Identified, Outcome, Parsed } from '../../pipeline/exchange.ts';
import type { Phase } from '../../pipeline/phase.ts';
import { mcpSessionOf } from '../../conversation/mcp-session.ts';
import { sessionRequest, sessionRequired, tell, type SessionRequest } from './headers.ts';
import { historyFull, longToolName, tooManySessions } from './refusals.ts';
import { isTighter } from './read-ahead.ts';
import type { RetryQueue } from '../../redis/retry-queue.ts';
import type { RunningCalls } from './running-calls.ts';
import { MAX_NOTE_CHARS, MAX_NOTES, type Session, type SessionStore, type Step } from './store.ts';

/** A step, or a call, that may have to be given back; `createdAt` as `SessionStore.leave` wants it. */
export interface TakenStep {
  readonly step: Step;
  readonly createdAt: number | undefined;
}

export interface McpCallsDeps {
  readonly store: SessionStore;
  readonly refunds: RetryQueue<TakenStep>;
  readonly running: RunningCalls;
  /** `session.required`. */
  readonly required: boolean;
}

/** One request's part in its session. */
export interface McpCallState {
  asked?: SessionRequest;
  call?: McpCall;
}

interface McpCall {
  readonly step: Step;
  /** Undefined where it calls none, but reads what the server has. */
  readonly tool: string | undefined;
  /** The session as it stands, where it is open. */
  readonly peeked: Promise<Session | undefined>;
  /** The session had to be opened, or tightened, for this call. */
  joined: boolean;
  session: Session | undefined;
  /** It is decided whether the session remembers this call. */
  settled: boolean;
}

/** The session check's part in the traffic of MCP servers. */
export interface McpCalls {
  requestHeaders(exchange: Identified, state: McpCallState): Verdict;
  prepare(exchange: Parsed, state: McpCallState, phase?: Phase): void;
  requestBody(exchange: Parsed, state: McpCallState): Promise<Verdict>;
  response(exchange: Answered, state: McpCallState): Promise<Verdict>;
  end(exchange: Identified, outcome: Outcome, state: McpCallState): Promise<void>;
}

/**
 * A call of a tool belongs to its session and takes no step of it: it is judged by the session as it stands, and its
 * tool joins the session's history once the server has it, whatever it answers but a 4xx. A call that a check denied was
 * never made.
 */
export function createMcpCalls({ store, refunds, running, required }: McpCallsDeps): McpCalls {
  /**
   * Where the session stays by itself, one wait for Redis, together with all other reads: nobody waits until it knows
   * that a call is on its way.
   */
  async function enter(call: McpCall, asked: SessionRequest): Promise<Session | Denial> {
    const open = await call.peeked;
    if (open?.kept === true && !isTighter(asked, open)) {
      running.announce(call.step, open.createdAt);
      return open;
    }
    // Set before Redis is asked: a call whose reply is lost must be given back too.
    call.joined = true;
    const result = await store.open({ ...call.step, ...asked });
    if (result.kind === 'opened') {
      running.begin(call.step, result.session.createdAt);
      return result.session;
    }
    call.joined = false;
    if (result.kind === 'too_many_sessions') return tooManySessions(result.liveSessions);
    throw new Error('a fresh call that takes no step cannot be refused one');
  }

  async function judge(exchange: Parsed, call: McpCall, asked: SessionRequest): Promise<Verdict> {
    const { tool } = call;
    if (tool !== undefined && tool.length > MAX_NOTE_CHARS) return longToolName(tool);
    const session = await enter(call, asked);
    if ('kind' in session) return session;
    call.session = session;
    tell(exchange, session);
    if (tool !== undefined && isFull(session, tool)) return historyFull(tool);
    exchange.facts.session = session;
    return PASS;
  }

  async function remember({ step, tool, session }: McpCall, answered: boolean): Promise<Verdict> {
    if (session === undefined) return PASS;
    const noted = await store.keep(step, session.createdAt, tool, answered);
    return noted === 'full' && tool !== undefined ? historyFull(tool) : PASS;
  }

  /** Its answer was not seen, or was withheld: the tool may have run all the same. */
  async function rememberUnseen(call: McpCall): Promise<void> {
    try {
      await remember(call, false);
    } catch {
      // Redis is gone, and with it every later call of the session.
    }
  }

  return {
    requestHeaders(exchange, state) {
      const { headers } = exchange;
      const id = mcpSessionOf(exchange)?.sessionId;
      // Whether it needs one is known once its body is read.
      if (id === undefined && !headers.has(HEADER.sessionId)) return PASS;
      const asked = sessionRequest(headers, id);
      if (asked === undefined) return PASS;
      if ('kind' in asked) return asked;
      state.asked = asked;
      return PASS;
    },
    prepare(exchange, state) {
      if (state.asked === undefined || !isCall(exchange)) return;
      const name = { keyHash: exchange.key.keyHash, sessionId: state.asked.sessionId };
      const peeked = store.peek(name);
      // Where an earlier check denies, nobody waits for it.
      peeked.catch(() => undefined);
      state.call = {
        step: { ...name, operationId: newOperationId(), isMcpCall: true },
        tool: calledTool(exchange.request.mcp),
        peeked,
        joined: false,
        session: undefined,
        settled: false,
      };
    },
    async requestBody(exchange, { asked, call }) {
      if (asked !== undefined && call !== undefined) return judge(exchange, call, asked);
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

/** What policies judge by the session; all other messages take no part in it. */
function isCall({ request, json }: Parsed): boolean {
  return judgedType(request, json) !== undefined;
}

/** Limits without a session would silently not hold. */
function withoutSession({ headers }: Parsed, required: boolean): Verdict {
  const asked = sessionRequest(headers);
  if (asked !== undefined && 'kind' in asked) return asked;
  return required ? sessionRequired() : PASS;
}

/** Its call could not be noted, and whoever judges by the history could trust it no more. */
function isFull({ toolsCalled }: Session, tool: string): boolean {
  return toolsCalled.length >= MAX_NOTES.tool && !toolsCalled.includes(tool);
}

/** The server did not take it. */
function isClientError({ status }: Answered): boolean {
  return status >= 400 && status < 500;
}

/** The session that ends is MCP's own; one that the client named itself may have other calls. */
function hasEnded(exchange: Answered): boolean {
  return exchange.method === 'DELETE' && isSuccess(exchange) && !exchange.headers.has(HEADER.sessionId);
}
