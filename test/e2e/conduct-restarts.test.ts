import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LEASE_MS, readAccount } from '../support/account.ts';
import type { TestGateway } from '../support/gateway.ts';
import { createRandom } from '../support/random.ts';
import { startBudgets, TOKEN, type Budgets, type Client } from './budgets/rig.ts';

/**
 * Two gateways on one Redis are killed and restarted at random under load: no limit is exceeded, no session is
 * stuck, and no reservation outlives its lease. `GATEWAY_TEST_RESTARTS_MS=60000` makes it last a minute.
 */
const LASTS_MS = Number(process.env['GATEWAY_TEST_RESTARTS_MS'] ?? 15_000);
const SEED = 20_261_121;
const CLIENTS = 12;
const SESSIONS = 24;
const MAX_STEPS = 20;
const MAX_TOKENS = 100;
/** Eleven of the dearest calls: some sessions reach it before their steps are used up. */
const SESSION_BUDGET = 11 * MAX_TOKENS * TOKEN;
/** High enough that most sessions reach their own limits first, and the key's at the end. */
const KEY_BUDGET = 200 * MAX_TOKENS * TOKEN;
const REFUSALS = ['max_steps_exceeded', 'session_budget_exceeded', 'budget_exceeded'];

let first: Budgets;
const others: Budgets[] = [];

async function startAnother(): Promise<TestGateway> {
  const another = await startBudgets({}, first);
  others.push(another);
  return another.gateway;
}

beforeAll(async () => {
  first = await startBudgets();
});
afterAll(async () => {
  await Promise.all(others.map((other) => other.close()));
  await first.close();
});

const session = (nth: number): string => `restarts-${String(nth % SESSIONS)}`;

/** Kills one gateway with all its processes, waits, and restarts it; never both at once. */
async function restartAtRandom(
  gateways: TestGateway[],
  random: () => number,
  until: number,
): Promise<number> {
  let restarts = 0;
  while (Date.now() < until) {
    await delay(1_000 * random());
    const which = random() < 0.5 ? 0 : 1;
    gateways[which]?.signal('SIGKILL');
    await gateways[which]?.exited;
    gateways[which] = await startAnother();
    restarts += 1;
  }
  return restarts;
}

/** Sends the requests of one session after another; a killed gateway's missing answer does not count. */
async function load(client: Client, from: number, until: number): Promise<string[]> {
  const types: string[] = [];
  for (let nth = from; Date.now() < until; nth += CLIENTS) {
    const reply = await client.ask(
      { max_tokens: MAX_TOKENS, messages: [{ role: 'user', content: session(nth) }], stream: nth % 3 === 0 },
      {
        headers: {
          'x-gateway-session-id': session(nth),
          'x-gateway-session-max-steps': String(MAX_STEPS),
          'x-gateway-session-budget': String(SESSION_BUDGET / 1e9),
        },
      },
    );
    if (reply.status === 429) types.push((JSON.parse(reply.body) as { type: string }).type);
    if (reply.status === 0 || reply.status >= 500) await delay(20);
  }
  return types;
}

function forwardedBySession(client: Client): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { body } of client.forwarded()) {
    const id = /restarts-\d+/.exec(body.toString())?.[0] ?? 'none';
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

it('holds every limit through restarts, and leaves nothing behind', async () => {
  const random = createRandom(SEED);
  const gateways = [first.gateway, await startAnother()];
  const client = await first.newClient({ budget: { monthly: KEY_BUDGET / 1e9 }, gateways });
  client.behave(() => ({ headersDelayMs: 60 * random(), pieceDelayMs: 2 }));
  const until = Date.now() + LASTS_MS;
  const [restarts, ...refused] = await Promise.all([
    restartAtRandom(gateways, random, until),
    ...Array.from({ length: CLIENTS }, (_none, nth) => load(client, nth, until)),
  ]);
  expect(restarts).toBeGreaterThan(1);
  expect([...new Set(refused.flat())].filter((type) => !REFUSALS.includes(type))).toEqual([]);
  expect(refused.flat().length).toBeGreaterThan(0);

  const counts = forwardedBySession(client);
  expect(counts.size).toBeGreaterThan(SESSIONS / 2);
  for (const count of counts.values()) expect(count).toBeLessThanOrEqual(MAX_STEPS);
  const account = await readAccount(first.redis, client.keyHash, LEASE_MS + 5_000);
  expect(account.reserved).toBe(0);
  expect(account.spent).toBeLessThanOrEqual(KEY_BUDGET);

  // A session with steps and money left continues.
  const other = await first.newClient({ gateways });
  const id = { 'x-gateway-session-id': 'restarts-after', 'x-gateway-session-max-steps': '1' };
  expect((await other.ask({}, { headers: id })).status).toBe(200);
  expect((await other.ask({}, { headers: id })).status).toBe(429);
});
