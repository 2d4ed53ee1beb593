import { describe, expect, it } from 'vitest';

import { readiness, type ReadinessInput } from '../../../src/admin/readiness.ts';

const worker = (listening: boolean, redis: boolean) => ({
  index: 0,
  pid: 1,
  listening,
  redis,
  restarts: 0,
  hangs: 0,
  crashLoop: false,
});
const well: ReadinessInput = {
  envoyLive: true,
  envoyLoops: false,
  workers: [worker(true, true), worker(true, true)],
  wantedWorkers: 2,
  redisUnfit: false,
  draining: false,
};

describe('the gateway is', () => {
  it('ready when Envoy lives and every worker listens with its Redis up', () => {
    expect(readiness(well)).toMatchObject({ ready: true, envoy: 'live', redis: 'up' });
  });

  it('ready without its own Envoy', () => {
    expect(readiness({ ...well, envoyLive: undefined })).toMatchObject({ ready: true, envoy: 'external' });
  });

  it.each<[string, Partial<ReadinessInput>]>([
    ['Envoy is down', { envoyLive: false }],
    ['one worker does not listen', { workers: [worker(true, true), worker(false, true)] }],
    ['one worker has no Redis', { workers: [worker(true, true), worker(true, false)] }],
    ['no worker has started', { workers: [] }],
    ['Redis cannot be used', { redisUnfit: true }],
    ['it is shutting down', { draining: true }],
  ])('not ready when %s', (_name, change) => {
    expect(readiness({ ...well, ...change }).ready).toBe(false);
  });

  it('informed of components in a crash loop, and ready if enough others serve', () => {
    const looping = { ...worker(true, true), index: 1, crashLoop: true };
    const now = readiness({ ...well, envoyLoops: true, workers: [worker(true, true), looping] });
    expect(now).toMatchObject({ ready: true, crash_loops: ['envoy', 'worker 1'] });
    expect(readiness(well).crash_loops).toEqual([]);
  });
});
