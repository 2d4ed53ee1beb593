import { Worker, type ResourceLimits } from 'node:worker_threads';
import type { Config } from '../config/schema.ts';
import type { PolicyFiles } from '../policy/policy-files.ts';
import type { TraceFinding } from './finding.ts';
import type { ReplayCounts } from './replay.ts';
import type { TracePlace, TracedStep } from './step.ts';

export interface QueuedStep {
  readonly step: TracedStep;
  readonly place: TracePlace;
  /** Trace time in Unix ms, ascending. */
  readonly nowMs: number;
}

export interface FinalResults {
  readonly findings: readonly TraceFinding[];
  readonly counts: ReplayCounts;
}

/** Judges steps in order. Steps may be queued without awaiting; those that influence each other share a judge. */
export interface TraceJudge {
  step(queued: QueuedStep): Promise<readonly TraceFinding[]>;
  /** Signals the end of input. */
  end(): Promise<FinalResults>;
  /** Pending steps may stay unanswered. */
  close(): Promise<void>;
}

export interface LateJudgeOptions {
  readonly small: () => Promise<TraceJudge>;
  /** A judge that takes longer to start. */
  readonly large: () => Promise<TraceJudge>;
  /** Minimum number of steps that justifies starting the large judge. */
  readonly largeSteps: number;
  /** Maximum wait of the first step; then the large judge is started. */
  readonly waitMs: number;
}

/** Holds back the first steps until their number or the waiting time decides which judge to start. */
export function createLateJudge({ small, large, largeSteps, waitMs }: LateJudgeOptions): TraceJudge {
  const judge = Promise.withResolvers<TraceJudge>();
  let isChosen = false;
  let steps = 0;
  let timer: NodeJS.Timeout | undefined;

  function choose(create: () => Promise<TraceJudge>): void {
    clearTimeout(timer);
    if (!isChosen) judge.resolve(create());
    isChosen = true;
  }

  return {
    step(queued) {
      timer ??= setTimeout(() => choose(large), waitMs);
      steps += 1;
      if (steps >= largeSteps) choose(large);
      return judge.promise.then((chosen) => chosen.step(queued));
    },
    end() {
      choose(small);
      return judge.promise.then((chosen) => chosen.end());
    },
    async close() {
      clearTimeout(timer);
      if (isChosen) await (await judge.promise).close();
    },
  };
}

export interface JudgeThreadData {
  readonly config: Config;
  readonly files: PolicyFiles | undefined;
}

/** Steps in order; `end` after the last one. */
export type JudgeRequest = readonly QueuedStep[] | 'end';

/** Reply to a request: findings of each step, or the final results. */
export type JudgeReply = readonly (readonly TraceFinding[])[] | FinalResults;

/** Steps are batched, because each message takes a turn of both event loops. */
const STEPS_PER_MESSAGE = 64;
/** Far more than the judge needs, because V8 collects garbage more often under smaller limits. */
const LIMITS: ResourceLimits = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 512 };

/** @param file script of the worker thread; handles `JudgeRequest` messages */
export function createThreadJudge(
  file: URL,
  data: JudgeThreadData,
  resourceLimits: ResourceLimits = LIMITS,
): TraceJudge {
  const worker = new Worker(file, { workerData: data, env: {}, resourceLimits });
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
