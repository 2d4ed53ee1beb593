import { availableParallelism } from 'node:os';
import type { Config } from './config/schema.ts';
import { createOfflineJudge, type OfflineJudge } from './offline-judge.ts';
import { readPolicyFiles, type PolicyFiles, type PolicySources } from './policy/policy-files.ts';
import { describeSet } from './policy/describe-set.ts';
import { loadPolicies, type LoadedPolicies } from './policy/load-policies.ts';
import { hashFeature } from './text/simhash.ts';
import { createLateJudge, createThreadJudge } from './verify/judge.ts';
import type { TracedStep } from './verify/step.ts';
import type { JudgedBy } from './verify/summary.ts';
import { verify, type VerifyEvent } from './verify/verify.ts';

export interface VerifyOptions {
  readonly config: Config;
  readonly sources: PolicySources | undefined;
  readonly name: string;
  /** Number of steps at which a second thread starts; Infinity disables it. The report is the same either way. */
  readonly threadSteps?: number;
}

/** Judging this many steps takes as long as starting a thread. */
const THREAD_STEPS = 2_000;
/** If fewer steps arrive within this time, the thread is started anyway. */
const THREAD_WAIT_MS = 1_000;
/** The first judge gets 15 of 32 sessions, because its thread also parses the trace and prints the report. */
const [FIRST_SHARE, SHARES] = [15, 32];

/**
 * Judges a recorded trace with the gateway's checks and in-memory stores. A second thread may judge part of the
 * sessions.
 * @throws PolicyFilesError if the policies cannot be loaded
 */
export async function* verifyTrace(
  bytes: AsyncIterable<Uint8Array>,
  { config, sources, name, threadSteps = THREAD_STEPS }: VerifyOptions,
): AsyncGenerator<VerifyEvent> {
  const files = sources && (await readPolicyFiles(sources));
  const policies = files && (await loadPolicies(files));
  const set = policies?.set;
  const judgeHere = (): Promise<OfflineJudge> => createOfflineJudge({ config, set });
  const first = await judgeHere();
  const second = mayThread(files, threadSteps)
    ? createLateJudge({
        small: judgeHere,
        large: () => Promise.resolve(createThreadJudge(threadFile(), { config, files })),
        largeSteps: threadSteps,
        waitMs: THREAD_WAIT_MS,
      })
    : await judgeHere();
  const byAgent = set?.readsRisk === true || config.session.max_per_key > 0;
  try {
    yield* verify(bytes, name, {
      judges: [first, second],
      judgeOf: (step) => (isInFirstHalf(step, byAgent) ? first : second),
      checks: [...new Set(first.checks.map((check) => check.name))],
      policies: policies &&
        sources && { digest: policies.set.digest, sources: namesOf(sources), files: ruleCounts(policies) },
    });
  } finally {
    await first.close();
    await second.close();
    await set?.close();
  }
}

/** A second thread does not help on a single core, or with Rego, whose engine is itself a large thread. */
function mayThread(files: PolicyFiles | undefined, threadSteps: number): boolean {
  return availableParallelism() > 1 && threadSteps < Infinity && (files?.rego.length ?? 0) === 0;
}

/**
 * Keeps the steps of a session together or, if the sessions of an agent influence each other, the steps of the agent.
 */
function isInFirstHalf({ agent, sessionId }: TracedStep, byAgent: boolean): boolean {
  return hashFeature(byAgent ? agent.keyHash : `${agent.keyHash}/${sessionId}`).low % SHARES < FIRST_SHARE;
}

function threadFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  return new URL(`./offline-judge-thread${extension}`, import.meta.url);
}

function ruleCounts(policies: LoadedPolicies): JudgedBy['files'] {
  return describeSet(policies, undefined).files.map(({ file, rules }) => ({ file, rules: rules.length }));
}

function namesOf({ file, folder, presets }: PolicySources): string[] {
  return [file, folder].filter((name) => name !== undefined).concat(presets);
}
