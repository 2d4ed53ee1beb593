import type { TraceFinding } from './finding.ts';
import type { ReplayCounts } from './replay.ts';
import type { TracePlace, TracedStep } from './step.ts';

/** A step that is to be judged. */
export interface AskedStep {
  readonly step: TracedStep;
  readonly place: TracePlace;
  /** The trace's time, in Unix ms, which never goes back. */
  readonly nowMs: number;
}

/** What comes of steps when no other follows them. */
export interface Ended {
  readonly findings: readonly TraceFinding[];
  readonly counts: ReplayCounts;
}

/**
 * Judges steps in the order in which they are given; nobody has to wait for one before he gives the next. It knows of no
 * others: all that may count for a step has to be given to the same judge.
 */
export interface TraceJudge {
  step(asked: AskedStep): Promise<readonly TraceFinding[]>;
  /** No step comes any more. */
  end(): Promise<Ended>;
  /** What was asked and not answered may never be. */
  close(): Promise<void>;
}
