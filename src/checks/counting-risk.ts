import type { RiskEvent, RiskOutcome, RiskStore } from '../risk/store.ts';

/** Tells of each event that counted against a key: by what, and what came of it. */
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
