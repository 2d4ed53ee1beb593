import type { Phase } from '../../pipeline/phase.ts';
import type { SessionName } from '../../conversation/session-turn.ts';
import type { GramSet } from '../../text/ngrams.ts';
import type { DriftState, PassedTurn } from './drift.ts';

/** One session; an ended one of the same name is another. */
export interface SessionLife extends SessionName {
  /** Unix ms. */
  readonly createdAt: number;
}

/** What is remembered of sessions' topics. Each step is atomic, and repeating one changes nothing. */
export interface DriftStore {
  /**
   * Undefined where no session of this name has had a turn, or it was idle for longer than `session.ttl`. Its
   * `createdAt` tells whether it is still the same session.
   */
  read(session: SessionName): Promise<DriftState | undefined>;
  /** False where the session's topic is not as it was read any more; nothing else of the phase is done then. */
  isSame(session: SessionName, read: DriftState | undefined, phase?: Phase): Promise<boolean>;
  /**
   * Counts a turn that passed, unless one of the last turns was the same, and keeps what it changes; what is left
   * of an older session goes, and a turn of one changes nothing in a newer one. Resolves to true where the turn is
   * the session's anchor, now or already.
   */
  passTurn(session: SessionLife, turn: PassedTurn, phase?: Phase): Promise<boolean>;
  /**
   * Adds the anchor's answer to the anchor named by its digest. An agent's first turn has several answers, most of
   * them tool calls: the one with the most n-grams stays.
   */
  answerAnchor(session: SessionName, digest: string, answer: GramSet): Promise<void>;
}
