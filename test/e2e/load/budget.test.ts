import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LEASE_MS } from '../../support/account.ts';
import type { TestGateway } from '../../support/gateway.ts';
import type { Reply } from '../../support/http.ts';
import { createRandom } from '../../support/random.ts';
import { expectRefusal, startBudgets, TOKEN, type Budgets, type Client } from '../budgets/rig.ts';

/** 1,000 simultaneous requests, each on its own connection, against a budget for exactly 10 of them. */
const REQUESTS = 1_000;
const WORTH = 10;
/** Enough for the slack of a stream that breaks off. */
const MAX_TOKENS = 400;
const LIMIT = WORTH * MAX_TOKENS * TOKEN;

let budgets: Budgets;
let second: Budgets;
let twoWorkers: Budgets;

beforeAll(async () => {
  budgets = await startBudgets();
  [second, twoWorkers] = await Promise.all([
    startBudgets({}, budgets),
    startBudgets({ server: { workers: 2 } }, budgets),
  ]);
});
afterAll(async () => {
  await Promise.all([twoWorkers.close(), second.close()]);
  await budgets.close();
});

const newClient = (...gateways: readonly TestGateway[]): Promise<Client> =>
  budgets.newClient({ budget: { monthly: LIMIT / 1e9 }, gateways });

const isStream = (nth: number): boolean => nth % 2 === 1;

/** Sends this many, half of them streams; `more` may give one a signal to disconnect. */
function askAll(client: Client, more: (nth: number) => object = () => ({}), count = REQUESTS) {
  const replies: (Reply | undefined)[] = Array.from({ length: count });
  const done = Promise.all(
    replies.map(async (_none, nth) => {
      replies[nth] = await client.ask({ max_tokens: MAX_TOKENS, stream: isStream(nth) }, more(nth));
    }),
  );
  const decided = (): Reply[] => replies.filter((reply) => reply !== undefined);
  return { decided, done: done.then(decided) };
}

function withStatus(replies: readonly Reply[], ...statuses: readonly number[]): Reply[] {
  return replies.filter(({ status }) => statuses.includes(status));
}

/** Describes an unexpected answer with the gateways' logs. */
function logLines(gateways: readonly TestGateway[], { headers, status }: Reply): readonly unknown[] {
  const id = String(headers['x-gateway-request-id']);
  const lines = gateways.flatMap((gateway) => gateway.logs().split('\n'));
  return [status, ...lines.filter((line) => line.includes(id))];
}

/** The provider's bill for this client. */
function billed(client: Client): number {
  return client.forwarded().reduce((sum, { billedOutputTokens }) => sum + billedOutputTokens * TOKEN, 0);
}

/** Waits until the provider has seen a client leave: Envoy resets the upstream request some time after the client went. */
async function expectLeaving(client: Client): Promise<void> {
  await vi.waitFor(() => expect(client.forwarded().some(({ clientGone }) => clientGone)).toBe(true), {
    timeout: 30_000,
    interval: 50,
  });
}

/** Expects no reservation left, and a spend between the bill and the limit. */
async function expectSettled(client: Client, withinMs: number): Promise<void> {
  await vi.waitFor(
    async () => {
      expect((await client.account()).reserved).toBe(0);
      expect(client.forwarded().every(({ ended }) => ended)).toBe(true);
    },
    { timeout: withinMs, interval: 250 },
  );
  const { spent } = await client.account();
  expect(spent).toBeGreaterThanOrEqual(billed(client));
  expect(spent).toBeLessThanOrEqual(LIMIT);
}

/** Its leases expire while the other tests run. */
let killed: { readonly client: Client; at: number };

describe('if one of two sidecar processes is killed in the middle', () => {
  it('only the requests of the other continue, and the rest stays reserved', async () => {
    const client = await newClient(twoWorkers.gateway);
    killed = { client, at: Infinity };
    const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
    client.behave({ hold, pieceDelayMs: 3 });
    // Sent one after another, so that each process has some of them.
    const admitted = [];
    for (let count = 1; count <= WORTH; count++) {
      admitted.push(askAll(client, undefined, 1).done);
      await vi.waitFor(() => expect(client.forwarded()).toHaveLength(count), { interval: 5 });
    }
    const { decided, done } = askAll(client, undefined, REQUESTS - WORTH);
    await vi.waitFor(() => expect(decided().length).toBeGreaterThan(0), { timeout: 30_000, interval: 1 });
    process.kill(twoWorkers.gateway.workers()[0]?.pid ?? 0, 'SIGKILL');
    const replies = await done;
    answer(undefined);
    for (const one of await Promise.all(admitted)) replies.push(...one);
    expect(withStatus(replies, 200, 429, 503)).toHaveLength(REQUESTS);
    expect(client.forwarded()).toHaveLength(WORTH);
    expect(withStatus(replies, 200).length).toBeLessThan(WORTH);
    // Its leases still run; no other request may spend them.
    expect((await client.account()).reserved).toBeGreaterThanOrEqual(MAX_TOKENS * TOKEN);
    killed.at = Date.now();
    await twoWorkers.gateway.waitUntil(({ ready }) => ready);
  });
});

