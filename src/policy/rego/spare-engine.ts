import type { EngineThread } from './engine-thread.ts';

/** An engine started ahead, so that calls need not wait for its start. */
export class SpareEngine {
  readonly #start: () => Promise<EngineThread>;
  #ahead: Promise<EngineThread> | undefined;
  #isClosed = false;

  constructor(start: () => Promise<EngineThread>) {
    this.#start = start;
    this.#startAhead();
  }

  /** Returns the spare engine, or a new one if it could not start; then starts the next spare. */
  async take(): Promise<EngineThread> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    try {
      return (await ahead?.catch(() => undefined)) ?? (await this.#start());
    } finally {
      // Not earlier: two simultaneous starts would delay the engine that calls wait for.
      this.#startAhead();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#ahead?.then(
      (thread) => thread.end(),
      () => undefined,
    );
  }

  #startAhead(): void {
    if (this.#isClosed) return;
    this.#ahead ??= this.#start();
    // `take` tries again and reports its own failure.
    this.#ahead.catch(() => undefined);
  }
}
