import type { Readiness } from '../../src/admin/readiness.ts';

/** The readiness report of a healthy gateway with two workers. */
export const READY: Readiness = {
  ready: true,
  envoy: 'live',
  redis: 'up',
  workers: { ready: 2, wanted: 2 },
  draining: false,
  crash_loops: [],
};
