import { startEngineThread, type EngineThread, type ThreadLimits } from './engine-thread.ts';
import { RegoEvaluationError } from './rego-error.ts';
import type { RegoFacts, RegoFile } from './thread-messages.ts';

export interface RegoEngineOptions extends ThreadLimits {
  /** Inputs that may wait; one more is refused as `busy`. */
  readonly maxWaiting: number;
  /** How long an input may wait for its turn, a new engine's start included. */
  readonly waitMs: number;
  /** Told when an engine had to be replaced, and when that failed. */
  readonly onReplaced?: (cause: unknown) => void;
}

/** A compiled set of Rego files on an engine that is replaced when it breaks. The set itself never changes. */
export interface RegoEngine {
  readonly facts: RegoFacts;
  /**
   * What `data.gateway.policy` is for an input (JSON); undefined where the package says nothing.
   *
   * @throws RegoEvaluationError where it could not be judged
   */
  evaluate(input: string): Promise<unknown>;
  /** Inputs that still wait are refused as `closed`. */
  close(): Promise<void>;
}

interface WaitingCall extends PromiseWithResolvers<unknown> {
  readonly input: string;
  readonly late: NodeJS.Timeout;
}

/** @throws RegoFilesError | RegoEvaluationError as startEngineThread does */
export async function startRegoEngine(
  files: readonly RegoFile[],
  options: RegoEngineOptions,
): Promise<RegoEngine> {
  const first = await startEngineThread(files, options);
  const queue: WaitingCall[] = [];
  let ready: Promise<EngineThread> = Promise.resolve(first);
  let running = false;
  let closed = false;

  /** Judges what waits, one after the other; what breaks the engine is refused, and the rest waits for the next. */
  async function work(): Promise<void> {
    if (running) return;
    running = true;
    while (queue.length > 0) {
      const thread = await ready.catch(() => undefined);
      const next = queue.shift();
      if (next === undefined) break;
      clearTimeout(next.late);
      if (closed) next.reject(outOfUse());
      else if (thread === undefined) next.reject(startAgain(undefined));
      else await judge(thread, next);
    }
    running = false;
  }

  async function judge(thread: EngineThread, waiting: WaitingCall): Promise<void> {
    try {
      waiting.resolve(await thread.evaluate(waiting.input));
    } catch (cause) {
      waiting.reject(cause);
      if (closed || (cause instanceof RegoEvaluationError && cause.trouble === 'failed')) return;
      await thread.end();
      startAgain(cause);
    }
  }

  /** The error of those who find no engine meanwhile. */
  function startAgain(cause: unknown): RegoEvaluationError {
    if (cause !== undefined) options.onReplaced?.(cause);
    ready = startEngineThread(files, options);
    ready.catch((failed: unknown) => options.onReplaced?.(failed));
    return new RegoEvaluationError('died', 'the policy engine is being started again');
  }

  function enqueue(input: string): Promise<unknown> {
    const entry = Promise.withResolvers<unknown>();
    const late = setTimeout(() => {
      const index = queue.findIndex(({ promise }) => promise === entry.promise);
      if (index === -1) return;
      queue.splice(index, 1);
      entry.reject(new RegoEvaluationError('busy', 'the policies were not reached in time'));
    }, options.waitMs);
    queue.push({ ...entry, input, late });
    void work();
    return entry.promise;
  }

  return {
    facts: first.facts,
    async evaluate(input) {
      if (closed) throw outOfUse();
      if (queue.length >= options.maxWaiting) {
        throw new RegoEvaluationError('busy', 'too many requests wait for the policies');
      }
      return enqueue(input);
    },
    async close() {
      closed = true;
      for (const waiting of queue.splice(0)) {
        clearTimeout(waiting.late);
        waiting.reject(outOfUse());
      }
      await ready.then(
        (thread) => thread.end(),
        () => undefined,
      );
    },
  };
}

function outOfUse(): RegoEvaluationError {
  return new RegoEvaluationError('closed', 'the policy set was taken out of use');
}
