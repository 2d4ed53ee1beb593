import { setImmediate } from 'node:timers/promises';
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
      const answers: Promise<unknown>[] = [];
      let seconds = 0;
      const watched: BudgetCheckDeps['store'] = {
        ...store,
        renew(keyHash, ids) {
          renewals.push(seconds);
          const answer = store.renew(keyHash, ids);
          answers.push(answer);
          return answer;
        },
      };
      async function pass(until: number): Promise<void> {
        while (seconds < until) {
          seconds += 1;
          await vi.advanceTimersByTimeAsync(1_000);
          // The time is made up, and Redis's answers are not.
          await Promise.all(answers);
          await setImmediate();
        }
      }
      const { check, close } = budgetCheck({}, { store: watched });
      const exchange = chat({ maxTokens: 1_000 });
      const state = check.begin?.() ?? {};
      await check.requestBody?.(exchange, state);
      await pass(31);
      expect(renewals).toEqual([10, 20, 30]);
      await check.end?.(exchange, { kind: 'not_forwarded' }, state);
      await pass(60);
      expect(renewals).toHaveLength(3);
      await close();
    } finally {
      vi.useRealTimers();
    }
  });
}
