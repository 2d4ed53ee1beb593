import type { Arbitrary } from 'fast-check';

/** Throws if the outcome of a case is wrong. Its time is not measured. */
export type Judge = () => void | Promise<void>;

/** A surface that is ready for cases. */
export interface OpenSurface<Case> {
  /** Runs a case; the event-loop turns until it resolves are measured. */
  run(testCase: Case): Promise<Judge>;
  close(): Promise<void>;
}

/** One entrance for others' bytes. */
export interface Surface<Case> {
  readonly cases: Arbitrary<Case>;
  /** It is read in a separate process, whose turns delay no request. */
  readonly mayTakeLong?: true;
  open(): Promise<OpenSurface<Case>>;
}
