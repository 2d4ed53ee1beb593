import type { TraceFinding } from './finding.ts';
import type { AskedStep, TraceJudge } from './judge.ts';

export interface LateJudgeOptions {
  /** Judges a trace that is soon over. */
  readonly small: () => Promise<TraceJudge>;
  /** Takes a while to start. */
  readonly large: () => Promise<TraceJudge>;
  /** So many steps are worth it. */
  readonly largeSteps: number;
  /** The first step waits no longer for the others. */
  readonly waitMs: number;
}

interface HeldStep {
  readonly asked: AskedStep;
  readonly answer: PromiseWithResolvers<readonly TraceFinding[]>;
}

/** Holds its first steps until it is known which judge is worth it. */
export function createLateJudge({ small, large, largeSteps, waitMs }: LateJudgeOptions): TraceJudge {
  const waiting: HeldStep[] = [];
  let timer: NodeJS.Timeout | undefined;
  let chosen: Promise<TraceJudge> | undefined;

  function choose(create: () => Promise<TraceJudge>): Promise<TraceJudge> {
    clearTimeout(timer);
    if (chosen !== undefined) return chosen;
    const choice = (chosen = create());
    for (const { asked, answer } of waiting.splice(0)) {
      answer.resolve(choice.then((judge) => judge.step(asked)));
    }
    return choice;
  }

  return {
    step(asked) {
      if (chosen !== undefined) return chosen.then((judge) => judge.step(asked));
      const answer = Promise.withResolvers<readonly TraceFinding[]>();
      timer ??= setTimeout(() => void choose(large), waitMs);
      if (waiting.push({ asked, answer }) >= largeSteps) void choose(large);
      return answer.promise;
    },
    end: async () => (await choose(small)).end(),
    async close() {
      clearTimeout(timer);
      await (await chosen)?.close();
    },
  };
}
