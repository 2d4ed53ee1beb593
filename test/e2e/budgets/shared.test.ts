import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { DEFAULT_BUDGET_KEY, SHARED_BUDGETS } from '../../../src/redis/keys.ts';
import { readAccount } from '../../support/account.ts';
import type { Reply } from '../../support/http.ts';
import {
  cli,
  expectRefusal,
  startBudgets,
  TOKEN,
  WORD_PIECES,
  WORDS,
  type Budgets,
  type Client,
} from './rig.ts';

/** docs/budgets.md, "Budgets of several keys". USD of so many tokens of the model `flat`. */
const usd = (tokens: number): number => (tokens * TOKEN) / 1e9;
/** The cost of one request, and its reservation. */
const COST = WORD_PIECES * TOKEN;
const RESERVED_TOKENS = 100;

const BUDGETS: ConfigInput['budgets'] = [
  { name: 'search', match: { tags: { team: 'search' } }, daily: usd(1_000) },
  { name: 'crowd', match: { tags: { team: 'crowd' } }, daily: usd(3_000), monthly: usd(9_000) },
  { name: 'crowd-flat', match: { owners: ['crowd-*'], models: ['fl*'] }, daily: usd(2_500) },
  { name: 'closed', match: { tags: { team: 'closed' } }, monthly: 0 },
  { name: 'everything', match: {}, monthly: usd(100_000) },
];

let first: Budgets;
let second: Budgets;
beforeAll(async () => {
  first = await startBudgets({ budgets: BUDGETS });
  second = await startBudgets({ budgets: BUDGETS }, first);
});
afterAll(async () => {
  await second.close();
  await first.close();
});

const account = (name: string) => readAccount(first.redis, `budget:${name}`);

function ask(client: Client, body: object = {}): Promise<Reply> {
  return client.ask({ max_tokens: RESERVED_TOKENS, ...body });
}

describe('a budget that several keys share', () => {
  it('refuses what does not fit, names itself, and leaves other keys alone', async () => {
    const one = await first.newClient({ key: { tags: { team: 'search' } }, budget: { daily: 1 } });
    const other = await first.newClient({ key: { tags: { team: 'search' } } });
    const stranger = await first.newClient({ key: { tags: { team: 'maps' } } });
    one.behave({ outputTokens: 950 });
    const paid = await one.ask({ max_tokens: 950 });
    expect([paid.status, paid.headers['x-gateway-budget-window']]).toEqual([200, 'search:daily']);
    expect(paid.headers['x-gateway-session-remaining']).toBe(String(usd(50)));
    expect(await account('search')).toEqual({ spent: 950 * TOKEN, reserved: 0 });

    const refused = await ask(other);
    expectRefusal(refused, 429, 'budget_exceeded');
    expect(refused.body).toContain('the daily budget search');
    expect(refused.headers['x-gateway-budget-window']).toBe('search:daily');
    expect((await ask(stranger)).status).toBe(200);
    // Nothing stays reserved in the accounts that had room.
    await other.expectSpent(0);
    expect((await account('everything')).reserved).toBe(0);
  });

  it('of 0 blocks its keys', async () => {
    const client = await first.newClient({ key: { tags: { team: 'closed' } } });
    const refused = await ask(client);
    expectRefusal(refused, 429, 'budget_exceeded');
    expect(refused.body).toContain('the monthly budget closed is 0 USD');
  });

  it('is listed with its spend', async () => {
    const { code, stdout } = await cli(first.gateway, 'budget', 'list', '--output', 'json');
    const { budgets } = JSON.parse(stdout) as { budgets: { name: string; windows: object[] }[] };
    expect([code, budgets.map(({ name }) => name)]).toEqual([0, BUDGETS?.map(({ name }) => name)]);
    expect(budgets[0]?.windows).toContainEqual(
      expect.objectContaining({ window: 'daily', limit_usd: usd(1_000), spent_usd: usd(950) }),
    );
  });

  it('is not exceeded by 300 simultaneous calls of three keys over two gateways', async () => {
    const gateways = [first.gateway, second.gateway];
    const keys = await Promise.all(
      [1, 2, 3].map((nth) =>
        first.newClient({
          key: { owner: `crowd-${String(nth)}`, tags: { team: 'crowd' } },
          budget: { daily: usd(2_000) },
          gateways,
        }),
      ),
    );
    for (const key of keys) key.behave({ text: WORDS, headersDelayMs: 20 });
    let peak = 0;
    const watching = new AbortController();
    const watch = (async () => {
      while (!watching.signal.aborted) {
        const { spent, reserved } = await account('crowd-flat');
        peak = Math.max(peak, spent + reserved);
        await delay(2);
      }
    })();
    const replies = (
      await Promise.all(keys.map((key) => Promise.all(Array.from({ length: 100 }, () => ask(key)))))
    ).flat();
    watching.abort();
    await watch;
    const served = replies.filter(({ status }) => status === 200).length;
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]));
    expect(peak).toBeLessThanOrEqual(2_500 * TOKEN);
    const spent = { spent: served * COST, reserved: 0 };
    await expect.poll(() => account('crowd-flat')).toEqual(spent);
    await expect.poll(() => account('crowd')).toEqual(spent);
    const ofKeys = await Promise.all(keys.map((key) => key.account()));
    expect(ofKeys.reduce((sum, one) => sum + one.spent, 0)).toBe(served * COST);
    expect(ofKeys.map(({ reserved }) => reserved)).toEqual([0, 0, 0]);
  });
});

