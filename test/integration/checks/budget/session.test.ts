import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accountsOf, windowAccounts } from '../../../../src/checks/budget/accounts.ts';
import { settling } from '../../../support/respond.ts';
import type { Account, BudgetStore, Reservation } from '../../../../src/checks/budget/store.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { riskProfileKey, spendKey } from '../../../../src/redis/keys.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { answered, NEW_SESSION, parsed, type RequestOptions } from '../../../support/exchange.ts';
import {
  budgetStore,
  newKeyHash,
  quietBudgetCheck,
  reservation,
  USD,
  useRedis,
  windowStatus,
} from './support.ts';

let redis: TestRedis;
let client: RedisClient;
let store: BudgetStore;

useRedis((started) => {
  ({ redis, client } = started);
  store = budgetStore(client, { alertPercents: [50] });
});

const TTL_MS = 60_000;
const NOON = Date.UTC(2026, 0, 15, 12, 0, 0);

/** The account of a session `one`. */
function sessionAccount(limitNanoUsd: number | undefined): Account {
  return { name: 'session', ledger: 'session:one', calendar: 'none', limitNanoUsd, idleMs: TTL_MS };
}

function inSession(keyHash: string, limit: number | undefined, cost: number): Reservation {
  return reservation(keyHash, {}, cost, { accounts: [...windowAccounts({}), sessionAccount(limit)] });
}

async function ledger(keyHash: string) {
  const [status] = await store.status(keyHash, [sessionAccount(undefined)]);
  return { spent: status?.spentNanoUsd, reserved: status?.reservedNanoUsd };
}

const settle = (held: Reservation, costNanoUsd: number) =>
  store.settle({ ...held, costNanoUsd, repeated: false });

const exists = (keyHash: string): Promise<number> => redis.client.exists(spendKey(keyHash, 'session:one'));

const totalOf = async (keyHash: string): Promise<string | null> =>
  redis.client.hget(riskProfileKey(keyHash), 'total_spend');

describe('the account of a session', () => {
  it('lets exactly 10 of 200 parallel calls into a budget worth 10', async () => {
    const keyHash = newKeyHash();
    const results = await Promise.all(
      Array.from({ length: 200 }, () => store.reserve(inSession(keyHash, 10 * USD, USD))),
    );
    expect(results.filter(({ kind }) => kind === 'reserved')).toHaveLength(10);
    expect(results.find(({ kind }) => kind === 'refused')).toMatchObject({
      tightest: { account: { name: 'session' }, remainingNanoUsd: 0, resetMs: undefined },
    });
    expect(await ledger(keyHash)).toEqual({ spent: 0, reserved: 10 * USD });
  });

  it('records spend without a limit, tells it, and refuses nothing', async () => {
    const keyHash = newKeyHash();
    for (const spent of [3, 6]) {
      const held = inSession(keyHash, undefined, 5 * USD);
      expect(await store.reserve(held)).toMatchObject({ kind: 'reserved', tightest: undefined });
      expect(await settle(held, 3 * USD)).toMatchObject({ sessionSpentNanoUsd: spent * USD });
    }
    const outside = reservation(keyHash, {}, USD);
    await store.reserve(outside);
    expect((await settle(outside, USD)).sessionSpentNanoUsd).toBeUndefined();
    expect(await ledger(keyHash)).toEqual({ spent: 6 * USD, reserved: 0 });
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: 7 * USD });
  });

  it('expires like an idle session', async () => {
    const keyHash = newKeyHash();
    const held = inSession(keyHash, USD, 1);
    await store.reserve(held);
    await redis.client.pexpire(spendKey(keyHash, 'session:one'), 1_000);
    await settle(held, 1);
    expect(await redis.client.pttl(spendKey(keyHash, 'session:one'))).toBeGreaterThan(TTL_MS - 1_000);
  });

  it('raises no alert, since it is a client’s own limit', async () => {
    const held = inSession(newKeyHash(), USD, USD);
    await store.reserve(held);
    expect((await settle(held, USD)).crossed).toEqual([]);
  });
});

