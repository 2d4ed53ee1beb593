import { expect, it, vi } from 'vitest';
import type { BudgetCheckDeps } from '../../../../../src/checks/budget/deps.ts';
import { budgetStore } from '../support.ts';
import { budgetCheck, chat, client } from './rig.ts';

export function shippedConstants(): void {
  it('renew a lease of 30 s when it is 10 s old', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    try {
      const store = budgetStore(client);
      const renewals: number[] = [];
      let seconds = 0;
      const watched: BudgetCheckDeps['store'] = {
        ...store,
        renew(keyHash, ids) {
          renewals.push(seconds);
          return store.renew(keyHash, ids);
        },
      };
      const { check, close } = budgetCheck({}, { store: watched });
      const exchange = chat({ maxTokens: 1_000 });
      const state = check.begin?.() ?? {};
      await check.requestBody?.(exchange, state);
      for (seconds = 1; seconds <= 31; seconds++) await vi.advanceTimersByTimeAsync(1_000);
      expect(renewals).toEqual([10, 20, 30]);
      await check.end?.(exchange, { kind: 'not_forwarded' }, state);
      for (; seconds <= 60; seconds++) await vi.advanceTimersByTimeAsync(1_000);
      expect(renewals).toHaveLength(3);
      await close();
    } finally {
      vi.useRealTimers();
    }
  });
}
