import { threadCpuMs } from '../cpu-time.ts';

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
