import type { SessionMove, SessionMoves } from './policy/state-check.ts';
import { createRefundQueue } from './session/refund-queue.ts';
import type { SessionStore } from './session/store.ts';

export interface SessionMovesDeps {
  readonly store: Pick<SessionStore, 'peek' | 'moveState' | 'moveBack'>;
  /** Redis did not take a move back, which is repeated in the background. */
  readonly onFailure: (cause: unknown) => void;
}

export interface ClosableSessionMoves extends SessionMoves {
  /** Makes good what is still to be given back, before the Redis connection goes. */
  close(): Promise<void>;
}

/** What policies move in sessions. */
export function createSessionMoves({ store, onFailure }: SessionMovesDeps): ClosableSessionMoves {
  const returns = createRefundQueue<SessionMove>({
    giveBack: ({ step, createdAt, from, to }) => store.moveBack(step, createdAt, { from, to }),
    onFailure,
  });
  return {
    read: (name) => store.peek(name),
    async move({ step, createdAt, from, to }) {
      const { kind } = await store.moveState(step, createdAt, { from, to });
      return kind;
    },
    moveBack: (move) => returns.giveBack(move),
    close: () => returns.close(),
  };
}