describe('a session that was ended during a call', () => {
  const end = (keyHash: string): Promise<number> => redis.client.del(spendKey(keyHash, 'session:one'));

  it('is not recreated by the settlement, which still charges the windows', async () => {
    const keyHash = newKeyHash();
    const held = inSession(keyHash, 10 * USD, 4 * USD);
    await store.reserve(held);
    await end(keyHash);
    expect((await settle(held, USD)).sessionSpentNanoUsd).toBeUndefined();
    expect(await exists(keyHash)).toBe(0);
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: USD, reserved: 0 });
  });

  it('is not recreated if Redis has lost the reservation', async () => {
    const keyHash = newKeyHash();
    await settle(inSession(keyHash, 10 * USD, 4 * USD), USD);
    expect(await exists(keyHash)).toBe(0);
    expect(await windowStatus(store, keyHash, 'daily')).toMatchObject({ spent: USD });
  });

  it('is not recreated by an expiring lease, nor by a late renewal or settlement', async () => {
    const clock = { now: NOON };
    const clocked = budgetStore(client, { now: () => clock.now });
    const keyHash = newKeyHash();
    const held = inSession(keyHash, 10 * USD, 4 * USD);
    await clocked.reserve(held);
    await end(keyHash);
    clock.now += 31_000;
    expect(await windowStatus(clocked, keyHash, 'daily')).toMatchObject({ spent: 4 * USD });
    await clocked.renew(keyHash, [held.operationId]);
    await clocked.settle({ ...held, costNanoUsd: USD, repeated: false });
    expect(await exists(keyHash)).toBe(0);
    expect(await windowStatus(clocked, keyHash, 'daily')).toMatchObject({ spent: USD, reserved: 0 });
  });

  it('and opened again is not charged for the call, and does not get its reservation', async () => {
    const clock = { now: NOON };
    const clocked = budgetStore(client, { now: () => clock.now });
    const keyHash = newKeyHash();
    const old = inSession(keyHash, 10 * USD, 4 * USD);
    const oldLease = inSession(keyHash, 10 * USD, 2 * USD);
    await clocked.reserve(old);
    await clocked.reserve(oldLease);
    await end(keyHash);
    clock.now += 5;
    const fresh = inSession(keyHash, 10 * USD, 7 * USD);
    await clocked.reserve(fresh);
    await clocked.settle({ ...old, costNanoUsd: 3 * USD, repeated: false });
    await clocked.renew(keyHash, [fresh.operationId]);
    clock.now += 29_999;
    await clocked.renew(keyHash, [fresh.operationId]);
    clock.now += 5;
    const [status] = await clocked.status(keyHash, [sessionAccount(undefined)]);
    expect(status).toMatchObject({ spentNanoUsd: 0, reservedNanoUsd: 7 * USD });
    expect(await windowStatus(clocked, keyHash, 'daily')).toMatchObject({
      spent: 5 * USD,
      reserved: 7 * USD,
    });
  });
});

describe('the total spend of a key', () => {
  /** A reservation of 4 USD whose lease has expired and been charged. */
  async function ranOut() {
    const clock = { now: NOON };
    const clocked = budgetStore(client, { now: () => clock.now });
    const keyHash = newKeyHash();
    const held = reservation(keyHash, {}, 4 * USD);
    await clocked.reserve(held);
    clock.now += 31_000;
    await windowStatus(clocked, keyHash, 'daily');
    return { clocked, keyHash, held };
  }

  it('is the sum of all charges, for every window and session', async () => {
    const keyHash = newKeyHash();
    for (const [index, cost] of [5, 0, 7].entries()) {
      const held = index === 1 ? reservation(keyHash, {}, USD) : inSession(keyHash, undefined, USD);
      await store.reserve(held);
      await settle(held, cost);
      await settle(held, cost);
    }
    expect(await totalOf(keyHash)).toBe('12');
  });

  it('includes the full reservation of an expired lease, until the late settlement corrects it', async () => {
    const { clocked, keyHash, held } = await ranOut();
    expect(await totalOf(keyHash)).toBe(String(4 * USD));
    await clocked.settle({ ...held, costNanoUsd: USD, repeated: true });
    expect(await totalOf(keyHash)).toBe(String(USD));
  });

  it('excludes a charge that a stalled worker’s renewal turns into a reservation again', async () => {
    const { clocked, keyHash, held } = await ranOut();
    await clocked.renew(keyHash, [held.operationId]);
    expect(await totalOf(keyHash)).toBe('0');
  });

  it('is exact for sums of more digits than Lua prints, and does not extend the profile’s life', async () => {
    const keyHash = newKeyHash();
    const held = reservation(keyHash, {}, 1);
    await redis.client.hset(riskProfileKey(keyHash), 'risk_score', '10');
    await redis.client.pexpire(riskProfileKey(keyHash), 50_000);
    await store.reserve(held);
    await settle(held, 8_999_999_999_999_999);
    expect(await totalOf(keyHash)).toBe('8999999999999999');
    expect(await redis.client.pttl(riskProfileKey(keyHash))).toBeLessThanOrEqual(50_000);
  });
});

