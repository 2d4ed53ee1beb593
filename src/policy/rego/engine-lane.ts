import type { EngineThread } from './engine-thread.ts';
import { RegoEvaluationError } from './rego-error.ts';

export interface LaneCall extends Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'> {
  readonly input: string;
}

export interface LaneDeps<Call extends LaneCall> {
  readonly start: () => Promise<EngineThread>;
  readonly next: () => Call | undefined;
  readonly onJudged: (call: Call, tookMs: number, brokeEngine: boolean) => void;
  readonly onReplaced: (cause: unknown) => void;
  readonly onRest: () => void;
  /** Whether to replace a broken engine before its thread has ended, which takes seconds. Both use memory meanwhile. */
  readonly replacesAtOnce?: boolean;
  /** Idle time before the engine is stopped. Default: it is never stopped. */
  readonly idleMs?: number;
}

/** One engine that judges calls in sequence, and is replaced when it breaks. */
export class EngineLane<Call extends LaneCall> {
  readonly #deps: LaneDeps<Call>;
  #ready: Promise<EngineThread> | undefined;
  #ending: Promise<void> = Promise.resolve();
  #running = false;
  #closed = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(deps: LaneDeps<Call>, ready?: EngineThread) {
    this.#deps = deps;
    if (ready !== undefined) this.#ready = Promise.resolve(ready);
  }

  /** Judges waiting calls. A call that breaks the engine is refused; the other calls wait for the next engine. */
  async work(): Promise<void> {
    if (this.#running || this.#closed) return;
    this.#running = true;
    clearTimeout(this.#idle);
    let call = await this.#afterStart();
    while (call !== undefined) {
      const { next, thread } = call;
      if (thread === undefined) next.reject(restarting());
      else await this.#judge(thread, next);
      call = await this.#afterStart();
    }
    this.#running = false;
    this.#rest();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#end(), this.#ending]);
  }

  /** Takes the next call once an engine is ready or cannot be started. Until then, calls may time out. */
  async #afterStart(): Promise<{ next: Call; thread: EngineThread | undefined } | undefined> {
    const thread = await this.#engine().catch(() => undefined);
    if (thread === undefined) this.#ready = undefined;
    const next = this.#closed ? undefined : this.#deps.next();
    return next && { next, thread };
  }

  #engine(): Promise<EngineThread> {
    if (this.#ready === undefined) {
      this.#ready = this.#deps.start();
      this.#ready.catch((failed: unknown) => this.#deps.onReplaced(failed));
    }
    return this.#ready;
  }

  async #judge(thread: EngineThread, call: Call): Promise<void> {
    const startedAt = performance.now();
    const tookMs = (): number => performance.now() - startedAt;
    try {
      const decision = await thread.evaluate(call.input);
      this.#deps.onJudged(call, tookMs(), false);
      call.resolve(decision);
    } catch (cause) {
      const isBroken = !(cause instanceof RegoEvaluationError && cause.trouble === 'failed');
      this.#deps.onJudged(call, tookMs(), isBroken);
      call.reject(cause);
      if (isBroken && !this.#closed) await this.#replace(thread, cause);
    }
  }

  async #replace(thread: EngineThread, cause: unknown): Promise<void> {
    this.#ready = undefined;
    // At most one broken engine may exist next to the new one.
    await this.#ending;
    this.#ending = thread.end();
    if (this.#deps.replacesAtOnce !== true) await this.#ending;
    this.#deps.onReplaced(cause);
    // Starts early, because the next call may not be able to wait long.
    if (!this.#closed) this.#engine().catch(() => undefined);
  }

  #rest(): void {
    const { idleMs, onRest } = this.#deps;
    if (this.#closed) return;
    onRest();
    if (idleMs === undefined || this.#running) return;
    this.#idle = setTimeout(() => void this.#end(), idleMs).unref();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const ready = this.#ready;
    this.#ready = undefined;
    await ready?.then(
      (thread) => thread.end(),
      () => undefined,
    );
  }
}

function restarting(): RegoEvaluationError {
  return new RegoEvaluationError('busy', 'the policy engine is restarting');
}

/** An engine started in advance, so that calls need not wait for a start. */
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
      // Not earlier, because two concurrent starts would delay the engine that calls are waiting for.
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
    // `take` retries and reports its own failure.
    this.#ahead.catch(() => undefined);
  }
}
