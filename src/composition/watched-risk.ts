import type { RiskEvent, RiskOutcome, RiskStore } from '../risk/store.ts';
import type { Alerts } from '../alerting/create.ts';
import { wholeSeconds } from '../text/time-span.ts';

/** Reports each recorded risk event with its outcome. */
export function countingRisk(
  store: RiskStore,
  onEvent: (trigger: RiskEvent['trigger'], outcome: RiskOutcome) => void,
): RiskStore {
  return {
    ...store,
    async record(event) {
      const outcome = await store.record(event);
      onEvent(event.trigger, outcome);
      return outcome;
    },
  };
}

/** Sends an alert for each event that locks or blocks a key. */
export function tellingOfLocks(store: RiskStore, alerts: Alerts | undefined): RiskStore {
  if (alerts === undefined) return store;
  return {
    ...store,
    async record(event) {
      const outcome = await store.record(event);
      const { lock, blocked, riskScore } = outcome;
      if (lock !== undefined || blocked) {
        const data = {
          key_hash: event.keyHash,
          trigger: event.trigger,
          risk_score: riskScore,
          lock_seconds: lock === undefined ? null : wholeSeconds(lock.ttlMs),
          blocked,
        };
        alerts.send('quarantine', { type: 'key.quarantined', data });
      }
      return outcome;
    },
  };
}