describe('a shared budget set by command', () => {
  async function set(...flags: readonly string[]): Promise<void> {
    const { code, stderr } = await cli(first.gateway, 'budget', 'set', '--tag', 'team=made', ...flags);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }
  const made = () => readAccount(first.redis, 'shared:team-made');

  it('applies to the next request at every gateway, as do its changes and its end', async () => {
    const gateways = [first.gateway, second.gateway];
    const client = await first.newClient({ key: { tags: { team: 'made' } }, gateways });
    const stranger = await first.newClient({ key: { tags: { team: 'maps' } } });
    const everywhere = async (): Promise<number[]> => [
      (await ask(client)).status,
      (await ask(client)).status,
    ];
    client.behave({ text: WORDS });
    expect(await everywhere()).toEqual([200, 200]);

    await set('--daily', String(usd(2 * RESERVED_TOKENS)));
    expect(await everywhere()).toEqual([200, 200]);
    await expect.poll(made).toEqual({ spent: 2 * COST, reserved: 0 });
    await set('--daily', String(usd(1)));
    const refused = await ask(client);
    expectRefusal(refused, 429, 'budget_exceeded');
    expect(refused.body).toContain('the daily budget team-made');
    expect(refused.headers['x-gateway-budget-window']).toBe('team-made:daily');
    expectRefusal(await ask(client), 429, 'budget_exceeded');
    expect((await ask(stranger)).status).toBe(200);

    await set('--daily', 'none');
    expect(await everywhere()).toEqual([200, 200]);
    expect(await made()).toEqual({ spent: 2 * COST, reserved: 0 });
  });

  it('admits nothing over a limit that is lowered during 120 calls over two gateways', async () => {
    const gateways = [first.gateway, second.gateway];
    const client = await first.newClient({ key: { tags: { team: 'made' } }, gateways });
    client.behave({ text: WORDS, headersDelayMs: 20 });
    await set('--daily', String(usd(6_000)));
    const before = Promise.all(Array.from({ length: 60 }, () => ask(client)));
    await delay(30);
    const low = 1_000 * TOKEN;
    await set('--daily', String(usd(1_000)));
    // Requests that were judged earlier may still arrive; no later one may pass the limit.
    await before;
    const settled = await made();
    expect(settled.reserved).toBe(0);
    const late = await Promise.all(Array.from({ length: 60 }, () => ask(client)));
    expect(new Set(late.map(({ status }) => status)).has(429)).toBe(true);
    await expect.poll(async () => (await made()).reserved).toBe(0);
    expect((await made()).spent).toBeLessThanOrEqual(Math.max(low, settled.spent));
    await set('--daily', 'none');
  });

  it('refuses every request if it is damaged, and recovers once it is set again', async () => {
    const client = await first.newClient({ key: { tags: { team: 'maps' } } });
    await set('--daily', '1');
    expect((await ask(client)).status).toBe(200);
    await first.redis.client.hset(SHARED_BUDGETS, 'budget:team-made', '{}');
    await first.redis.client.hset(DEFAULT_BUDGET_KEY, 'shared', 'changed');
    expectRefusal(await ask(client), 503, 'redis_unavailable');
    await first.redis.client.del(SHARED_BUDGETS);
    expectRefusal(await ask(client), 503, 'redis_unavailable');
    await set('--daily', '1');
    expect((await ask(client)).status).toBe(200);
    await set('--daily', 'none');
  });

  it('cannot take the name of a configured one', async () => {
    const { code, stderr } = await cli(first.gateway, 'budget', 'set', '--name', 'closed', '--daily', '1');
    expect(code).toBe(1);
    expect(stderr).toContain('the budget closed is in gateway.yaml');
  });
});
