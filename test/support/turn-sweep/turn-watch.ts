import { setImmediate as nextImmediate } from 'node:timers/promises';
import { slowness, threadCpuMs } from '../cpu-time.ts';

/** Watches how much CPU of this thread each turn of the event loop takes. */
export interface TurnWatch {
  /** The longest turn since the last call, in milliseconds. */
  readonly longestMs: () => number;
  stop(): void;
}

export function watchTurns(): TurnWatch {
  let longestMs = 0;
  let beforeMs = threadCpuMs();
  let immediate = setImmediate(look);

  function look(): void {
    const nowMs = threadCpuMs();
    longestMs = Math.max(longestMs, nowMs - beforeMs);
    beforeMs = nowMs;
    immediate = setImmediate(look);
  }

  return {
    longestMs() {
      const longest = longestMs;
      longestMs = 0;
      beforeMs = threadCpuMs();
      return longest;
    },
    stop: () => clearImmediate(immediate),
  };
}

/** Returns the CPU time of the longest turn during `work`, in milliseconds of the reference. */
export async function longestTurnMs(work: () => unknown): Promise<number> {
  const watch = watchTurns();
  await work();
  // The watch also sees the last turn.
  await nextImmediate();
  const longest = watch.longestMs();
  watch.stop();
  return longest / slowness();
}
