import type { Batch } from '../../pipeline/batch.ts';
import type { SessionName } from '../../conversation/session-name.ts';
import type { GramSet } from '../../text/ngrams.ts';
import type { DriftState, PassedTurn } from './drift.ts';

/** One of the successive sessions with the same name. */
export interface SessionLife extends SessionName {
  readonly createdAt: number;
}

export interface PassTurnOptions {
  /** The turn's answer. If the turn is the anchor, `passTurn` stores the answer like `answerAnchor`. */
  readonly answer?: GramSet | undefined;
  readonly batch?: Batch | undefined;
}

/** Stores session topics. Changes are atomic and may be repeated. */
export interface DriftStore {
  /** Resolves to undefined without a recent turn. May return an earlier session's state: compare `createdAt`. */
  read(session: SessionName): Promise<DriftState | undefined>;
  /** Returns false and skips the rest of the batch if the topic has changed since it was read. */
  isSame(session: SessionName, read: DriftState | undefined, batch?: Batch): Promise<boolean>;
  /**
   * Counts a turn that passed, unless it equals a recent one, and stores its changes. Replaces an older session's
   * state; a turn of an older session has no effect. Resolves to true if the turn is the session's anchor.
   */
  passTurn(session: SessionLife, turn: PassedTurn, options?: PassTurnOptions): Promise<boolean>;
  /** Stores an answer to the anchor with this digest. Of several, the one with the most n-grams is kept. */
  answerAnchor(session: SessionName, digest: string, answer: GramSet): Promise<void>;
}
