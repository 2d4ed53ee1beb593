import { count, flag, listOf, text, tupleOf, wholeNumberFrom } from '../../redis/reply.ts';
import { UNANSWERED_LIFE_MS } from '../../conversation/session-name.ts';
import { MAX_STATE_CHARS, type Session, type StateMove } from './store.ts';

/** -1 means no limit. */
const limit = wholeNumberFrom(-1);
const names = listOf(text);

/** Created, used, steps, maximum steps, budget, answered, kept, state, taints, tools, marks (notes.lua). */
export const sessionReply = tupleOf(count, count, count, limit, limit, flag, flag, text, names, names, names);
export type SessionFields = ReturnType<typeof sessionReply>;

export function readSession(
  id: string,
  [createdAt, lastUsedAt, steps, maxSteps, budget, answered, kept, state, ...notes]: SessionFields,
  spent: number,
  ttlMs: number,
): Session {
  const [taintFlags, toolsCalled, marks] = notes;
  return {
    id,
    createdAt,
    lastUsedAt,
    state: state === '' ? undefined : state,
    steps,
    maxSteps: maxSteps < 0 ? undefined : maxSteps,
    budgetNanoUsd: budget < 0 ? undefined : budget,
    spendNanoUsd: count(spent),
    taintFlags,
    toolsCalled,
    marks,
    kept: kept === 1,
    answered: answered === 1,
    lifeMs: lifeMs(answered === 1, ttlMs),
  };
}

export function freshSession(id: string, ttlMs: number): Session {
  return readSession(id, [0, 0, 0, -1, -1, 0, 0, '', [], [], []], 0, ttlMs);
}

/** Mirrors life.lua. */
export function lifeMs(answered: boolean, ttlMs: number): number {
  return answered ? ttlMs : Math.min(ttlMs, UNANSWERED_LIFE_MS);
}

/** Returns state names for the scripts; an empty string means no state. Throws RangeError. */
export function stateNames({ from, to }: StateMove): readonly [string, string] {
  for (const state of from === undefined ? [to] : [from, to]) {
    if (state === '' || state.length > MAX_STATE_CHARS) {
      throw new RangeError(`a state name must have 1 to ${String(MAX_STATE_CHARS)} characters`);
    }
  }
  return [from ?? '', to];
}
