import { describe, expect, it } from 'vitest';
import { createMemoryRiskStore } from '../../../src/risk/memory-store.ts';
import { findingId } from '../../../src/checks/finding-id.ts';
import { decayedScore, parseRiskStatus } from '../../../src/risk/profile.ts';
import { DAY_MS, describeRiskStore } from '../../contracts/risk-store.ts';
import { NO_RISK } from '../../support/exchange.ts';

describeRiskStore('in memory', (settings, clock) =>
  createMemoryRiskStore({ settings, now: () => clock.now }),
);

describe('a decayed score', () => {
  it.each([
    { score: 60, scoredAt: 0, now: DAY_MS - 1, is: 60 },
    { score: 60, scoredAt: 0, now: DAY_MS, is: 55 },
    { score: 60, scoredAt: 0, now: 11.5 * DAY_MS, is: 5 },
    { score: 60, scoredAt: 0, now: 12 * DAY_MS, is: 0 },
    { score: 3, scoredAt: 0, now: DAY_MS, is: 0 },
    { score: 60, scoredAt: DAY_MS, now: 0, is: 60 },
    { score: 60, scoredAt: undefined, now: 1e15, is: 60 },
    { score: 250, scoredAt: undefined, now: 0, is: 100 },
    { score: -4, scoredAt: undefined, now: 0, is: 0 },
  ])('of $score, scored at $scoredAt, is $is at $now', ({ score, scoredAt, now, is }) => {
    expect(decayedScore(score, scoredAt, now)).toBe(is);
  });
});

const NO_LOCK = { ttlMs: -2, value: null };

describe('a stored profile', () => {
  const nothing = [null, null, null, null, null, null, null, null, null, null];

  it('that was never written has no risk', () => {
    expect(parseRiskStatus(nothing, NO_LOCK, 0)).toEqual({ risk: NO_RISK });
  });

  it('is read field by field', () => {
    const fields = ['80', '1000', '7', '2', '9000000000000000', '["a/b"]', '12', '1500', 'id', '9000'];
    expect(parseRiskStatus(fields, NO_LOCK, 2_000)).toEqual({
      risk: {
        riskScore: 80,
        totalPolicyBlocks: 7,
        totalEscalations: 2,
        totalSpendNanoUsd: 9_000_000_000_000_000,
        persistentTaintFlags: ['a/b'],
        sessionCount: 12,
        quarantineActive: true,
        blockedAt: 1_500,
      },
      lock: { ttlMs: 7_000 },
    });
  });

  it.each([
    ['risk_score', 0, 'high'],
    ['scored_at', 1, '1e3'],
    ['total_spend', 4, ''],
    ['persistent_taint_flags', 5, '["a"'],
    ['persistent_taint_flags', 5, '{"a":1}'],
    ['blocked_at', 7, 'yes'],
  ])('with a damaged %s is not a profile', (_name, index, value) => {
    expect(() => parseRiskStatus(nothing.with(index, value as never), NO_LOCK, 0)).toThrow('damaged');
  });

  it.each([
    { pttl: -2, pending: null, lock: undefined },
    { pttl: -1, pending: null, lock: {} },
    { pttl: 0, pending: null, lock: { ttlMs: 0 } },
    { pttl: 500, pending: '1900', lock: { ttlMs: 900 } },
    { pttl: 5_000, pending: '1900', lock: { ttlMs: 5_000 } },
    { pttl: -2, pending: '1000', lock: undefined },
  ])('has the longer of written lock ($pttl) and pending lock ($pending)', ({ pttl, pending, lock }) => {
    const fields = nothing.with(8, (pending === null ? null : 'id') as never).with(9, pending as never);
    expect(parseRiskStatus(fields, { ttlMs: pttl, value: null }, 1_000).lock).toEqual(lock);
  });
});

describe('the id of a finding', () => {
  it('distinguishes rules and texts, and contains no text', () => {
    const ids = [findingId('jwt', 'one'), findingId('jwt', 'two'), findingId('leak', 'one')];
    expect(new Set(ids).size).toBe(3);
    expect(ids.join()).not.toContain('one');
    expect(findingId('jwt', 'one')).toBe(ids[0]);
  });
});
