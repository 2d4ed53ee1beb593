import type { EngineThread } from './engine-thread.ts';

/** An engine started in advance: calls need not wait for a start. */
export class SpareEngine {
  readonly #start: () => Promise<EngineThread>;
  #ahead: Promise<EngineThread> | undefined;
  #isClosed = false;

  constructor(start: () => Promise<EngineThread>) {
    this.#start = start;
    this.#startAhead();
  }

  /** Returns the spare engine, or a new one if the spare could not start. Then starts the next spare. */
  async take(): Promise<EngineThread> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    try {
      return (await ahead?.catch(() => undefined)) ?? (await this.#start());
    } finally {
      // Not earlier: two concurrent starts would delay the engine that calls are waiting for.
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
