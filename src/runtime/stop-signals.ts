/** One Ctrl-C may arrive twice, from the terminal and from npm. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Calls `onFirst` on the first SIGTERM or SIGINT, and `onSecond` on each one more than `SAME_SIGNAL_MS` later.
 * @returns a function that removes the listeners
 */
export function onStopSignals(onFirst: (signal: NodeJS.Signals) => void, onSecond: () => void): () => void {
  let firstAt: number | undefined;
  function handle(signal: NodeJS.Signals): void {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      onFirst(signal);
    } else if (now - firstAt > SAME_SIGNAL_MS) {
      onSecond();
    }
  }
  process.on('SIGTERM', handle);
  process.on('SIGINT', handle);
  return () => {
    process.off('SIGTERM', handle);
    process.off('SIGINT', handle);
  };
}
