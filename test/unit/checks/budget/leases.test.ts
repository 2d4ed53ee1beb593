import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLeases } from '../../../../src/checks/budget/leases.ts';
import type { BudgetStore, Settlement } from '../../../../src/checks/budget/store.ts';

const MINUTE_MS = 60_000;
const operation = () => ({ keyHash: 'sha256:one', operationId: randomUUID(), accounts: [] });

/** A store whose Redis refuses everything, with its received commands. */
function away() {
  const settlements: Settlement[] = [];
  const renewals: number[] = [];
  const fail = (): Promise<never> => Promise.reject(new Error('Redis is away'));
  const store: BudgetStore = {
    reserve: fail,
    release: fail,
    status: fail,
    getLimits: fail,
    setLimits: fail,
    settle(settlement) {
      settlements.push(settlement);
      return fail();
    },
    renew(_keyHash, ids) {
      renewals.push(ids.length);
      return Promise.resolve([]);
    },
  };
  return { store, settlements, renewals };
}

describe('leases', () => {
  beforeEach(
    () =>
      void vi.useFakeTimers({
        toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
      }),
  );
  afterEach(() => void vi.useRealTimers());

  it('repeat a settlement for 50 minutes, since it may have been applied', async () => {
    const { store, settlements } = away();
    let failures = 0;
    const leases = createLeases({ store, renewAfterMs: 10_000, onFailure: () => (failures += 1) });
    leases.settleLater({ ...operation(), costNanoUsd: 5 });
    await vi.advanceTimersByTimeAsync(49 * MINUTE_MS);
    const before = settlements.length;
    await vi.advanceTimersByTimeAsync(MINUTE_MS - 6_000);
    expect(settlements.length).toBeGreaterThan(before);
    expect(settlements.every(({ repeated, costNanoUsd }) => repeated && costNanoUsd === 5)).toBe(true);
    await vi.advanceTimersByTimeAsync(12_000);
    const last = settlements.length;
    await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
    expect(settlements).toHaveLength(last);
    expect(failures).toBe(last);
    await leases.close();
  });

  it('are renewed 200 at once, except released ones', async () => {
    const { store, renewals } = away();
    const leases = createLeases({ store, renewAfterMs: 10_000, onFailure: () => undefined });
    const held = Array.from({ length: 402 }, operation);
    for (const one of held) leases.hold(one);
    leases.letGo(held[0]?.operationId ?? '');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(renewals).toEqual([200, 200, 1]);
    await leases.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(renewals).toHaveLength(3);
  });
});
