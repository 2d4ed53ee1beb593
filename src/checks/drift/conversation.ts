import type { DriftFacts } from '../../pipeline/facts.ts';
import { answerGrams, judgeTurn, type DriftSettings } from './drift.ts';
import { createMemoryDriftStore } from './memory-store.ts';

export interface Conversation {
  readonly turns: readonly string[];
  readonly replies: readonly (string | undefined)[];
}

/**
 * Returns a function that judges a conversation turn by turn, like the check. Denied turns and their replies are
 * dropped.
 */
export function createConversationJudge(
  settings: DriftSettings,
): (conversation: Conversation) => Promise<DriftFacts[]> {
  const session = { keyHash: 'offline', sessionId: 'offline', createdAt: 0 };
  return async ({ turns, replies }) => {
    const store = createMemoryDriftStore();
    const judged: DriftFacts[] = [];
    for (const [index, turn] of turns.entries()) {
      const { facts, passed } = judgeTurn(await store.read(session), turn, settings);
      judged.push(facts);
      if (facts.driftDetected) continue;
      const anchored = await store.passTurn(session, passed);
      const reply = replies[index];
      if (anchored && reply !== undefined) {
        await store.answerAnchor(session, passed.digest, answerGrams(reply));
      }
    }
    return judged;
  };
}
