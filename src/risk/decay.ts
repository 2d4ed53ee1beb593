/** Loss of score in a time without triggers (docs/risk.md). */
export const DECAY = { points: 5, everyMs: 86_400_000 } as const;

export const MAX_SCORE = 100;

/** Returns a score as of `nowMs`. A score without a time, or with a future one, has not decayed. */
export function decayedScore(score: number, scoredAt: number | undefined, nowMs: number): number {
  const cleanMs = scoredAt === undefined ? 0 : Math.max(0, nowMs - scoredAt);
  const decayed = score - Math.floor(cleanMs / DECAY.everyMs) * DECAY.points;
  return Math.min(Math.max(decayed, 0), MAX_SCORE);
}
