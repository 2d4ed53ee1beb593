import { newOperationId } from '../../operation-id.ts';
import { PASS, type Check, type Denial, type Verdict } from '../../pipeline/check.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JudgedCall, SessionFacts } from '../../pipeline/facts.ts';
import { policyCallOf } from './policy-call.ts';
import type { SessionName } from '../../conversation/session-turn.ts';
import { callStep } from '../../policy/trace-step.ts';
import { callDenied } from '../denials.ts';
import type { TrustSettings } from '../../policy/trust.ts';
import { notEvaluated, type Judge } from './judge.ts';

export interface PolicyStateDeps {
  readonly judge: Judge;
  /** `policy.trust`. */
  readonly trust: TrustSettings;
  readonly sessions: SessionMoves;
  /** Notes marks in the call's session; false where it takes no more of them. */
  readonly mark: (exchange: Parsed, marks: readonly string[]) => Promise<boolean>;
  readonly shadowMode: boolean;
  /** A set could not say where a call leads. */
  readonly onTrouble: (cause: unknown) => void;
}

/** What the check needs of sessions. */
export interface SessionMoves {
  /** The session as it stands; undefined where it has ended. */
  read(name: SessionName): Promise<SessionFacts | undefined>;
  /** Compares and sets, once for each operation. */
  move(move: SessionMove): Promise<'moved' | 'conflict' | 'gone'>;
  /** Undoes a move, unless somebody has moved the session since; also one whose answer was lost. Never rejects. */
  moveBack(move: SessionMove): Promise<void>;
}

export interface SessionMove {
  readonly step: SessionName & { readonly operationId: string };
  /** Tells the session's life from another of the same name. */
  readonly createdAt: number;
  /** The state that the call was judged by. */
  readonly from: string | undefined;
  readonly to: string;
}

/** One exchange's move. */
export interface PolicyState {
  move?: SessionMove;
}

/** Of calls at once that all move the session, one is through after each round. */
const MAX_ROUNDS = 8;

/**
 * Moves the session's state as the policies have it, and notes what they want to know again of the call. The move
 * compares and sets: where another call was faster, this one is judged again by what that one has left behind. So two
 * calls that were judged by the same state never both leave it.
 */
export function createPolicyStateCheck(deps: PolicyStateDeps): Check<PolicyState, 'policy-state'> {
  const { sessions } = deps;

  /** The verdict that the call ends with: of the last round in which it was judged again. */
  async function move(exchange: Parsed, first: JudgedCall, state: PolicyState): Promise<Verdict> {
    let judged = first;
    let verdict: Verdict = PASS;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const next = await nextMove(exchange, judged);
      if (next === 'trouble') return notEvaluated(exchange);
      if (next === undefined) return verdict;
      // Set before Redis is asked: a move whose reply is lost must be given back too.
      state.move = next;
      const result = await sessions.move(next);
      if (result === 'moved') return verdict;
      delete state.move;
      const again = result === 'conflict' ? await refreshed(exchange, judged) : undefined;
      if (again === undefined) return sessionEnded(exchange);
      judged = again;
      verdict = await deps.judge(exchange, judged);
      // In shadow mode a call goes on whatever is said of it, and then it moves the session.
      if (verdict.kind === 'deny' && !deps.shadowMode) return verdict;
    }
    return movedTooOften(exchange);
  }

  /** Undefined where the call leaves the session as it is. */
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

  /** The call in its session as that stands now; undefined where it has ended. */
  async function refreshed(exchange: Parsed, { set }: JudgedCall): Promise<JudgedCall | undefined> {
    const { session } = exchange.facts;
    if (session === undefined || session === null) return undefined;
    const fresh = await sessions.read(sessionName(exchange, session));
    if (fresh?.createdAt !== session.createdAt) return undefined;
    exchange.facts.session = fresh;
    const call = policyCallOf(exchange, deps.trust);
    if (call === undefined) return undefined;
    return (exchange.facts.judgedAgain = { set, call });
  }

  async function mark(exchange: Parsed, { set, call }: JudgedCall): Promise<Verdict> {
    const { session } = exchange.facts;
    if (session === undefined || session === null || !set.looksFor(call.input.request.method)) return PASS;
    const marks = await marksOf({ set, call });
    if (marks === undefined) return notEvaluated(exchange);
    const unknown = marks.filter((one) => !session.marks.includes(one));
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
    begin: () => ({}),
    async forwarding(exchange, state) {
      const { judged, session } = exchange.facts;
      // Without a session nothing is remembered.
      if (judged === undefined || session === undefined || session === null) return PASS;
      const moved = await move(exchange, judged, state);
      if (moved.kind === 'deny' && !deps.shadowMode) return moved;
      const marked = await mark(exchange, exchange.facts.judgedAgain ?? judged);
      return marked.kind === 'pass' || moved.kind === 'deny' ? moved : marked;
    },
    async end(_exchange, outcome, { move: made }) {
      if (made !== undefined && outcome.kind === 'not_forwarded') await sessions.moveBack(made);
    },
  };
}

function sessionName({ key }: Parsed, { id }: SessionFacts): SessionName {
  return { keyHash: key.keyHash, sessionId: id };
}

function sessionEnded(exchange: Parsed): Denial {
  return callDenied(exchange, 'the session ended while this call was judged: send it again', 'session_state');
}

function movedTooOften(exchange: Parsed): Denial {
  const reason =
    'other calls of the session move its state at the same time: send this one again, one after another';
  return callDenied(exchange, reason, 'session_state');
}

function stateFull(exchange: Parsed): Denial {
  const reason = 'the history of this session is full, and its policies need it: start a new session';
  return callDenied(exchange, reason, 'session_history');
}
