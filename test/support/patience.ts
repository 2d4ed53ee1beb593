import { vi } from 'vitest';

/** What a test waits for comes soon; a machine that is busy with something else may take longer than Vitest's second. */
const PATIENCE_MS = 10_000;

const { waitFor } = vi;
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options });
