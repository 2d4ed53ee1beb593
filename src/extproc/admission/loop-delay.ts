const TICK_MS = 50;
/** Shorter delays are normal. */
const LATE_MS = 50;
/** How long a delay stays current: requests that waited because of it are still being served. */
const HOLD_MS = 500;

/** Monotonic milliseconds. */
export interface LoopClocks {
  now(): number;
  /** Time that the event loop has not spent waiting for events. */
  activeMs(): number;
}

export const LOOP_CLOCKS: LoopClocks = {
  now: () => performance.now(),
  activeMs: () => performance.eventLoopUtilization().active,
};

/** Measures how late an event loop runs, and how long it was busy. Without CPU time, a loop is late but not busy. */
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

  /** Must be called every `TICK_MS`, as far as the event loop allows. */
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

  /** Returns the longest recent delay, including one still in progress; 0 if the loop is on time. */
  get currentMs(): number {
    const now = this.#clocks.now();
    const recentMs = now - this.#worstAt < HOLD_MS ? this.#worstMs : 0;
    const worstMs = Math.max(now - this.#dueAt, recentMs);
    return worstMs < LATE_MS ? 0 : worstMs;
  }

  get busyMs(): number {
    const overdueMs = this.#clocks.now() - this.#dueAt;
    return this.#busyMs + (overdueMs < LATE_MS ? 0 : overdueMs);
  }
}

export function keepTicking(delay: LoopDelay): () => void {
  const timer = setInterval(() => delay.tick(), TICK_MS).unref();
  return () => clearInterval(timer);
}
