import { randomUUID } from 'node:crypto';
import type { ReportSecretLeak } from '../pipeline/secret-leak.ts';
import { SECRET_TAINT } from './risk/scoring.ts';
import type { RiskStore } from './risk/store.ts';
import type { SessionStore } from './session/store.ts';

export interface SecretLeakDeps {
  /** With `risk_profile.enabled: false` it locks, and scores nothing. */
  readonly record: RiskStore['record'];
  readonly addTaint: SessionStore['addTaint'];
}

/** Locks and scores the key of a leak; a secret's taints the session that its exchange names, if it names one. */
export function createReportSecretLeak({ record, addTaint }: SecretLeakDeps): ReportSecretLeak {
  return async ({ exchange, findings, lockMs, personalDataOnly }) => {
    const { keyHash } = exchange.key;
    const event = { keyHash, operationId: randomUUID(), findings, lockMs };
    if (personalDataOnly === true) {
      await record({ ...event, trigger: 'data_exfiltration' });
      return;
    }
    const sessionId = exchange.facts.session?.id;
    const scored = record({ ...event, trigger: 'secret_exfiltration', sessionId });
    const tainted =
      sessionId === undefined
        ? undefined
        : addTaint({ keyHash, sessionId, operationId: randomUUID() }, SECRET_TAINT);
    await Promise.all([scored, tainted]);
  };
}
