import type { Arbitrary } from 'fast-check';

/** Throws where the outcome of a case is wrong. Its time is not measured. */
export type Judge = () => void | Promise<void>;

/** A surface that is ready for cases. */
export interface OpenSurface<Case> {
  /** Runs a case; the turns of the event loop until it resolves are measured. */
  run(testCase: Case): Promise<Judge>;
  close(): Promise<void>;
}

/** One place where bytes of others come in. */
export interface Surface<Case> {
  readonly cases: Arbitrary<Case>;
  /** It is read in a process of its own, whose turns hold up no request. */
  readonly mayTakeLong?: true;
  open(): Promise<OpenSurface<Case>>;
}
