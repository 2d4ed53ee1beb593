import type { TraceFinding } from './finding.ts';
import type { QueuedStep, TraceJudge } from './judge.ts';

export interface LateJudgeOptions {
  readonly small: () => Promise<TraceJudge>;
  /** A judge that takes longer to start. */
  readonly large: () => Promise<TraceJudge>;
  /** Number of steps from which the large judge is worth its start. */
  readonly largeSteps: number;
  /** Maximum wait of the first step. */
  readonly waitMs: number;
}

interface HeldStep {
  readonly queued: QueuedStep;
  readonly answer: PromiseWithResolvers<readonly TraceFinding[]>;
}

/** Holds back the first steps until the length of the trace decides which judge to start. */
export function createLateJudge({ small, large, largeSteps, waitMs }: LateJudgeOptions): TraceJudge {
  const waiting: HeldStep[] = [];
  let timer: NodeJS.Timeout | undefined;
  let chosen: Promise<TraceJudge> | undefined;

  function choose(create: () => Promise<TraceJudge>): Promise<TraceJudge> {
    clearTimeout(timer);
    if (chosen !== undefined) return chosen;
    const choice = (chosen = create());
    for (const { queued, answer } of waiting.splice(0)) {
      answer.resolve(choice.then((judge) => judge.step(queued)));
    }
    return choice;
  }

  return {
    step(queued) {
      if (chosen !== undefined) return chosen.then((judge) => judge.step(queued));
      const answer = Promise.withResolvers<readonly TraceFinding[]>();
      timer ??= setTimeout(() => void choose(large), waitMs);
      if (waiting.push({ queued, answer }) >= largeSteps) void choose(large);
      return answer.promise;
    },
    end: async () => (await choose(small)).end(),
    async close() {
      clearTimeout(timer);
      await (await chosen)?.close();
    },
  };
}
