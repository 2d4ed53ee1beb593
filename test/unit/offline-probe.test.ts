import { describe, expect, it } from 'vitest';

import { defaultConfig } from '../support/default-config.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { PROBES } from '../../src/offline-probe.ts';
import type { PolicySources } from '../../src/policy/policy-files.ts';

type Engine = keyof typeof PROBES;

const ON: ConfigInput = { server: { dlp: { enabled: true, scan_network: true } }, mcp: { enabled: true } };
const SAFETY: PolicySources = {
  file: undefined,
  folder: undefined,
  presets: ['safety', 'pci', 'mcp_sandbox'],
};

function probe(engine: Engine, config: ConfigInput, sources?: PolicySources) {
  return PROBES[engine]({ config: defaultConfig(config), sources });
}

describe('a probe of an engine that works', () => {
  it.each<[Engine, ConfigInput, PolicySources?]>([
    ['loop', {}],
    ['loop', { loop_detection: { action: 'block', fingerprint: { threshold: 20, window_seconds: 5 } } }],
    ['inspector', ON],
    ['dlp', ON],
    ['dlp', { server: { dlp: { enabled: true, action: 'mask', allowed_hosts: ['acme.io'] } } }],
    ['dlp', { server: { dlp: { enabled: true, scan_credentials: true, answer_classes: ['secret'] } } }],
    ['risk', {}],
    ['risk', { risk_profile: { auto_quarantine_threshold: 100, permanent_block_threshold: 100 } }],
    ['policy', {}, SAFETY],
    ['policy', {}, { ...SAFETY, presets: ['zero_trust'] }],
    ['normalization', {}],
  ])('of %s under %j proves it', async (engine, config, sources) => {
    expect(await probe(engine, config, sources)).toMatchObject({ proven: true });
  });
});

describe('a probe of policies', () => {
  it('reports what overrides allow', async () => {
    const safety: PolicySources = { ...SAFETY, presets: ['safety'] };
    const found = await probe('policy', {}, { ...safety, overrides: { safety: 'off' } });
    expect(found).toMatchObject({ proven: true, message: expect.stringContaining('policy.overrides') });
    const { message } = await probe('policy', {}, { ...safety, overrides: { 'mask-email': 'off' } });
    expect(message).not.toContain('policy.overrides');
  });
});

describe('a probe of an engine that does not', () => {
  it.each<[Engine, ConfigInput, RegExp]>([
    [
      'loop',
      { loop_detection: { enabled: false } },
      /4 equal calls in one session: not found; check loop_detection/,
    ],
    [
      'loop',
      { loop_detection: { fingerprint: { threshold: 100_000 } } },
      /threshold 100000 finds no loop in 256 calls/,
    ],
    ['inspector', { mcp: { enabled: true, inspector: { enabled: false } } }, /not found; check mcp\.enabled/],
    ['inspector', {}, /not found/],
    [
      'inspector',
      {
        mcp: {
          enabled: true,
          servers: [{ name: 'probe', url: 'https://probe.test/mcp', suppress: ['aws_access_key_id'] }],
        },
      },
      /not found/,
    ],
    ['dlp', { server: { dlp: { enabled: false } } }, /not found; check server\.dlp\.enabled/],
    [
      'dlp',
      { server: { dlp: { enabled: true, scan_secrets: false, scan_pii: false } } },
      /nothing to search for/,
    ],
    ['risk', { risk_profile: { enabled: false } }, /not found; check risk_profile/],
    [
      'risk',
      {
        risk_profile: { enabled: false, auto_quarantine_threshold: 100, permanent_block_threshold: 100 },
      },
      /not found; check risk_profile/,
    ],
    ['policy', {}, /policies are off/],
  ])('%s under %j goes red, and names the remedy', async (engine, config, message) => {
    expect(await probe(engine, config)).toMatchObject({
      proven: false,
      message: expect.stringMatching(message),
    });
  });
});
