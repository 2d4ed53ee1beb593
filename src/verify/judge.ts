import type { Finding } from './finding.ts';
import type { ReplayCounts } from './replay.ts';
import type { Place, Step } from './step.ts';

/** A step that is to be judged. */
export interface Asked {
  readonly step: Step;
  readonly place: Place;
  /** The trace's time, in Unix ms, which never goes back. */
  readonly nowMs: number;
}

/** What comes of steps when no other follows them. */
export interface Ended {
  readonly findings: readonly Finding[];
  readonly counts: ReplayCounts;
}

/**
 * Judges steps in the order in which they are given; nobody has to wait for one before he gives the next. It knows of no
 * others: all that may count for a step has to be given to the same judge.
 */
export interface Judge {
  step(asked: Asked): Promise<readonly Finding[]>;
  /** No step comes any more. */
  end(): Promise<Ended>;
  /** What was asked and not answered may never be. */
  close(): Promise<void>;
}
