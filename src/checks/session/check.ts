import { isSuccessOfServer, type Answered, type Identified, type Parsed } from '../../pipeline/exchange.ts';
import { newOperationId } from '../../operation-id.ts';
import { HEADER } from '../../headers.ts';
import { BatchAborted, type Batch } from '../../pipeline/batch.ts';
import {
  isParsed,
  PASS,
  type Check,
  type FinalVerdict,
  type Pass,
  type Verdict,
} from '../../pipeline/check.ts';
import { handled, SessionRead, StaleRead } from '../../pipeline/read-ahead.ts';
import { firstQuestion } from '../../conversation/user-turns.ts';
import { createRetryQueue } from '../../redis/retry-queue.ts';
import { isTurnOver, nextTurn } from '../../turns.ts';
import { anchorOf } from './anchor.ts';
import { sessionRequest, sessionRequired, setSessionHeaders, type SessionRequest } from './headers.ts';
import { createMcpCalls, type McpCallState, type TakenStep } from './mcp-calls.ts';
import { maxStepsExceeded, sessionBudgetSpent, tooManySessions } from './refusals.ts';
import { createRunningCalls } from './running-calls.ts';
import {
  asIfOpened,
  REFUND_MS,
  type OpenResult,
  type Session,
  type SessionAhead,
  type SessionStore,
  type Step,
} from './store.ts';
import { renewAfterMs } from '../lease.ts';

export interface SessionCheckDeps {
  readonly store: SessionStore;
  readonly required: boolean;
  readonly maskSecrets: (text: string) => string;
  /** Called if giving back a step fails (it is retried), or if a running call cannot be recorded. */
  readonly onFailure: (cause: unknown) => void;
  /** Renewal interval for long calls; must be well below their lease and the session lifetime. */
  readonly renewAfterMs?: number;
}

export interface SessionCheck {
  readonly check: Check<SessionState, 'session'>;
  close(): Promise<void>;
}

export interface SessionState {
  requested?: SessionRequest;
  readonly stored: SessionRead<SessionAhead | undefined>;
  ahead?: SessionAhead | undefined;
  step?: Step;
  /** Resolves when it is known whether a session read ahead was opened. */
  confirming?: Promise<unknown>;
  /** Undefined if the request is not a step of a session. */
  entering?: Opening | Expected;
  session?: Session;
  /** The session's first user request, masked; removed once stored. */
  anchor?: string;
  /** State of MCP calls, which use none of the members above. */
  readonly mcp: McpCallState;
}

/** The session is opened in the same batch as the reads of other checks. */
interface Opening {
  readonly kind: 'opening';
  readonly opened: Promise<OpenResult>;
}

/** The session is opened after all checks have judged. */
interface Expected {
  readonly kind: 'expected';
  readonly requested: SessionRequest;
  readonly ahead: SessionAhead;
  readonly session: Session;
}

