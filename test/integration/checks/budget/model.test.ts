import { BUDGET_WINDOWS, type BudgetLimits } from '../../../../src/budget-windows.ts';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedisBudgetStore } from '../../../../src/checks/budget/redis-store.ts';
import type { BudgetStore, Reservation } from '../../../../src/checks/budget/store.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { riskProfileKey } from '../../../../src/redis/keys.ts';
import { windowAccounts } from '../../../../src/checks/budget/accounts.ts';
import { newKeyHash, reservation, useRedis } from './support.ts';
import { Ledger } from './model/ledger.ts';

let client: RedisClient;
useRedis((started) => ({ client } = started));

/** Printed with a counterexample: fc.assert(…, { seed, path }). */
const SEED = 20_261_124;
const RUNS = 200;
const PERCENTS = [50, 80, 100];
/** A minute before the end of a month, on a week's Sunday: all windows turn soon. */
const EVE = Date.UTC(2026, 4, 31, 23, 59, 0);

/** Back over midnight and forward again, with an open reservation: a regression of an earlier run. */
const OVER_MIDNIGHT: Command[] = [
  { kind: 'reserve', wanted: { inputNanoUsd: 0 } },
  { kind: 'wait', ms: -86_400_000 },
  { kind: 'reserve', wanted: { inputNanoUsd: 1 } },
  { kind: 'wait', ms: 2 * 86_400_000 },
  { kind: 'reserve', wanted: { inputNanoUsd: 0 } },
  { kind: 'settle', of: 1, share: 0, repeated: false },
];

type Command =
  | { readonly kind: 'reserve'; readonly wanted: Partial<Reservation> }
  | { readonly kind: 'repeat' | 'renew' | 'release'; readonly of: number }
  | { readonly kind: 'settle'; readonly of: number; readonly share: number; readonly repeated: boolean }
  | { readonly kind: 'lost'; readonly cost: number; readonly repeated: boolean }
  | { readonly kind: 'wait'; readonly ms: number };

const place = fc.nat({ max: 30 });
const amount = fc.oneof(fc.nat({ max: 3_000 }), fc.nat({ max: 3_000_000 }));
const tokens = fc.integer({ min: 1, max: 4_000 });
const wanted: fc.Arbitrary<Partial<Reservation>> = fc.oneof(
  fc.record({ inputNanoUsd: amount }),
  fc
    .record({
      inputNanoUsd: amount,
      outputNanoUsd: fc.constantFrom(0, 0.3, 1, 7.5, 1_000),
      outputTokens: tokens,
    })
    .chain((plain) =>
      fc.constantFrom(plain, { ...plain, lowestTokens: 1_024 }, { ...plain, outputTokens: undefined }),
    ),
);

function commands(waits: readonly number[], most: number): fc.Arbitrary<Command[]> {
  const share =
    most <= 1 ? fc.double({ min: 0, max: 1, noNaN: true }) : fc.constantFrom(0, 0.25, 1, 1.5, most);
  return fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('reserve' as const), wanted }) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('settle' as const),
          of: place,
          share,
          repeated: fc.boolean(),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom('repeat' as const, 'renew' as const, 'release' as const),
          of: place,
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(...waits) }),
      },
      {
        weight: most <= 1 ? 0 : 1,
        arbitrary: fc.record({ kind: fc.constant('lost' as const), cost: amount, repeated: fc.boolean() }),
      },
    ),
    { minLength: 5, maxLength: 40 },
  );
}

const limits: fc.Arbitrary<BudgetLimits> = fc.record(
  Object.fromEntries(
    BUDGET_WINDOWS.map((name) => [
      name,
      fc.oneof(
        { weight: 1, arbitrary: fc.constant(0) },
        { weight: 30, arbitrary: fc.integer({ min: 1_000, max: 9_000_000 }) },
      ),
    ]),
  ),
  { requiredKeys: [] },
);

interface Rig {
  readonly clock: { now: number };
  readonly store: BudgetStore;
  readonly keyHash: string;
  readonly asked: Reservation[];
}

function rig(): Rig {
  const clock = { now: EVE };
  const store = createRedisBudgetStore({
    client,
    deadlineMs: 2_500,
    alertPercents: PERCENTS,
    now: () => clock.now,
  });
  return { clock, store, keyHash: newKeyHash(), asked: [] };
}

async function shown({ store, keyHash }: Rig) {
  const statuses = await store.status(keyHash, windowAccounts({}));
  return statuses.map(({ account, spentNanoUsd, reservedNanoUsd }) => [
    account.name,
    spentNanoUsd,
    reservedNanoUsd,
  ]);
}

const totalOf = async ({ keyHash }: Rig): Promise<number> =>
  Number((await client.hget(riskProfileKey(keyHash), 'total_spend')) ?? 0);

/** Runs one command in Redis and in the model, and expects equal results. */
async function step(rigged: Rig, ledger: Ledger, own: BudgetLimits, command: Command): Promise<void> {
  const { clock, store, keyHash, asked } = rigged;
  const of = 'of' in command ? asked[command.of % Math.max(1, asked.length)] : undefined;
  switch (command.kind) {
    case 'wait':
      clock.now += command.ms;
      return;
    case 'reserve':
      asked.push(reservation(keyHash, own, 0, { accounts: windowAccounts(own), ...command.wanted }));
      return reserved(rigged, ledger, asked.at(-1));
    case 'repeat':
      return reserved(rigged, ledger, of);
    case 'renew': {
      if (of === undefined) return;
      const gone = await store.renew(keyHash, [of.operationId]);
      expect(gone).toEqual(ledger.renew(of.operationId, clock.now) ? [] : [of.operationId]);
      return;
    }
    case 'release':
      return settled(rigged, ledger, of, 0, false);
    case 'settle':
      return settled(rigged, ledger, of, undefined, command.repeated, command.share);
    case 'lost': {
      const lost = reservation(keyHash, own, 0);
      asked.push(lost);
      return settled(rigged, ledger, lost, command.cost, command.repeated);
    }
  }
}

