import type { Batch } from '../../pipeline/batch.ts';
import type { SessionName } from '../../conversation/session-name.ts';
import type { GramSet } from '../../text/ngrams.ts';
import type { DriftState, PassedTurn } from './drift.ts';

/** One session, distinct from ended ones of the same name. */
export interface SessionLife extends SessionName {
  /** Unix ms. */
  readonly createdAt: number;
}

export interface PassTurnOptions {
  /** The turn's answer. Kept as by `answerAnchor` if the turn is the anchor. */
  readonly answer?: GramSet | undefined;
  readonly batch?: Batch | undefined;
}

/** Stored topics of sessions. Each step is atomic and safe to repeat. */
export interface DriftStore {
  /**
   * Returns undefined if no session of this name has had a turn within `session.ttl`. `createdAt` shows
   * whether it is the same session.
   */
  read(session: SessionName): Promise<DriftState | undefined>;
  /**
   * Returns false if the session's topic has changed since it was read; then the rest of the batch is
   * skipped.
   */
  isSame(session: SessionName, read: DriftState | undefined, batch?: Batch): Promise<boolean>;
  /**
   * Counts a turn that passed, unless it equals one of the last turns, and stores its changes. Remains of an
   * older session are dropped, and a turn of one changes nothing in a newer one. Resolves to true if the turn
   * is the session's anchor.
   */
  passTurn(session: SessionLife, turn: PassedTurn, options?: PassTurnOptions): Promise<boolean>;
  /**
   * Adds the anchor's answer to the anchor with this digest. An agent's first turn has several answers,
   * mostly tool calls; the one with the most n-grams is kept.
   */
  answerAnchor(session: SessionName, digest: string, answer: GramSet): Promise<void>;
}
