import type { Config } from '../config/schema.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { Audit } from '../telemetry/audit.ts';
import { composeChecks, type ComposedChecks } from './compose.ts';
import { createMemoryRiskStore } from '../risk/memory-store.ts';
import { riskSettings, type RiskStore } from '../risk/store.ts';
import { createMemorySessionStore } from '../checks/session/memory-store.ts';

export interface OfflineChecksDeps {
  readonly config: Config;
  readonly policies: PolicySet | undefined;
  readonly audit: Audit;
  readonly onPolicyTrouble: (cause: unknown) => void;
  /** Time of the recorded call in Unix ms. */
  readonly now: () => number;
}

export interface OfflineChecks extends ComposedChecks {
  readonly risk: RiskStore;
}

/** Creates the checks for recorded calls with in-memory stores, without the checks that need Redis. */
export async function createOfflineChecks({
  config,
  policies,
  audit,
  onPolicyTrouble,
  now,
}: OfflineChecksDeps): Promise<OfflineChecks> {
  const { ttl: ttlMs, max_per_key: maxPerKey } = config.session;
  const risk = createMemoryRiskStore({ settings: riskSettings(config), now });
  const checks = await composeChecks({
    // The report shows decisions as if enforced.
    config: { ...config, server: { ...config.server, shadow_mode: false } },
    stores: { sessions: createMemorySessionStore({ ttlMs, maxPerKey, now }), risk },
    place: { kind: 'memory', now },
    policies: policies && { current: () => policies },
    observer: {
      dlpFound: ignore,
      audit,
      policyTrouble: onPolicyTrouble,
      policyDecided: ignore,
      callNotEnded: rethrow,
      moveNotUndone: rethrow,
    },
    authenticateAgain: ({ key }) => Promise.resolve({ record: key, limits: {} }),
  });
  return { ...checks, risk };
}

function rethrow(cause: unknown): never {
  throw cause;
}

function ignore(): void {
  // Already reported in the verdicts.
}
