import { Worker, type ResourceLimits } from 'node:worker_threads';
import type { TraceFinding } from './finding.ts';
import type { AskedStep, Ended, TraceJudge } from './judge.ts';
import type { Config } from '../config/schema.ts';
import type { PolicyFiles } from '../policy/policy-files.ts';

/** What a thread that judges is started with. */
export interface JudgeThreadData {
  readonly config: Config;
  readonly files: PolicyFiles | undefined;
}

/** Some steps, in order; or that no other comes. */
export type JudgeRequest = readonly AskedStep[] | 'end';

/** One for each request, in their order; the findings of each step that was asked for. */
export type JudgeReply = readonly (readonly TraceFinding[])[] | Ended;

/** Steps of one message: each message is a turn of two event loops. */
const STEPS_OF_MESSAGE = 64;
/**
 * Of the thread's heap. The bound is far above what is held (elements have 16 MiB): V8 lets a heap grow the less before it
 * collects, the smaller its bound is.
 */
const LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 };

/**
 * A judge in a thread of its own.
 *
 * @param file the thread's code, which speaks as thread-messages.ts has it
 */
export function createThreadJudge(
  file: URL,
  data: JudgeThreadData,
  resourceLimits: ResourceLimits = LIMITS,
): TraceJudge {
  const worker = new Worker(file, {
    workerData: data,
    env: {},
    resourceLimits,
  });
  const asked: PromiseWithResolvers<readonly TraceFinding[]>[] = [];
  const ended = Promise.withResolvers<Ended>();
  // Whoever gives up before the end does not ask.
  ended.promise.catch(() => undefined);
  let unsent: AskedStep[] = [];
  let failure: Error | undefined;

  function send(): void {
    if (unsent.length > 0) post(unsent);
    unsent = [];
  }

  function post(request: JudgeRequest): void {
    if (failure !== undefined) return;
    try {
      worker.postMessage(request);
    } catch (cause) {
      broken(cause);
    }
  }

  function hear(reply: JudgeReply): void {
    if ('counts' in reply) ended.resolve(reply);
    else for (const findings of reply) asked.shift()?.resolve(findings);
  }

  function broken(cause?: unknown): void {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    failure ??= new Error(`a thread that judged the trace broke off${why}`, { cause });
    for (const one of asked.splice(0)) one.reject(failure);
    ended.reject(failure);
  }

  worker.on('message', hear).on('error', broken).on('messageerror', broken);
  worker.on('exit', () => broken());
  return {
    step(one) {
      if (failure !== undefined) return Promise.reject(failure);
      const answer = Promise.withResolvers<readonly TraceFinding[]>();
      asked.push(answer);
      if (unsent.length === 0) setImmediate(send);
      if (unsent.push(one) >= STEPS_OF_MESSAGE) send();
      return answer.promise;
    },
    end() {
      send();
      post('end');
      return ended.promise;
    },
    async close() {
      await worker.terminate();
    },
  };
}
