import { Worker, type ResourceLimits } from 'node:worker_threads';
import type { TraceFinding } from './finding.ts';
import type { QueuedStep, FinalResults, TraceJudge } from './judge.ts';
import type { Config } from '../config/schema.ts';
import type { PolicyFiles } from '../policy/policy-files.ts';

export interface JudgeThreadData {
  readonly config: Config;
  readonly files: PolicyFiles | undefined;
}

/** Steps in order; `end` after the last one. */
export type JudgeRequest = readonly QueuedStep[] | 'end';

/** Reply to a request: findings of each step, or the final results. */
export type JudgeReply = readonly (readonly TraceFinding[])[] | FinalResults;

/** Batches steps: each message takes a turn of both event loops. */
const STEPS_PER_MESSAGE = 64;
/** Far more than the judge needs. Under a smaller limit V8 collects garbage more often. */
const LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 };

/** @param file script of the worker thread; handles `JudgeRequest` messages */
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
  const pending: PromiseWithResolvers<readonly TraceFinding[]>[] = [];
  const ended = Promise.withResolvers<FinalResults>();
  // Avoids an unhandled rejection if the caller gives up.
  ended.promise.catch(() => undefined);
  let unsent: QueuedStep[] = [];
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
      fail(cause);
    }
  }

  function receive(reply: JudgeReply): void {
    if ('counts' in reply) ended.resolve(reply);
    else for (const findings of reply) pending.shift()?.resolve(findings);
  }

  function fail(cause?: unknown): void {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    failure ??= new Error(`the thread that judges the trace stopped unexpectedly${why}`, { cause });
    for (const answer of pending.splice(0)) answer.reject(failure);
    ended.reject(failure);
  }

  worker.on('message', receive).on('error', fail).on('messageerror', fail);
  worker.on('exit', () => fail());
  return {
    step(queued) {
      if (failure !== undefined) return Promise.reject(failure);
      const answer = Promise.withResolvers<readonly TraceFinding[]>();
      pending.push(answer);
      if (unsent.length === 0) setImmediate(send);
      if (unsent.push(queued) >= STEPS_PER_MESSAGE) send();
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
