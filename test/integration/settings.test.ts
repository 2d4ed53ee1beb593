import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { settingLeaves } from '../support/settings/leaves.ts';
import { observe, type Probes } from '../support/settings/probe.ts';
import { PROBES } from '../support/settings/probes/index.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.close());

describe('every key of gateway.yaml', () => {
  it('has a probe, and every probe a key', () => {
    expect(Object.keys(PROBES).toSorted()).toEqual(settingLeaves().toSorted());
  });
});

describe('each setting has an effect', () => {
  it.each(Object.entries(PROBES as Probes))('%s', async (leaf, probe) => {
    expect(probe.expected[0], 'a probe that sees no difference').not.toEqual(probe.expected[1]);
    expect(await observe(leaf, probe, 0, redis)).toEqual(probe.expected[0]);
    expect(await observe(leaf, probe, 1, redis)).toEqual(probe.expected[1]);
  });
});
