import { describe, expect, it } from 'vitest';
import { countingRisk } from '../../../src/composition/watched-risk.ts';
import { createMemoryRiskStore } from '../../../src/risk/memory-store.ts';
import { riskSettings } from '../../../src/risk/settings.ts';
import { configSchema } from '../../../src/config/schema.ts';

describe('events that count against a key', () => {
  it('are told with what came of them', async () => {
    const config = configSchema.parse({});
    const told: string[] = [];
    const settings = riskSettings({ ...config, server: { ...config.server, insecure_dev: false } });
    const store = countingRisk(createMemoryRiskStore({ settings, now: Date.now }), (trigger, outcome) => {
      told.push(`${trigger} ${String(outcome.riskScore)}${outcome.lock === undefined ? '' : ' locked'}`);
    });
    const event = { keyHash: 'sha256:ab', findings: [] };
    await store.record({ ...event, trigger: 'policy_block', operationId: '1' });
    await store.record({ ...event, trigger: 'secret_exfiltration', operationId: '2', lockMs: 1_000 });
    expect(told).toEqual(['policy_block 10', 'secret_exfiltration 40 locked']);
    expect((await store.read('sha256:ab')).risk.riskScore).toBe(40);
  });
});
