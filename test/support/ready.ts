import type { Readiness } from '../../src/admin/readiness.ts';

/** What a gateway of two workers says of itself when all is well. */
export const READY: Readiness = {
  ready: true,
  envoy: 'live',
  redis: 'up',
  workers: { ready: 2, wanted: 2 },
  draining: false,
  crash_loops: [],
};
