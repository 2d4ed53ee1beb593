import type { Batch } from '../../pipeline/batch.ts';
import type { SessionName } from '../../conversation/session-name.ts';
import type { GramSet } from '../../text/ngrams.ts';
import type { DriftState, PassedTurn } from './drift.ts';

/** One session, as distinct from ended ones with the same name. */
export interface SessionLife extends SessionName {
  readonly createdAt: number;
}

export interface PassTurnOptions {
  /** The turn's answer; stored, as by `answerAnchor`, if the turn is the anchor. */
  readonly answer?: GramSet | undefined;
  readonly batch?: Batch | undefined;
}

/** Stores topics of sessions. Changes are atomic and safe to repeat. */
export interface DriftStore {
  /** Undefined without a turn within `session.ttl`. May belong to an earlier session: compare `createdAt`. */
  read(session: SessionName): Promise<DriftState | undefined>;
  /** Returns false and skips the rest of the batch if the topic has changed since it was read. */
  isSame(session: SessionName, read: DriftState | undefined, batch?: Batch): Promise<boolean>;
  /**
   * Counts a turn that passed, unless it equals a recent one, and stores its changes. Removes state of an older
   * session; a turn of an older session changes nothing. Resolves to true if the turn is the anchor of the session.
   */
  passTurn(session: SessionLife, turn: PassedTurn, options?: PassTurnOptions): Promise<boolean>;
  /**
   * Stores an answer to the anchor with this digest. If there are several answers, the one with the most n-grams is
   * kept.
   */
  answerAnchor(session: SessionName, digest: string, answer: GramSet): Promise<void>;
}