describe.each([
  ['one gateway', () => [budgets.gateway]],
  ['two gateways on one Redis', () => [budgets.gateway, second.gateway]],
  ['two sidecar processes', () => [twoWorkers.gateway]],
])('with %s', (_name, gateways) => {
  it('exactly 10 are forwarded, 990 are refused, and the spend is the limit', async () => {
    const client = await newClient(...gateways());
    const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
    client.behave({ hold });
    const { decided, done } = askAll(client);
    await vi.waitFor(() => expect(decided().length + client.forwarded().length).toBe(REQUESTS), {
      timeout: 60_000,
      interval: 50,
    });
    expect(client.forwarded()).toHaveLength(WORTH);
    expect(await client.account()).toEqual({ spent: 0, reserved: LIMIT });
    const odd = decided().filter(({ status }) => status !== 429);
    expect(odd.map((reply) => logLines(gateways(), reply))).toEqual([]);
    for (const reply of decided()) expectRefusal(reply, 429, 'budget_exceeded');
    answer(undefined);
    const replies = await done;
    expect(withStatus(replies, 200)).toHaveLength(WORTH);
    expect(withStatus(replies, 429)).toHaveLength(REQUESTS - WORTH);
    expect(client.forwarded()).toHaveLength(WORTH);
    expect(billed(client)).toBe(LIMIT);
    await client.expectSpent(LIMIT);
  });
});

describe('within lease + 5 s nothing is reserved, and the spend is between the bill and the limit', () => {
  it.each([
    ['one gateway', () => [budgets.gateway]],
    ['two gateways on one Redis', () => [budgets.gateway, second.gateway]],
  ])('if clients disconnect at random, with %s', async (_name, gateways) => {
    const client = await newClient(...gateways());
    const random = createRandom(20_260_721);
    // The first answer is held until every client has left, so at least one leaves in the middle on any machine.
    const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
    let isFirst = true;
    client.behave(() => {
      const script = isFirst ? { hold } : { headersDelayMs: 400 * random(), pieceDelayMs: 3 };
      isFirst = false;
      return script;
    });
    const leavings = Array.from({ length: REQUESTS }, () => new AbortController());
    const { done } = askAll(client, (nth) => ({ signal: leavings[nth]?.signal }));
    await vi.waitFor(() => expect(client.forwarded()).not.toHaveLength(0), { timeout: 30_000, interval: 5 });
    for (const leaving of leavings) setTimeout(() => leaving.abort(), 1_500 * random());
    const replies = await done;
    await expectLeaving(client);
    answer(undefined);
    expect(withStatus(replies, 200, 429, 0)).toHaveLength(REQUESTS);
    await expectSettled(client, LEASE_MS + 5_000);
  });

  it('if clients disconnect at random in the middle of streams, and others arrive', async () => {
    const client = await newClient(budgets.gateway);
    const random = createRandom(4_711);
    client.behave({ pieceDelayMs: 5 });
    const replies: Reply[] = [];
    await Promise.all(
      Array.from({ length: REQUESTS }, async () => {
        await delay(4_000 * random());
        const signal = AbortSignal.timeout(Math.ceil(200 + 600 * random()));
        replies.push(await client.ask({ max_tokens: MAX_TOKENS, stream: true }, { signal }));
      }),
    );
    expect(withStatus(replies, 200, 429, 0)).toHaveLength(REQUESTS);
    await expectLeaving(client);
    await expectSettled(client, LEASE_MS + 5_000);
  });

  it('if one of two sidecar processes was killed in the middle', async () => {
    const { client, at } = killed;
    await expectSettled(client, Math.max(1_000, at + LEASE_MS + 5_000 - Date.now()));
    expect((await client.account()).spent).toBe(LIMIT);
  });
});
