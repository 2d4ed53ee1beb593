import { NO_GRAMS, union, type GramSet } from '../../text/ngrams.ts';
import { MAX_RECENT_TURNS, MAX_WIDENED_GRAMS, type DriftState, type PassedTurn } from './drift.ts';
import type { DriftStore } from './store.ts';

const FRESH: Omit<DriftState, 'createdAt'> = {
  turnCount: 0,
  anchor: undefined,
  answer: NO_GRAMS,
  widened: NO_GRAMS,
  prior: NO_GRAMS,
  unjudged: [],
  recentDigests: [],
};

/** Beyond this, the session with the oldest last turn is evicted. */
const MAX_SESSIONS = 10_000;

export function createMemoryDriftStore(): DriftStore {
  const states = new Map<string, DriftState>();
  const nameOf = ({ keyHash, sessionId }: { keyHash: string; sessionId: string }): string =>
    `${keyHash}/${sessionId}`;
  return {
    read: (session) => Promise.resolve(states.get(nameOf(session))),
    isSame: (session, read) => Promise.resolve(states.get(nameOf(session)) === read),
    passTurn(session, turn, { answer = NO_GRAMS } = {}) {
      const { createdAt } = session;
      const known = states.get(nameOf(session));
      if (known !== undefined && known.createdAt > createdAt) return Promise.resolve(false);
      const next = passed(known?.createdAt === createdAt ? known : { ...FRESH, createdAt }, turn);
      const state = answered(next, turn.digest, answer);
      states.delete(nameOf(session));
      states.set(nameOf(session), state);
      if (states.size > MAX_SESSIONS) states.delete(states.keys().next().value ?? '');
      return Promise.resolve(state.anchor?.digest === turn.digest);
    },
    answerAnchor(session, digest, answer) {
      const state = states.get(nameOf(session));
      if (state !== undefined) states.set(nameOf(session), answered(state, digest, answer));
      return Promise.resolve();
    },
  };
}

/** Mirrors `answer-anchor.lua`. */
function answered(state: DriftState, digest: string, answer: GramSet): DriftState {
  const isKept = state.anchor?.digest === digest && answer.length > state.answer.length;
  return isKept ? { ...state, answer } : state;
}

/** Mirrors `pass-turn.lua`. */
function passed(state: DriftState, turn: PassedTurn): DriftState {
  const { digest, anchor, prior } = turn;
  if (state.recentDigests.includes(digest)) return state;
  const counted = {
    ...state,
    turnCount: state.turnCount + 1,
    recentDigests: [...state.recentDigests, digest].slice(-MAX_RECENT_TURNS),
  };
  if (anchor !== undefined) {
    return state.anchor === undefined
      ? { ...counted, anchor: { digest, grams: anchor }, prior: anchor }
      : counted;
  }
  return {
    ...counted,
    prior: prior ?? state.prior,
    unjudged: turn.unjudged ?? state.unjudged,
    widened: widened(state.widened, turn.widen ?? NO_GRAMS),
  };
}

function widened(before: GramSet, more: GramSet): GramSet {
  return before.length + more.length > MAX_WIDENED_GRAMS ? before : union(before, more);
}
