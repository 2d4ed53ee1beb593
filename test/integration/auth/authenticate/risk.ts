import { it, expect } from 'vitest';
import { NO_RISK } from '../../../support/exchange.ts';
import { waitUntilReady } from '../../../../src/redis/client.ts';
import { store, agent, redis, present, refusal, start, failures, client, authenticateWith } from './rig.ts';

export function riskScore(): void {
  it.each([
    { fields: { risk_score: '90' }, blocked: false },
    { fields: { risk_score: '91' }, blocked: true },
    { fields: { risk_score: '0', blocked_at: '1760000000000' }, blocked: true },
  ])('blocks $fields: $blocked', async ({ fields, blocked }) => {
    const { rawKey, record } = await store.create(agent);
    await redis.client.hset(`gateway:risk_profile:${record.keyHash}`, fields);
    if (!blocked) {
      expect((await present(rawKey)).facts.agentRisk).toEqual({ ...NO_RISK, riskScore: 90 });
      return;
    }
    const { status, type, headers } = await refusal(rawKey);
    expect({ status, type, headers }).toEqual({
      status: 403,
      type: 'agent_risk_blocked',
      headers: { 'x-gateway-block-reason': 'agent_risk_blocked' },
    });
  });

  it('comes with the whole profile, decayed as of now, and blocks no longer once it has decayed', async () => {
    const { rawKey, record } = await store.create(agent);
    await redis.client.hset(`gateway:risk_profile:${record.keyHash}`, {
      risk_score: '95',
      scored_at: Date.now() - 2.5 * 86_400_000,
      total_policy_blocks: '7',
      total_escalations: '2',
      total_spend: '2500000000',
      persistent_taint_flags: '["secret_accessed"]',
      session_count: '4',
    });
    expect((await present(rawKey)).facts.agentRisk).toEqual({
      riskScore: 85,
      totalPolicyBlocks: 7,
      totalEscalations: 2,
      totalSpendNanoUsd: 2_500_000_000,
      persistentTaintFlags: ['secret_accessed'],
      sessionCount: 4,
      quarantineActive: false,
    });
  });

  it('that blocks a key is reported before its lock, since waiting would not help', async () => {
    const { rawKey, record } = await store.create(agent);
    await redis.client.set(`gateway:quarantine:${record.keyHash}`, '1', 'EX', 60);
    await redis.client.hset(`gateway:risk_profile:${record.keyHash}`, { risk_score: '0', blocked_at: '1' });
    const { type, message } = await refusal(rawKey);
    expect(type).toBe('agent_risk_blocked');
    expect(message).not.toContain('another');
  });

  it('is 0 and blocks nothing if risk profiles are disabled; a lock still holds', async () => {
    const { rawKey, record } = await store.create(agent);
    const profile = { risk_score: '100', blocked_at: '1', total_policy_blocks: '9' };
    await redis.client.hset(`gateway:risk_profile:${record.keyHash}`, profile);
    authenticateWith(start(false));
    expect((await present(rawKey)).facts.agentRisk).toEqual({ ...NO_RISK, totalPolicyBlocks: 9 });
    await redis.client.set(`gateway:quarantine:${record.keyHash}`, '1', 'EX', 60);
    expect((await refusal(rawKey)).type).toBe('quarantined');
  });
}

export function redisTrouble(): void {
  it.each([
    ['a damaged record', 'key', 'created_at', 'soon'],
    ['a damaged tag map', 'key', 'tags', '{'],
    ['a damaged score', 'risk_profile', 'risk_score', 'high'],
    ['damaged taint flags', 'risk_profile', 'persistent_taint_flags', '{"a":1}'],
  ])('is redis_unavailable: %s', async (_name, kind, field, value) => {
    const { rawKey, record } = await store.create(agent);
    await redis.client.hset(`gateway:${kind}:${record.keyHash}`, field, value);
    expect((await refusal(rawKey)).type).toBe('redis_unavailable');
  });

  it('is redis_unavailable: a profile key of another type', async () => {
    const { rawKey, record } = await store.create(agent);
    await redis.client.set(`gateway:risk_profile:${record.keyHash}`, 'text');
    expect((await refusal(rawKey)).type).toBe('redis_unavailable');
  });

  it('is redis_unavailable for a hung and a stopped Redis, and traffic recovers', async () => {
    const { rawKey } = await store.create(agent);
    await redis.pause();
    const startedAt = performance.now();
    expect((await refusal(rawKey)).type).toBe('redis_unavailable');
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    await redis.resume();

    await redis.stop();
    expect((await refusal(rawKey)).type).toBe('redis_unavailable');
    expect(failures).toEqual([]);
    await redis.start();
    await waitUntilReady(client, 10_000);
    const fresh = await store.create(agent);
    await present(fresh.rawKey);
  });
}