describe('the budget check in a session', () => {
  const config = configSchema.parse({
    session: { ttl: '1m' },
    pricing: { overrides: { flat: { input: 0, output: 1 } } },
    proxy: { unknown_endpoints: 'allow' },
  });

  function budgetCheck() {
    const { check, close } = quietBudgetCheck(config, store);
    return { check: settling(check), close };
  }

  function chat(budgetNanoUsd: number | undefined, options: Partial<RequestOptions> = {}): Parsed {
    const body = { model: 'flat', messages: [{ role: 'user', content: 'x' }] };
    const exchange = parsed({ body, ...options });
    exchange.facts.session = { ...NEW_SESSION, id: `s-${randomUUID()}`, budgetNanoUsd };
    return exchange;
  }

  it('charges the key’s windows and the session', () => {
    const exchange = chat(7);
    expect(accountsOf(exchange).map(({ name, limitNanoUsd }) => [name, limitNanoUsd])).toEqual([
      ['minute', undefined],
      ['hourly', undefined],
      ['daily', undefined],
      ['weekly', undefined],
      ['monthly', undefined],
      ['session', 7],
    ]);
    expect(accountsOf(parsed({ body: { model: 'flat', messages: [] } }))).toHaveLength(5);
  });

  it('refuses over the session’s budget with its own message and headers', async () => {
    const { check, close } = budgetCheck();
    const body = { model: 'flat', messages: [], max_tokens: 1_000 };
    const verdict = await check.requestBody?.(chat(900_000, { body }), {});
    expect(verdict).toEqual({
      kind: 'deny',
      type: 'session_budget_exceeded',
      message: expect.stringMatching(
        /^This request could cost up to 0\.001 USD; the budget of this session has 0\.0009 USD left\. .*no wait will reset it$/,
      ) as unknown,
      headers: { 'x-gateway-session-remaining': '0.0009', 'x-gateway-budget-window': 'session' },
    });
    await close();
  });

  it('names the key’s window if that refuses', async () => {
    const { check, close } = budgetCheck();
    const body = { model: 'flat', messages: [], max_tokens: 2_000 };
    const verdict = await check.requestBody?.(chat(USD, { body, limits: { daily: 1_000 } }), {});
    expect(verdict).toMatchObject({ type: 'budget_exceeded' });
    await close();
  });

  it('grants an output limit, and refuses open costs and unknown endpoints, with only a session’s budget', async () => {
    const { check, close } = budgetCheck();
    const granted = chat(4_000_000);
    expect(await check.requestBody?.(granted, {})).toEqual({ kind: 'pass' });
    expect(granted.edits).toEqual([
      expect.objectContaining({ kind: 'set', value: 1_000 }),
      { kind: 'set', path: ['service_tier'], value: 'default' },
    ]);
    const tier = { model: 'flat', messages: [], service_tier: 'priority' };
    expect(await check.requestBody?.(chat(USD, { body: tier }), {})).toMatchObject({
      type: 'invalid_request',
    });
    const model = { model: 'nobody-knows', messages: [] };
    expect(await check.requestBody?.(chat(USD, { body: model }), {})).toMatchObject({
      type: 'policy_denied',
    });
    const known = chat(USD);
    const unknown = { ...known, endpoint: { ...known.endpoint, operation: 'unknown' as const } };
    expect(await check.requestBody?.(unknown, {})).toMatchObject({
      type: 'policy_denied',
      message:
        'the cost of this endpoint is unknown, and this key or session has a budget: use another endpoint, or a key without a budget',
    });
    const free = chat(undefined);
    expect(await check.requestBody?.(free, {})).toEqual({ kind: 'pass' });
    expect(free.edits).toEqual([]);
    await close();
  });

  it('reports the session’s spend with the cost', async () => {
    const { check, close } = budgetCheck();
    const state = check.begin?.() ?? {};
    const exchange = chat(undefined);
    await check.requestBody?.(exchange, state);
    const whole = answered(exchange, { usage: { inputTokens: 0, outputTokens: 40 } });
    await check.response?.(whole, state);
    expect(Object.fromEntries(whole.responseHeaders)).toEqual({
      'x-gateway-request-cost': '0.00004',
      'x-gateway-session-spend': '0.00004',
    });
    await close();
  });
});
