import type { DriftFacts } from '../pipeline/facts.ts';
import type { ConversationRow } from './rows.ts';

export interface ConversationReport {
  readonly id: string | number;
  readonly turns: readonly TurnReport[];
}

/** Field names as in `input.session.drift` (docs/policies.md), except `denied`. */
interface TurnReport {
  readonly turn_count: number;
  readonly drift_score: number;
  readonly anchor_similarity: number;
  readonly prior_similarity: number;
  readonly denied: boolean;
}

/** Judges the turns of a conversation in order, as the drift check does. */
export type JudgeConversation = (
  conversation: Pick<ConversationRow, 'turns' | 'replies'>,
) => Promise<readonly DriftFacts[]>;

export function createConversationScan(
  judge: JudgeConversation,
): (row: ConversationRow) => Promise<ConversationReport> {
  return async ({ id, turns, replies }) => ({ id, turns: (await judge({ turns, replies })).map(turnReport) });
}

function turnReport(facts: DriftFacts): TurnReport {
  return {
    turn_count: facts.turnCount,
    drift_score: facts.driftScore,
    anchor_similarity: facts.anchorSimilarity,
    prior_similarity: facts.priorSimilarity,
    denied: facts.driftDetected,
  };
}
