import { createOfflineChecks } from './checks/create-offline.ts';
import type { Config } from './config/schema.ts';
import { readPolicyFiles, type PolicySources } from './policy/policy-files.ts';
import { createPolicySet, type PolicySet } from './policy/policy-set.ts';
import { createMatchDigest } from './telemetry/audit.ts';
import { createTraceClock } from './verify/clock.ts';
import { createFindingCollector, type FindingCollector } from './verify/findings.ts';
import { verify, type VerifyEvent } from './verify/verify.ts';

export interface VerifyOptions {
  readonly config: Config;
  /** Undefined: no policy is asked. */
  readonly sources: PolicySources | undefined;
  /** What the trace is called in the report. */
  readonly name: string;
}

/** Nobody waits for one call of a trace, and the machine may be a busy one. */
const ENGINE = { evaluationMs: 5_000, graceMs: 1_000, startMs: 60_000, waitMs: 60_000, maxWaiting: 16 };

/**
 * Judges a recorded trace by the checks that judge on the wire, on stores of this process.
 * @throws PolicyFilesError | RegoFilesError where the policies cannot be loaded
 */
export async function* verifyTrace(
  bytes: AsyncIterable<Uint8Array>,
  { config, sources, name }: VerifyOptions,
): AsyncGenerator<VerifyEvent> {
  const set = sources === undefined ? undefined : await loadSet(sources);
  const findings = createFindingCollector();
  const clock = createTraceClock();
  const checks = await createOfflineChecks({
    config,
    policies: set && watched(set, findings),
    audit: { emit: findings.audit, digest: createMatchDigest('') },
    onPolicyTrouble: findings.trouble,
    now: clock.now,
  });
  try {
    yield* verify(bytes, name, {
      checks: checks.inOrder,
      findings,
      clock,
      policies: set && sources && { digest: set.digest, sources: namesOf(sources) },
      async riskOf(keyHash) {
        const { blockedAt: _since, ...risk } = (await checks.risk.read(keyHash)).risk;
        return risk;
      },
    });
  } finally {
    await checks.close();
    await set?.close();
  }
}

async function loadSet(sources: PolicySources): Promise<PolicySet> {
  return createPolicySet(await readPolicyFiles(sources), ENGINE);
}

/** The set, whose decisions are told of: a denial names one rule, and a report all that fired. */
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

function namesOf({ file, folder, presets }: PolicySources): string[] {
  return [file, folder].filter((name) => name !== undefined).concat(presets);
}
