import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  riskSettings,
  type RiskEvent,
  type RiskOutcome,
  type RiskSettings,
  type RiskStore,
} from '../../src/risk/store.ts';
import { defaultConfig } from '../support/default-config.ts';
import { NO_RISK } from '../support/exchange.ts';

export interface Clock {
  /** Unix ms. */
  now: number;
}

export const DAY_MS = 86_400_000;
export const DEFAULTS = riskSettings(defaultConfig());

type EventParts<Event> = Event extends unknown ? Omit<Event, 'keyHash' | 'operationId'> : never;
export type Trigger = EventParts<RiskEvent>;

export const block = { trigger: 'policy_block' } as const satisfies Trigger;

/** An event under a new operation. */
export function eventOf(keyHash: string, trigger: Trigger): RiskEvent {
  return { keyHash, operationId: randomUUID(), ...trigger };
}

/** Tests for every risk store (docs/risk.md, docs/cards.md), with Redis or without. */
export function describeRiskStore(
  name: string,
  createStore: (settings: RiskSettings, clock: Clock) => RiskStore,
): void {
  const clock: Clock = { now: 0 };
  let keyHash = '';
  let store: RiskStore;
  function open(settings: Partial<RiskSettings> = {}): void {
    store = createStore({ ...DEFAULTS, ...settings }, clock);
  }
  const record = (trigger: Trigger): Promise<RiskOutcome> => store.record(eventOf(keyHash, trigger));
  async function times(count: number, trigger: Trigger): Promise<RiskOutcome[]> {
    const outcomes: RiskOutcome[] = [];
    for (let n = 0; n < count; n++) outcomes.push(await record(trigger));
    return outcomes;
  }
  const taint = (flag: string, sessionId?: string): Trigger => ({ trigger: 'taint', flag, sessionId });

  beforeEach(() => {
    clock.now = Date.UTC(2026, 0, 15);
    keyHash = `sha256:${randomUUID()}`;
    open();
  });

  describe(`${name}: the scoring table`, () => {
    it.each<[Trigger, number, object]>([
      [block, 10, { totalPolicyBlocks: 1 }],
      [{ trigger: 'quarantine' }, 25, {}],
      [{ trigger: 'escalation' }, 15, { totalEscalations: 1 }],
      [taint('pii_seen', 's'), 5, { persistentTaintFlags: ['pii_seen'] }],
      [
        { trigger: 'secret_exfiltration', lockMs: 60_000, sessionId: 's' },
        30,
        { persistentTaintFlags: ['secret_accessed'], quarantineActive: true },
      ],
      [{ trigger: 'data_exfiltration', lockMs: 60_000 }, 30, { quarantineActive: true }],
    ])('%j is +%i', async (trigger, points, changes) => {
      expect(await record(trigger)).toMatchObject({ scored: true, riskScore: points, blocked: false });
      expect((await store.read(keyHash)).risk).toEqual({ ...NO_RISK, riskScore: points, ...changes });
    });

    it('a score is at most 100', async () => {
      const scores = (await times(12, block)).map(({ riskScore }) => riskScore);
      expect(scores.slice(-3)).toEqual([100, 100, 100]);
      expect((await store.read(keyHash)).risk).toMatchObject({ riskScore: 100, totalPolicyBlocks: 12 });
    });

    it('a repeat under the same operation changes nothing and gets the same answer', async () => {
      await times(7, block);
      const event = eventOf(keyHash, block);
      const first = await store.record(event);
      expect(first).toEqual({ riskScore: 80, scored: true, blocked: false, lock: { ttlMs: 3_600_000 } });
      expect(await store.record(event)).toEqual(first);
      expect((await store.read(keyHash)).risk).toMatchObject({ riskScore: 80, totalPolicyBlocks: 8 });
    });

    it('other keys are unaffected', async () => {
      await record(block);
      expect((await store.read(`sha256:${randomUUID()}`)).risk.riskScore).toBe(0);
    });
  });

  describe(`${name}: 24 hours of clean inactivity`, () => {
    it.each([
      { days: 0.99, score: 20 },
      { days: 1, score: 15 },
      { days: 1.99, score: 15 },
      { days: 2, score: 10 },
      { days: 4, score: 0 },
      { days: 400, score: 0 },
      { days: -3, score: 20 },
    ])('after $days days 20 is $score', async ({ days, score }) => {
      await times(2, block);
      clock.now += days * DAY_MS;
      expect((await store.read(keyHash)).risk.riskScore).toBe(score);
      expect(await record(block)).toMatchObject({ riskScore: score + 10 });
    });

    it('start again with each trigger', async () => {
      await times(2, block);
      clock.now += 0.9 * DAY_MS;
      await record(block);
      clock.now += 0.9 * DAY_MS;
      expect((await store.read(keyHash)).risk.riskScore).toBe(30);
    });
  });

  describe(`${name}: findings`, () => {
    it('the same one scores once in 24 hours, and is counted each time', async () => {
      const event: Trigger = { ...block, findings: ['override:a', 'leak:b'] };
      const scored = (await times(3, event)).map((outcome) => outcome.scored);
      expect(scored).toEqual([true, false, false]);
      expect((await store.read(keyHash)).risk).toMatchObject({ riskScore: 10, totalPolicyBlocks: 3 });
      clock.now += DAY_MS;
      expect(await record(event)).toMatchObject({ scored: true, riskScore: 15 });
    });

    it('score if one of them is new', async () => {
      await record({ ...block, findings: ['override:a'] });
      expect(await record({ ...block, findings: ['override:a', 'leak:b'] })).toMatchObject({ scored: true });
      expect(await record({ ...block, findings: ['leak:b'] })).toMatchObject({ scored: false });
    });

    it('that were known lock by no threshold, but a secret locks each time', async () => {
      await times(7, block);
      const known: Trigger = { ...block, findings: ['leak:b'] };
      expect((await record(known)).lock).toBeDefined();
      expect(await record(known)).toEqual({ riskScore: 80, scored: false, blocked: false });

      const secret: Trigger = { trigger: 'secret_exfiltration', lockMs: 60_000, findings: ['jwt:c'] };
      keyHash = `sha256:${randomUUID()}`;
      expect(await record(secret)).toMatchObject({ riskScore: 30, lock: { ttlMs: 60_000 } });
      expect(await record(secret)).toMatchObject({ riskScore: 30, scored: false, lock: { ttlMs: 60_000 } });
    });
  });

  describe(`${name}: taints`, () => {
    it('a flag scores once per session, and is in the profile once', async () => {
      expect(await record(taint('pii', 'one'))).toMatchObject({ scored: true, riskScore: 5 });
      expect(await record(taint('pii', 'one'))).toMatchObject({ scored: false, riskScore: 5 });
      expect(await record(taint('pii', 'two'))).toMatchObject({ scored: true, riskScore: 10 });
      expect(await record(taint('web', 'one'))).toMatchObject({ scored: true, riskScore: 15 });
      expect((await store.read(keyHash)).risk.persistentTaintFlags).toEqual(['pii', 'web']);
    });

    it('calls without a session count as one session', async () => {
      await record(taint('pii'));
      expect(await record(taint('pii'))).toMatchObject({ scored: false, riskScore: 5 });
    });

    it('a known flag is not a trigger: the clean time continues', async () => {
      await record(taint('pii', 'one'));
      clock.now += 0.6 * DAY_MS;
      await record(taint('pii', 'one'));
      clock.now += 0.6 * DAY_MS;
      expect((await store.read(keyHash)).risk.riskScore).toBe(0);
    });

    it('a secret is +30 and no more: its taint does not score in that session later', async () => {
      await record({ trigger: 'secret_exfiltration', lockMs: 1, sessionId: 'one' });
      expect(await record(taint('secret_accessed', 'one'))).toMatchObject({ scored: false, riskScore: 30 });
      expect(await record(taint('secret_accessed', 'two'))).toMatchObject({ scored: true, riskScore: 35 });
    });

    it('a profile holds 64 of them', async () => {
      for (let n = 0; n < 70; n++) await record(taint(`flag-${n}`, 's'));
      expect((await store.read(keyHash)).risk.persistentTaintFlags).toHaveLength(64);
    });
  });

  describe(`${name}: thresholds`, () => {
    it('lock above 75, not at it, and block above 90, once', async () => {
      await times(15, { trigger: 'quarantine', findings: ['again:x'] });
      await times(5, block);
      expect((await store.read(keyHash)).risk).toMatchObject({ riskScore: 75, quarantineActive: false });
      const locking = await record(taint('t1', 's'));
      expect(locking).toEqual({ riskScore: 80, scored: true, blocked: false, lock: { ttlMs: 3_600_000 } });
      expect((await store.read(keyHash)).lock?.ttlMs).toBeGreaterThan(3_590_000);

      expect(await record(block)).toMatchObject({ riskScore: 90, blocked: false });
      expect((await store.read(keyHash)).risk.blockedAt).toBeUndefined();
      clock.now += 1_000;
      expect(await record(taint('t2', 's'))).toMatchObject({ riskScore: 95, blocked: true });
      const blockedAt = clock.now;
      clock.now += 1_000;
      expect(await record(block)).toMatchObject({ riskScore: 100, blocked: false });
      clock.now += 30 * DAY_MS;
      expect((await store.read(keyHash)).risk).toMatchObject({ riskScore: 0, blockedAt });
    });

    it('after its lock a key passes with its score, and its next trigger locks it again', async () => {
      await times(8, block);
      await store.release(keyHash);
      expect(await store.read(keyHash)).toMatchObject({ risk: { riskScore: 80, quarantineActive: false } });
      expect((await record(taint('t', 's'))).lock).toEqual({ ttlMs: 3_600_000 });
      expect((await store.read(keyHash)).risk.quarantineActive).toBe(true);
    });

    it('if disabled, nothing scores or counts, and only the lock of a secret remains', async () => {
      open({ enabled: false });
      for (const outcome of await times(12, { ...block, findings: ['a'] })) {
        expect(outcome).toEqual({ riskScore: 0, scored: false, blocked: false });
      }
      expect(await record({ trigger: 'secret_exfiltration', lockMs: 60_000 })).toEqual({
        riskScore: 0,
        scored: false,
        blocked: false,
        lock: { ttlMs: 60_000 },
      });
      expect((await store.read(keyHash)).risk).toMatchObject({
        riskScore: 0,
        totalPolicyBlocks: 0,
        persistentTaintFlags: [],
        quarantineActive: true,
      });
    });
  });

  describe(`${name}: locks`, () => {
    it('keeps the longer of two locks, regardless of who set them', async () => {
      expect(await store.lock(keyHash, 7_200_000, randomUUID())).toEqual({ ttlMs: 7_200_000 });
      expect((await store.lock(keyHash, 60_000, randomUUID())).ttlMs).toBeGreaterThan(7_190_000);
      await record({ trigger: 'secret_exfiltration', lockMs: 60_000 });
      expect((await store.read(keyHash)).lock?.ttlMs).toBeGreaterThan(7_190_000);
      await store.lock(keyHash, 9_000_000, randomUUID());
      expect((await store.read(keyHash)).lock?.ttlMs).toBeGreaterThan(8_990_000);
    });

    it('have a reason: finding and place, score, or operator', async () => {
      const cause = {
        kind: 'secret',
        rules: ['jwt'],
        place: { in: 'mcp', server: 'files', tool: 'read' },
        request: 'r-1',
      } as const;
      await record({ trigger: 'secret_exfiltration', lockMs: 60_000, cause });
      expect((await store.read(keyHash)).lock?.cause).toEqual(cause);

      const other = { kind: 'operator', reason: 'to be looked at' } as const;
      await store.lock(keyHash, 30_000, randomUUID(), other);
      expect((await store.read(keyHash)).lock?.cause).toEqual(cause); // the longer lock stays
      await store.lock(keyHash, 90_000, randomUUID(), other);
      expect((await store.read(keyHash)).lock?.cause).toEqual(other);
      await store.release(keyHash);
      await store.lock(keyHash, 30_000, randomUUID());
      expect(Object.keys((await store.read(keyHash)).lock ?? {})).toEqual(['ttlMs']);
    });

    it('name the trigger and the threshold, or that a policy locks', async () => {
      await times(8, block);
      expect((await store.read(keyHash)).lock?.cause).toEqual({
        kind: 'risk_score',
        trigger: 'policy_block',
        threshold: 75,
      });
      keyHash = `sha256:${randomUUID()}`;
      await record({ trigger: 'quarantine', lockMs: 60_000 });
      expect((await store.read(keyHash)).lock?.cause).toEqual({ kind: 'policy' });
    });

    it('of a secret that only scores has the score as its reason', async () => {
      const masked = (finding: string): Trigger => ({
        trigger: 'secret_exfiltration',
        lockMs: 0,
        findings: [finding],
        cause: { kind: 'secret', rules: ['jwt'], place: { in: 'completion' } },
      });
      for (const finding of ['jwt:a', 'jwt:b', 'jwt:b']) await record(masked(finding));
      expect(await store.read(keyHash)).toMatchObject({
        risk: { riskScore: 60, quarantineActive: false, persistentTaintFlags: ['secret_accessed'] },
      });
      await record(masked('jwt:c'));
      expect((await store.read(keyHash)).lock?.cause).toMatchObject({
        kind: 'risk_score',
        trigger: 'secret_exfiltration',
      });
    });

    it('expire by themselves, or are released', async () => {
      await record({ trigger: 'secret_exfiltration', lockMs: 40 });
      await sleep(60);
      clock.now += 60;
      expect((await store.read(keyHash)).lock).toBeUndefined();
      expect(await store.release(keyHash)).toBe(false);
      await store.lock(keyHash, 60_000, randomUUID());
      expect(await store.release(keyHash)).toBe(true);
      expect((await store.read(keyHash)).lock).toBeUndefined();
    });
  });

  describe(`${name}: a reset`, () => {
    it('removes score, block, taints and findings; totals and the lock stay', async () => {
      await record(taint('pii', 'one'));
      await times(8, block);
      const last: Trigger = { ...block, findings: ['leak:b'] };
      await record(last);
      const operationId = randomUUID();
      await store.reset(keyHash, operationId);
      const { risk } = await store.read(keyHash);
      expect(risk).toEqual({
        riskScore: 0,
        totalPolicyBlocks: 9,
        totalEscalations: 0,
        totalSpendNanoUsd: 0,
        persistentTaintFlags: [],
        sessionCount: 0,
        quarantineActive: true,
      });
      expect(await record(last)).toMatchObject({ scored: true, riskScore: 10 });
      await store.reset(keyHash, operationId);
      expect((await store.read(keyHash)).risk.riskScore).toBe(10);
    });
  });
}
