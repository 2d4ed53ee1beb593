/** The time of the step that is judged. */
export interface TraceClock {
  /** Unix ms. */
  now(): number;
  /** Another call begins; a trace that does not tell when is taken for one of a call a second. */
  advance(at: number | undefined): void;
}

/** Of a trace without times; only the distances count. */
const BEGINNING_MS = 1e12;
const STEP_MS = 1_000;

/** Time only goes forward, whatever a trace says: what is remembered has a life. */
export function createTraceClock(): TraceClock {
  let nowMs = BEGINNING_MS;
  return {
    now: () => nowMs,
    advance(at) {
      nowMs = at === undefined ? nowMs + STEP_MS : Math.max(nowMs, at);
    },
  };
}
