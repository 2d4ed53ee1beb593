const TICK_MS = 50;
/** Smaller delays are the usual turns of an event loop. */
const LATE_MS = 50;
/** A delay counts as current for this long, since requests that waited with it are still being served. */
const HOLD_MS = 500;

/** Milliseconds of clocks that do not go back. */
export interface LoopClocks {
  now(): number;
  /** Time in which the event loop did not wait for events. */
  activeMs(): number;
}

export const LOOP_CLOCKS: LoopClocks = {
  now: () => performance.now(),
  activeMs: () => performance.eventLoopUtilization().active,
};

/**
 * Measures how late an event loop runs, by a timer that fires too late, and how long it was busy. A process without CPU
 * time may be late without being busy.
 */
export class LoopDelay {
  readonly #clocks: LoopClocks;
  #dueAt: number;
  #activeMs: number;
  #busyMs = 0;
  #worstMs = 0;
  #worstAt = -Infinity;

  constructor(clocks: LoopClocks) {
    this.#clocks = clocks;
    this.#dueAt = clocks.now() + TICK_MS;
    this.#activeMs = clocks.activeMs();
  }

  /** Called every `TICK_MS`, as far as the event loop allows. */
  tick(): void {
    const now = this.#clocks.now();
    const activeMs = this.#clocks.activeMs();
    const lateMs = now - this.#dueAt;
    this.#busyMs += Math.max(activeMs - this.#activeMs, lateMs < LATE_MS ? 0 : lateMs);
    this.#activeMs = activeMs;
    this.#dueAt = now + TICK_MS;
    if (lateMs < this.#worstMs && now - this.#worstAt < HOLD_MS) return;
    this.#worstMs = lateMs;
    this.#worstAt = now;
  }

  /** Returns the longest recent delay, one that still lasts included; 0 if the loop runs on time. */
  get currentMs(): number {
    const now = this.#clocks.now();
    const recentMs = now - this.#worstAt < HOLD_MS ? this.#worstMs : 0;
    const worstMs = Math.max(now - this.#dueAt, recentMs);
    return worstMs < LATE_MS ? 0 : worstMs;
  }

  /** Returns the time in which the loop was busy or late so far, up to the last tick or a delay that still lasts. */
  get busyMs(): number {
    const overdueMs = this.#clocks.now() - this.#dueAt;
    return this.#busyMs + (overdueMs < LATE_MS ? 0 : overdueMs);
  }
}

/** Ticks until the returned function is called; keeps no process alive. */
export function keepTicking(delay: LoopDelay): () => void {
  const timer = setInterval(() => delay.tick(), TICK_MS).unref();
  return () => clearInterval(timer);
}
