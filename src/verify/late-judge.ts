import type { Finding } from './finding.ts';
import type { Asked, Judge } from './judge.ts';

export interface LateJudgeOptions {
  /** Judges a trace that is soon over. */
  readonly small: () => Promise<Judge>;
  /** Takes a while to start. */
  readonly large: () => Promise<Judge>;
  /** So many steps are worth it. */
  readonly largeSteps: number;
  /** The first step waits no longer for the others. */
  readonly waitMs: number;
}

interface Waiting {
  readonly asked: Asked;
  readonly answer: PromiseWithResolvers<readonly Finding[]>;
}

/** Holds its first steps until it is known which judge is worth it. */
export function createLateJudge({ small, large, largeSteps, waitMs }: LateJudgeOptions): Judge {
  const waiting: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;
  let chosen: Promise<Judge> | undefined;

  function choose(create: () => Promise<Judge>): Promise<Judge> {
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
      const answer = Promise.withResolvers<readonly Finding[]>();
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