/** Takes a step in the named session, and stores its first user request once answered (docs/sessions.md). */
export function createSessionCheck(deps: SessionCheckDeps): SessionCheck {
  const { store } = deps;
  const refunds = createRetryQueue<TakenStep>({
    attempt: ({ step, createdAt }) => store.leave(step, createdAt),
    onFailure: deps.onFailure,
    giveUpMs: REFUND_MS,
  });
  const running = createRunningCalls({
    store,
    renewAfterMs: deps.renewAfterMs ?? renewAfterMs(),
    onFailure: deps.onFailure,
  });
  const mcpCalls = createMcpCalls({ store, refunds, running, required: deps.required });

  function open(
    exchange: Parsed,
    requested: SessionRequest,
    state: SessionState,
    batch: Batch | undefined,
    ahead?: SessionAhead,
  ): Promise<OpenResult> {
    const step = {
      keyHash: exchange.key.keyHash,
      sessionId: requested.sessionId,
      operationId: newOperationId(),
    };
    // Set before the Redis call, so that the step is given back even if the reply is lost.
    state.step = step;
    return handled(store.open({ ...step, ...requested }, batch, ahead));
  }

  function readHeaders(exchange: Identified, state: SessionState): Verdict {
    if (exchange.mcp !== undefined) return mcpCalls.requestHeaders(exchange, state.mcp);
    const requested = sessionRequest(exchange.headers);
    if (requested === undefined) return deps.required ? sessionRequired() : PASS;
    if ('kind' in requested) return requested;
    state.requested = requested;
    return PASS;
  }

  /** Uses a session read ahead on the first attempt only, otherwise opens the session now. */
  function enter(
    exchange: Parsed,
    requested: SessionRequest,
    state: SessionState,
    batch: Batch | undefined,
  ): void {
    const { ahead } = state;
    delete state.ahead;
    const session = ahead && asIfOpened(ahead, requested);
    exchange.facts.isReadAhead = session !== undefined;
    state.entering =
      ahead === undefined || session === undefined
        ? { kind: 'opening', opened: open(exchange, requested, state, batch) }
        : { kind: 'expected', requested, ahead, session };
  }

  function expect(
    exchange: Parsed,
    state: SessionState,
    { requested, ahead, session }: Expected,
    batch: Batch | undefined,
  ): Verdict {
    setSessionHeaders(exchange, { ...session, steps: session.steps - 1 });
    exchange.facts.session = session;
    const verdict = confirm(exchange, state, open(exchange, requested, state, batch, ahead));
    state.confirming = verdict.catch(() => undefined);
    return { kind: 'pending', verdict };
  }

  async function confirm(
    exchange: Parsed,
    state: SessionState,
    opened: Promise<OpenResult>,
  ): Promise<FinalVerdict> {
    try {
      const result = await opened;
      if (result.kind === 'changed') throw new StaleRead('session');
      exchange.facts.isReadAhead = false;
      return await judge(exchange, state, result);
    } catch (cause) {
      if (cause instanceof BatchAborted || cause instanceof StaleRead) delete state.step;
      throw cause;
    }
  }

  async function judge(exchange: Parsed, state: SessionState, result: OpenResult): Promise<FinalVerdict> {
    const { step } = state;
    if (step === undefined) throw new Error('the session was not opened for a step');
    switch (result.kind) {
      case 'closed':
        throw new Error('a fresh step cannot have been given back');
      case 'changed':
        throw new Error('a session that was not read ahead cannot have changed');
      case 'too_many_sessions':
        delete state.step;
        return tooManySessions(result.liveSessions);
      case 'max_steps_reached':
      case 'budget_spent':
        delete state.step;
        setSessionHeaders(exchange, result.session);
        return result.kind === 'budget_spent'
          ? sessionBudgetSpent(result.session)
          : maxStepsExceeded(result.session);
      case 'opened':
        state.session = result.session;
        running.begin(step, result.session.createdAt);
        // Does not count this call, which can still fail.
        setSessionHeaders(exchange, { ...result.session, steps: result.session.steps - 1 });
        exchange.facts.session = result.session;
        // Finding the first turn in a very long conversation takes time.
        if (!result.anchored && isTurnOver(exchange.request.texts.length)) await nextTurn();
        if (!result.anchored) keepAnchor(exchange, state);
        return PASS;
    }
  }

  /** Masks the anchor right away, so that no plain text is kept while waiting for the answer. */
  function keepAnchor(exchange: Parsed, state: SessionState): void {
    const anchor = anchorOf(firstQuestion(exchange.request) ?? '', deps.maskSecrets);
    if (anchor !== '') state.anchor = anchor;
  }

  /** Records an answer in Redis. A whole answer ends the call. */
  async function note(exchange: Answered, state: SessionState, batch: Batch | undefined): Promise<Pass> {
    await Promise.all([
      noteAnswered(exchange, state, batch),
      exchange.form === 'whole' && state.step !== undefined ? running.finish(state.step, batch) : undefined,
    ]);
    return PASS;
  }

  /** Gives the session its full lifetime at the first answer, and stores its first user request. */
  async function noteAnswered(
    exchange: Answered,
    state: SessionState,
    batch: Batch | undefined,
  ): Promise<void> {
    const { anchor, session } = state;
    if (session === undefined || !isSuccessOfServer(exchange)) return;
    if (anchor === undefined && session.answered) return;
    const name = { keyHash: exchange.key.keyHash, sessionId: session.id };
    await store.noteAnswered(name, session.createdAt, anchor, batch);
    delete state.anchor;
  }

  const check: Check<SessionState, 'session'> = {
    name: 'session',
    shadowable: false,
    repeatable: true,
    begin: () => ({ stored: new SessionRead(), mcp: {} }),
    async requestHeaders(exchange, state) {
      // A session that was not read ahead is opened before checks judge.
      state.ahead = await state.stored.takeAhead()?.catch(() => undefined);
      return readHeaders(exchange, state);
    },
    prepare(exchange, state, batch) {
      if (!isParsed(exchange)) return state.stored.readAhead(exchange, batch, store.readAhead);
      if (exchange.mcp !== undefined) return mcpCalls.prepare(exchange, state.mcp);
      const { operation } = exchange.endpoint;
      if (operation === 'models' || operation === 'count_tokens') return;
      if (state.requested !== undefined) enter(exchange, state.requested, state, batch);
    },
    async requestBody(exchange, state, batch) {
      exchange.facts.session = null;
      if (exchange.mcp !== undefined) return mcpCalls.requestBody(exchange, state.mcp);
      const { entering } = state;
      if (entering === undefined) return PASS;
      if (entering.kind === 'expected') return expect(exchange, state, entering, batch);
      return judge(exchange, state, await entering.opened);
    },
    response(exchange, state, batch) {
      if (exchange.mcp !== undefined) return mcpCalls.response(exchange, state.mcp);
      if (state.session !== undefined) {
        exchange.responseHeaders.set(HEADER.sessionSteps, String(state.session.steps));
      }
      return { kind: 'pending', verdict: note(exchange, state, batch) };
    },
    async end(exchange, outcome, state) {
      if (exchange.mcp !== undefined) return mcpCalls.end(exchange, outcome, state.mcp);
      await state.confirming;
      const { step, session } = state;
      if (step === undefined) return;
      if (outcome.kind !== 'not_forwarded') return running.finish(step);
      running.forget(step);
      await refunds.give({ step, createdAt: session?.createdAt });
    },
  };
  return {
    check,
    close() {
      running.close();
      return refunds.close();
    },
  };
}
