import type { Found } from './passages.ts';

/** What a body holds, and how it is taken out. */
export interface Inspected {
  readonly found: readonly Found[];
  /** Puts `***` in place of everything that was found. */
  readonly mask: () => void;
}

export const CLEAN: Inspected = { found: [], mask: () => undefined };
