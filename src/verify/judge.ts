import type { TraceFinding } from './finding.ts';
import type { ReplayCounts } from './replay.ts';
import type { TracePlace, TracedStep } from './step.ts';

export interface QueuedStep {
  readonly step: TracedStep;
  readonly place: TracePlace;
  /** Time of the trace in Unix ms, ascending. */
  readonly nowMs: number;
}

export interface FinalResults {
  readonly findings: readonly TraceFinding[];
  readonly counts: ReplayCounts;
}

/** Judges steps in order. Steps may be queued without awaiting; those that influence each other share a judge. */
export interface TraceJudge {
  step(queued: QueuedStep): Promise<readonly TraceFinding[]>;
  /** Signals the end of input. */
  end(): Promise<FinalResults>;
  /** Pending steps may stay unanswered. */
  close(): Promise<void>;
}
