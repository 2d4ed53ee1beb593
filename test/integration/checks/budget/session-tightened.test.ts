import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Account, BudgetStore } from '../../../../src/checks/budget/store.ts';
import { windowAccounts } from '../../../../src/checks/budget/accounts.ts';
import { createRedisSessionStore } from '../../../../src/checks/session/redis-store.ts';
import type { Session, SessionStore } from '../../../../src/checks/session/store.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { budgetStore, newKeyHash, reservation, USD, useRedis } from './support.ts';

const TTL_MS = 60_000;

let client: RedisClient;
let budgets: BudgetStore;
let sessions: SessionStore;

useRedis((started) => {
  ({ client } = started);
  budgets = budgetStore(client);
  sessions = createRedisSessionStore({ client, deadlineMs: 2_500, ttlMs: TTL_MS, maxPerKey: 0 });
});

/** The two scripts of a call, which others may interrupt. */
function rig() {
  const name = { keyHash: newKeyHash(), sessionId: 'one' };
  const account = (limitNanoUsd: number | undefined): Account => ({
    name: 'session',
    ledger: 'session:one',
    calendar: 'none',
    limitNanoUsd,
    idleMs: TTL_MS,
  });
  return {
    end: () => sessions.end(name),
    async open(budgetNanoUsd: number | undefined): Promise<Session> {
      const step = { ...name, operationId: randomUUID(), maxSteps: undefined, budgetNanoUsd };
      const result = await sessions.open(step);
      if (result.kind !== 'opened') throw new Error(result.kind);
      return result.session;
    },
    async reserve({ budgetNanoUsd }: Session, cost: number): Promise<string> {
      const accounts = [...windowAccounts({}), account(budgetNanoUsd)];
      return (await budgets.reserve(reservation(name.keyHash, {}, cost, { accounts }))).kind;
    },
  };
}

it.each([10 * USD, undefined])(
  'a tightened budget applies to a call that was opened under %s and has not reserved yet',
  async (before) => {
    const { open, reserve } = rig();
    const early = await open(before);
    const late = await open(USD);
    expect(await reserve(late, 0.9 * USD)).toBe('reserved');
    expect(await reserve(early, 5 * USD)).toBe('refused');
    expect(await reserve(early, 0.1 * USD)).toBe('reserved');
  },
);

it('a call of an ended session does not overspend a later one of the same name', async () => {
  const { end, open, reserve } = rig();
  const ended = await open(10 * USD);
  await end();
  const begun = await open(USD);
  expect(await reserve(ended, 5 * USD)).toBe('refused');
  expect(await reserve(begun, USD)).toBe('reserved');
});

it('a new session does not inherit the budget of an earlier one of its name', async () => {
  const { end, open, reserve } = rig();
  await reserve(await open(USD), USD);
  await end();
  expect(await reserve(await open(undefined), 5 * USD)).toBe('reserved');
});
