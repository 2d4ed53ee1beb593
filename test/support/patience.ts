import { vi } from 'vitest';

/** Most awaited events are fast; a busy machine may take longer than Vitest's second. */
const PATIENCE_MS = 10_000;

const { waitFor } = vi;
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options });
