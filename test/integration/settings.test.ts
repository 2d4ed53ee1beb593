import { describe, expect, it } from 'vitest';

import { configKeys } from '../../src/config/schema.ts';
import { envoyBootstrap } from '../../src/envoy/render.ts';
import { settingLeaves } from '../support/settings/leaves.ts';
import { observe, type Probe, type Probes } from '../support/settings/probe.ts';
import { PROBES } from '../support/settings/probes/index.ts';
import { useTestRedis } from '../support/redis.ts';

const LAYOUT = {
  sidecars: [{ kind: 'unix', path: '/sidecar' }],
  adminSocketPath: '/admin',
  systemCaFile: '/ca',
  accessLogPath: '/log',
} as const;

const redis = useTestRedis();

describe('every key of gateway.yaml', () => {
  it('has a probe, and every probe a key', () => {
    expect(Object.keys(PROBES).toSorted()).toEqual(settingLeaves().toSorted());
  });
});

describe('each reloaded setting', () => {
  const restarts = new Set(configKeys().flatMap(({ path, needsRestart }) => (needsRestart ? [path] : [])));
  const reloaded = Object.entries(PROBES as Probes).filter(([leaf]) => !restarts.has(leaf));
  it.each(reloaded)('does not change Envoy: %s', async (leaf, probe) => {
    const see: Probe['see'] = ({ config }) => Promise.resolve(envoyBootstrap(config, LAYOUT));
    const [one, other] = [
      await observe(leaf, { ...probe, see }, 0, redis),
      await observe(leaf, { ...probe, see }, 1, redis),
    ];
    expect(one).toEqual(other);
  });
});

describe('each setting has an effect', () => {
  it.each(Object.entries(PROBES as Probes))('%s', async (leaf, probe) => {
    expect(probe.expected[0], 'a probe that sees no difference').not.toEqual(probe.expected[1]);
    expect(await observe(leaf, probe, 0, redis)).toEqual(probe.expected[0]);
    expect(await observe(leaf, probe, 1, redis)).toEqual(probe.expected[1]);
  });
});
