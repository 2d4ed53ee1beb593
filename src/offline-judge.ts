import { createOfflineChecks } from './composition/create-offline.ts';
import type { Config } from './config/schema.ts';
import type { Check } from './pipeline/check.ts';
import { createRunner } from './pipeline/run.ts';
import type { PolicySet } from './policy/policy-set.ts';
import { createMatchDigest } from './telemetry/audit.ts';
import { createFindingCollector, type FindingCollector } from './verify/findings.ts';
import type { TraceJudge } from './verify/judge.ts';
import { createReplay } from './verify/replay.ts';

export interface OfflineJudgeDeps {
  readonly config: Config;
  readonly set: PolicySet | undefined;
}

export interface OfflineJudge extends TraceJudge {
  readonly checks: readonly Check[];
}

export async function createOfflineJudge({ config, set }: OfflineJudgeDeps): Promise<OfflineJudge> {
  let now = 0;
  const findings = createFindingCollector();
  const { inOrder, risk, close } = await createOfflineChecks({
    config,
    policies: set && watched(set, findings),
    audit: { emit: findings.audit, digest: createMatchDigest('') },
    onPolicyTrouble: findings.trouble,
    now: () => now,
  });
  const newRun = createRunner({
    checks: inOrder,
    // Even in shadow mode, the report shows what enforcement would do.
    shadowMode: false,
    observer: {
      verdict: (_exchange, check, verdict) => findings.verdict(check, verdict),
      enforceFailed: (_exchange, _check, cause) => rethrow(cause),
      endFailed: (_exchange, _check, cause) => rethrow(cause),
    },
  });
  const replay = createReplay({
    newRun,
    findings,
    async riskOf(keyHash) {
      const { blockedAt: _since, ...agentRisk } = (await risk.read(keyHash)).risk;
      return agentRisk;
    },
  });
  let last: Promise<unknown> = Promise.resolve();

  /** Runs `work` after all earlier work. After a failure, no further work is started. */
  function next<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = last.then(work);
    last = done;
    return done;
  }

  return {
    checks: inOrder,
    step: ({ step, place, nowMs }) =>
      next(() => {
        now = nowMs;
        return replay.step(step, place);
      }),
    end: () => next(async () => ({ findings: await replay.end(), counts: replay.counts })),
    close,
  };
}

/** In-memory stores do not fail, so any failure makes the report unreliable. */
function rethrow(cause: unknown): never {
  throw cause;
}

/**
 * Wraps the set to record its decisions, because a denial names one rule, whereas the report lists all rules that
 * matched.
 */
function watched(set: PolicySet, { decided }: FindingCollector): PolicySet {
  return {
    ...set,
    async decide(call) {
      const decision = await set.decide(call);
      decided(decision);
      return decision;
    },
  };
}
