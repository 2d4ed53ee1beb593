import { newOperationId } from '../operation-id.ts';
import type { Parsed } from '../pipeline/exchange.ts';
import type { RiskStore } from '../risk/store.ts';
import type { SessionStore } from './session/store.ts';

export interface TaintSessionDeps {
  readonly record: RiskStore['record'];
  readonly addTaint: SessionStore['addTaint'];
}

/**
 * Adds flags to the session of an exchange and scores those that are new in it (docs/risk.md). Without a session
 * there is nothing to add to, and they score as of one session. False where the session takes no more.
 */
export function createTaintSession({ record, addTaint }: TaintSessionDeps) {
  return async ({ key, facts }: Parsed, flags: readonly string[]): Promise<boolean> => {
    const { keyHash } = key;
    const sessionId = facts.session?.id;
    for (const flag of flags) {
      if (sessionId !== undefined) {
        const noted = await addTaint({ keyHash, sessionId, operationId: newOperationId() }, flag);
        if (noted === 'full') return false;
      }
      await record({ trigger: 'taint', keyHash, operationId: newOperationId(), flag, sessionId });
    }
    return true;
  };
}