async function reserved({ clock, store }: Rig, ledger: Ledger, one: Reservation | undefined): Promise<void> {
  if (one === undefined) return;
  const expected = ledger.reserve(one.operationId, clock.now, one);
  const result = await store.reserve(one);
  expect(result.kind).toBe(expected.kind);
  if (result.kind === 'closed') return;
  expect(result.amountNanoUsd).toBe(expected.amount);
  if (result.kind === 'reserved') expect(result.outputTokens).toBe(expected.tokens);
}

async function settled(
  { clock, store }: Rig,
  ledger: Ledger,
  one: Reservation | undefined,
  cost: number | undefined,
  repeated: boolean,
  share = 0,
): Promise<void> {
  if (one === undefined) return;
  const worst = one.inputNanoUsd + one.outputNanoUsd * (one.outputTokens ?? 0);
  const costNanoUsd = cost ?? Math.floor(worst * share);
  const expected = ledger.settle(one.operationId, clock.now, costNanoUsd, !repeated);
  const result = await store.settle({ ...one, costNanoUsd, repeated });
  expect(result.applied).toBe(expected.applied);
  if (!expected.applied) return;
  expect(result.crossed.map(({ account, percent }) => `${account.name} ${percent}`)).toEqual(
    expected.crossed,
  );
}

describe('money in Redis', () => {
  it('equals plain arithmetic, whatever is reserved, repeated, renewed, settled, lost and waited for', async () => {
    const waits = [1, 9_000, 29_999, 30_000, 60_000, 3_600_000, 86_400_000];
    await fc.assert(
      fc.asyncProperty(limits, commands(waits, 4), async (own, run) => {
        const rigged = rig();
        const ledger = new Ledger(own, PERCENTS);
        for (const command of run) {
          await step(rigged, ledger, own, command);
          ledger.expire(rigged.clock.now);
          const expected = BUDGET_WINDOWS.map((name) => {
            const { spent, reserved: held } = ledger.window(name, rigged.clock.now);
            return [name, spent, held];
          });
          expect(await shown(rigged)).toEqual(expected);
        }
        expect(await totalOf(rigged)).toBe(ledger.total);
      }),
      { seed: SEED, numRuns: RUNS },
    );
  }, 60_000);

  it('never exceeds a limit, falls below zero or gets lost, however the clock is set', async () => {
    const waits = [1, 30_000, 60_000, 3_600_000, 86_400_000, -1, -30_000, -60_000, -3_600_000, -86_400_000];
    await fc.assert(
      fc.asyncProperty(limits, commands(waits, 1), async (own, run) => {
        const rigged = rig();
        const { clock, store, keyHash, asked } = rigged;
        const charges = new Map<string, number>();
        const amounts = new Map<string, number>();
        async function expectSound(): Promise<void> {
          for (const [name, spent, held] of await shown(rigged)) {
            expect(spent).toBeGreaterThanOrEqual(0);
            expect(held).toBeGreaterThanOrEqual(0);
            const limit = own[name as keyof BudgetLimits] ?? Infinity;
            expect(Number(spent) + Number(held)).toBeLessThanOrEqual(limit);
          }
        }
        for (const command of run) {
          const one = 'of' in command ? asked[command.of % Math.max(1, asked.length)] : undefined;
          if (command.kind === 'wait') clock.now += command.ms;
          if (command.kind === 'reserve' || (command.kind === 'repeat' && one !== undefined)) {
            const fresh =
              one ??
              reservation(keyHash, own, 0, {
                operationId: randomUUID(),
                ...('wanted' in command && command.wanted),
              });
            if (one === undefined) asked.push(fresh);
            const result = await store.reserve(fresh);
            if (result.kind === 'reserved') amounts.set(fresh.operationId, result.amountNanoUsd);
          }
          if (command.kind === 'renew' && one !== undefined) await store.renew(keyHash, [one.operationId]);
          if ((command.kind === 'settle' || command.kind === 'release') && one !== undefined) {
            const most = amounts.get(one.operationId) ?? 0;
            const costNanoUsd = command.kind === 'settle' ? Math.floor(most * command.share) : 0;
            const { applied } = await store.settle({ ...one, costNanoUsd, repeated: true });
            if (applied) charges.set(one.operationId, costNanoUsd);
          }
          await expectSound();
        }
        for (const one of asked) {
          const costNanoUsd = amounts.get(one.operationId) ?? 0;
          const { applied } = await store.settle({ ...one, costNanoUsd, repeated: true });
          if (applied) charges.set(one.operationId, costNanoUsd);
        }
        await expectSound();
        expect(await totalOf(rigged)).toBe([...charges.values()].reduce((sum, cost) => sum + cost, 0));
        for (const [, , held] of await shown(rigged)) expect(held).toBe(0);
      }),
      { seed: SEED, numRuns: RUNS, examples: [[{}, OVER_MIDNIGHT]] },
    );
  }, 60_000);
});
