import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { BudgetCheckDeps } from '../../../../../src/checks/budget/deps.ts';
import { holdKey, riskProfileKey } from '../../../../../src/redis/keys.ts';
import { budgetStore, newKeyHash, reservation, USD } from '../support.ts';
import { budgetCheck, chat, client, PINNED, spendOf } from './rig.ts';

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
          // The clock is fake, and Redis's answers are real.
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

  it('remember a hold for an hour longer than its lease, and a settled one for a minute', async () => {
    const store = budgetStore(client);
    const held = reservation(newKeyHash(), { daily: USD }, 1_000);
    const key = holdKey(held.keyHash, held.operationId);
    async function expectLife(leastMs: number, mostMs: number): Promise<void> {
      const left = await client.pttl(key);
      expect(left).toBeGreaterThan(leastMs - 5_000);
      expect(left).toBeLessThanOrEqual(mostMs);
    }
    await store.reserve(held);
    await expectLife(3_630_000, 3_630_000);
    const later = budgetStore(client, { now: () => Date.now() + 60_000 });
    await later.status(held.keyHash, held.accounts);
    await expectLife(3_600_000, 3_600_000);
    await store.settle({ ...held, costNanoUsd: 1, repeated: false });
    await expectLife(60_000, 60_000);
  });

  it('charge 64 expired leases in one call, and the rest in the next ones', async () => {
    let now = Date.now();
    const store = budgetStore(client, { now: () => now });
    const keyHash = newKeyHash();
    for (let nth = 0; nth < 100; nth++) await store.reserve(reservation(keyHash, {}, 1_000));
    now += 30_000;
    const charged = async (): Promise<number> =>
      Number((await client.hget(riskProfileKey(keyHash), 'total_spend')) ?? 0);
    await store.reserve(reservation(keyHash, {}, 1_000));
    expect(await charged()).toBe(64_000);
    await store.reserve(reservation(keyHash, {}, 1_000));
    expect(await charged()).toBe(100_000);
  });

  it('grant 256 tokens if a quarter of the remainder buys less, and refuse if that does not fit', async () => {
    const { check } = budgetCheck();
    const fits = chat({ limits: { daily: 600_000 } });
    await check.requestBody?.(fits, {});
    expect(fits.edits).toEqual([expect.objectContaining({ kind: 'set', value: 256 }), PINNED]);
    const over = chat({ limits: { daily: 255_999 } });
    expect(await check.requestBody?.(over, {})).toMatchObject({ type: 'budget_exceeded' });
  });

  it('lower a limit to one token more than the thinking budget, and no further', async () => {
    const thinking = (daily: number) =>
      chat({
        provider: 'anthropic',
        path: '/v1/messages',
        limits: { daily },
        body: {
          model: 'flat',
          max_tokens: 64_000,
          messages: [],
          thinking: { type: 'enabled', budget_tokens: 3_000 },
        },
      });
    const { check } = budgetCheck();
    const fits = thinking(3_001_000);
    expect(await check.requestBody?.(fits, {})).toMatchObject({ kind: 'rewrite' });
    expect(await check.requestBody?.(thinking(3_000_000), {})).toMatchObject({ type: 'budget_exceeded' });
  });

  it('reserve a whole picture at any limit', async () => {
    const { check } = budgetCheck({
      pricing: { overrides: { painted: { input: 0, output: 1, output_image: 30 } } },
    });
    const exchange = chat({
      body: { model: 'painted', messages: [], max_tokens: 100, modalities: ['image', 'text'] },
    });
    await check.requestBody?.(exchange, {});
    expect((await spendOf(exchange)).reserved).toBe(8_192 * 30_000);
  });

  it('grant the room beside the input, one token for three bytes', async () => {
    const { check } = budgetCheck({
      pricing: {
        overrides: { small: { input: 0, output: 1, context_tokens: 10_000, max_output_tokens: 9_000 } },
      },
    });
    const exchange = chat({
      body: { model: 'small', messages: [{ role: 'user', content: 'x'.repeat(6_000) }] },
    });
    await check.requestBody?.(exchange, {});
    const granted = 10_000 - Math.ceil((exchange.body.length + 64) / 3);
    expect(exchange.edits).toEqual([expect.objectContaining({ value: granted }), PINNED]);
  });
}
