import type { SessionName } from '../../pipeline/session-turn.ts';
import type { GramSet } from '../../text/ngrams.ts';
import type { DriftState, PassedTurn } from './drift.ts';

/** What is remembered of sessions' topics. Each step is atomic, and repeating one changes nothing. */
export interface DriftStore {
  /** Undefined where the session has had no turn, or was idle for longer than `session.ttl`. */
  read(session: SessionName): Promise<DriftState | undefined>;
  /**
   * Counts a turn that passed, unless one of the last turns was the same, and keeps what it changes. Resolves to
   * true where the turn is the session's anchor, now or already.
   */
  passTurn(session: SessionName, turn: PassedTurn): Promise<boolean>;
  /**
   * Adds the anchor's answer to the anchor named by its digest. An agent's first turn has several answers, most of
   * them tool calls: the one with the most n-grams stays.
   */
  answerAnchor(session: SessionName, digest: string, answer: GramSet): Promise<void>;
}
