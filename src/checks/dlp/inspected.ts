import type { Found } from './scan-batch.ts';

/** What a body holds, and how it is taken out. */
export interface Inspected {
  readonly found: readonly Found[];
  /** Works out what is left with `***` in place of everything that was found; resolves to what puts it into effect. */
  readonly mask: () => Promise<() => void>;
}

export const CLEAN: Inspected = { found: [], mask: () => Promise.resolve(() => undefined) };
