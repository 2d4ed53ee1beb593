import { newOperationId } from '../../operation-id.ts';
import { PASS, type Check, type Denial, type Verdict } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JudgedCall, SessionFacts } from '../../pipeline/facts.ts';
import { policyCallOf } from './policy-call.ts';
import type { SessionName } from '../../conversation/session-name.ts';
import { callStep } from '../../policy/trace-step.ts';
import { callDenied } from '../denials.ts';
import type { TrustSettings } from '../../policy/trust.ts';
import { notEvaluated, type Judge } from './judge.ts';

export interface PolicyStateDeps {
  readonly judge: Judge;
  readonly trust: TrustSettings;
  readonly sessions: SessionMoves;
  /** Adds marks to the call's session. Returns false if the session cannot store more. */
  readonly mark: (exchange: Parsed, marks: readonly string[]) => Promise<boolean>;
  readonly shadowMode: boolean;
  readonly onTrouble: (cause: unknown) => void;
}

export interface SessionMoves {
  /** Resolves to the session's current state, or undefined if the session has ended. */
  read(name: SessionName): Promise<SessionFacts | undefined>;
  /** Compares and sets the state, once per operation id. */
  move(move: SessionMove): Promise<'moved' | 'conflict' | 'gone'>;
  /** Undoes a move, even if its reply was lost, unless the session has moved since. Never rejects. */
  moveBack(move: SessionMove): Promise<void>;
}

export interface SessionMove {
  readonly step: SessionName & { readonly operationId: string };
  readonly createdAt: number;
  readonly from: string | undefined;
  readonly to: string;
}

export interface PolicyState {
  move?: SessionMove;
}

/** Maximum number of attempts to move the state. In each round, at least one concurrent call succeeds. */
const MAX_ROUNDS = 8;

/**
 * Moves the session's state as the policies require, and records marks. If another call has moved the state first, this
 * call is judged again. Of two calls judged in the same state, only one can leave it.
 */
export function createPolicyStateCheck(deps: PolicyStateDeps): Check<PolicyState, 'policy-state'> {
  const { sessions } = deps;

  async function move(exchange: Parsed, first: JudgedCall, state: PolicyState): Promise<Verdict> {
    let judged = first;
    let verdict: Verdict = PASS;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const next = await nextMove(exchange, judged);
      if (next === 'trouble') return notEvaluated(exchange);
      if (next === undefined) return verdict;
      // Set before the Redis call, so that the move is undone even if the reply is lost.
      state.move = next;
      const result = await sessions.move(next);
      if (result === 'moved') return verdict;
      delete state.move;
      const again = result === 'conflict' ? await refreshed(exchange, judged) : undefined;
      if (again === undefined) return sessionEnded(exchange);
      judged = again;
      verdict = await deps.judge(exchange, judged);
      // In shadow mode, a denied call proceeds and moves the session.
      if (verdict.kind === 'deny' && !deps.shadowMode) return verdict;
    }
    return movedTooOften(exchange);
  }

  async function nextMove(
    exchange: Parsed,
    { set, call }: JudgedCall,
  ): Promise<SessionMove | undefined | 'trouble'> {
    const { session } = exchange.facts;
    if (session === undefined || session === null) return undefined;
    try {
      const to = await set.nextState(call);
      if (to === undefined || to === (session.state ?? set.initialState)) return undefined;
      const step = { ...sessionName(exchange, session), operationId: newOperationId() };
      return { step, createdAt: session.createdAt, from: session.state, to };
    } catch (cause) {
      deps.onTrouble(cause);
      return 'trouble';
    }
  }

  /** Returns the call with its session's current state, or undefined if the session has ended. */
  async function refreshed(exchange: Parsed, { set }: JudgedCall): Promise<JudgedCall | undefined> {
    const { session } = exchange.facts;
    if (session === undefined || session === null) return undefined;
    const fresh = await sessions.read(sessionName(exchange, session));
    if (fresh?.createdAt !== session.createdAt) return undefined;
    exchange.facts.session = fresh;
    // Fallbacks were judged in the previous state.
    if (exchange.fallbacks !== undefined) exchange.fallbacks = [];
    const call = policyCallOf(exchange, deps.trust);
    if (call === undefined) return undefined;
    return (exchange.facts.judgedAgain = { set, call });
  }

  async function mark(exchange: Parsed, { set, call }: JudgedCall): Promise<Verdict> {
    const { session } = exchange.facts;
    if (session === undefined || session === null || !set.needsSteps(call.input.request.method)) return PASS;
    const marks = await marksOf({ set, call });
    if (marks === undefined) return notEvaluated(exchange);
    const unknown = marks.filter((name) => !session.marks.includes(name));
    return (await deps.mark(exchange, unknown)) ? PASS : stateFull(exchange);
  }

  async function marksOf({ set, call }: JudgedCall): Promise<readonly string[] | undefined> {
    try {
      return await set.marksOf(callStep(call));
    } catch (cause) {
      deps.onTrouble(cause);
      return undefined;
    }
  }

  return {
    name: 'policy-state',
    shadowable: true,
    judgesLast: true,
    begin: () => ({}),
    async requestBody(exchange, state) {
      const { judged, session } = exchange.facts;
      // Without a session, there is no state or history.
      if (judged === undefined || session === undefined || session === null) return PASS;
      const moved = await move(exchange, judged, state);
      if (moved.kind === 'deny' && !deps.shadowMode) return moved;
      const marked = await mark(exchange, exchange.facts.judgedAgain ?? judged);
      return marked.kind === 'pass' || moved.kind === 'deny' ? moved : marked;
    },
    end: (_exchange, outcome, { move: made }) =>
      made !== undefined && outcome.kind === 'not_forwarded' ? sessions.moveBack(made) : undefined,
  };
}

function sessionName({ key }: Parsed, { id }: SessionFacts): SessionName {
  return { keyHash: key.keyHash, sessionId: id };
}

function sessionEnded(exchange: Parsed): Denial {
  return callDenied(exchange, 'the session ended while this call was judged: send it again', 'session_state');
}

function movedTooOften(exchange: Parsed): Denial {
  const reason = 'other calls of this session keep moving its state: send this call again after they finish';
  return callDenied(exchange, reason, 'session_state');
}

function stateFull(exchange: Parsed): Denial {
  const reason = 'the history of this session is full, and policies need it: start a new session';
  return callDenied(exchange, reason, 'session_history');
}
