import type { Taint } from '../checks/policy/judge.ts';
import type { SessionMove, SessionMoves } from '../checks/policy/state-check.ts';
import { createRetryQueue } from '../redis/retry-queue.ts';
import { REFUND_MS, type SessionStore } from '../checks/session/store.ts';
import { newOperationId } from '../operation-id.ts';
import type { Parsed } from '../pipeline/exchange.ts';
import type { RiskStore } from '../risk/store.ts';

export interface SessionMovesDeps {
  readonly store: Pick<SessionStore, 'peek' | 'moveState' | 'moveBack'>;
  /** Called when Redis has not undone a move; this is retried in the background. */
  readonly onFailure: (cause: unknown) => void;
}

export interface ClosableSessionMoves extends SessionMoves {
  /** Completes pending moves. Must be called before the Redis connection closes. */
  close(): Promise<void>;
}

export function createSessionMoves({ store, onFailure }: SessionMovesDeps): ClosableSessionMoves {
  const refunds = createRetryQueue<SessionMove>({
    attempt: ({ step, createdAt, from, to }) => store.moveBack(step, createdAt, { from, to }),
    onFailure,
    giveUpMs: REFUND_MS,
  });
  return {
    read: (name) => store.peek(name),
    async move({ step, createdAt, from, to }) {
      const { kind } = await store.moveState(step, createdAt, { from, to });
      return kind;
    },
    moveBack: (move) => refunds.give(move),
    close: () => refunds.close(),
  };
}

/**
 * Adds policy marks to the session of an exchange, if it has one. Returns false if the session cannot store more.
 * Policies that depend on marks must then deny.
 */
export function createMarkSession({ addMark }: Pick<SessionStore, 'addMark'>) {
  return async ({ key, facts }: Parsed, marks: readonly string[]): Promise<boolean> => {
    const sessionId = facts.session?.id;
    if (sessionId === undefined) return true;
    const step = { keyHash: key.keyHash, sessionId, operationId: newOperationId() };
    const noted = await Promise.all(marks.map((mark) => addMark(step, mark)));
    return !noted.includes('full');
  };
}

interface TaintSessionDeps {
  readonly record: RiskStore['record'];
  readonly addTaint: SessionStore['addTaint'];
}

/**
 * Adds taints to the session of an exchange and scores the new ones (docs/risk.md). Calls without a session score as
 * one session. Returns false if the session cannot store more.
 */
export function createTaintSession({ record, addTaint }: TaintSessionDeps) {
  return async ({ key, facts }: Parsed, flags: readonly Taint[]): Promise<boolean> => {
    const { keyHash } = key;
    const sessionId = facts.session?.id;
    for (const { flag, isUnscored } of flags) {
      if (sessionId !== undefined) {
        const noted = await addTaint({ keyHash, sessionId, operationId: newOperationId() }, flag);
        if (noted === 'full') return false;
      }
      if (isUnscored) continue;
      await record({ trigger: 'taint', keyHash, operationId: newOperationId(), flag, sessionId });
    }
    return true;
  };
}
