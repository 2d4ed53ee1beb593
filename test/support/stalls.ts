const TICK_MS = 500;
/** A run's own process is idle, so only a machine without CPU time or memory can delay it this long. */
const STALL_MS = 3_000;

/**
 * Watches from now on for times in which this machine gave an idle process no CPU; returns a function that lists them.
 * Tests that wait for processes fail at such times.
 */
export function watchStalls(): () => readonly string[] {
  const stalls: string[] = [];
  const started = performance.now();
  let last = started;
  setInterval(() => {
    const now = performance.now();
    const lateMs = now - last - TICK_MS;
    if (lateMs > STALL_MS) {
      const [at, lasted] = [last - started, lateMs].map((ms) => (ms / 1_000).toFixed(1));
      stalls.push(`[${String(at)} s] this machine stood still for ${String(lasted)} s`);
    }
    last = now;
  }, TICK_MS).unref();
  return () => stalls;
}
