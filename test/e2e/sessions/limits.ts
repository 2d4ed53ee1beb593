import { vi, expect, it } from 'vitest';
import { type Client, expectRefusal, CHAT_BODY, TOKEN, CHAT, WORDS, cli } from '../budgets/rig.ts';
import type { Reply } from '../../support/http.ts';
import { sessionAnchorKey } from '../../../src/redis/keys.ts';
import {
  type SessionHeaders,
  call,
  MAX_TOKENS,
  MOST,
  rig,
  shown,
  strict,
  headersOf,
  anchorOf,
} from './rig.ts';

const PARALLEL = 200;

/** Simultaneous calls, half of them streams; no forwarded call is answered before all others are refused. */
async function race(client: Client, session: (nth: number) => SessionHeaders): Promise<Reply[]> {
  const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
  client.behave({ hold });
  let decided = 0;
  const replies = Promise.all(
    Array.from({ length: PARALLEL }, async (_none, nth) => {
      const reply = await call(client, session(nth), { max_tokens: MAX_TOKENS, stream: nth % 2 === 1 });
      decided += 1;
      return reply;
    }),
  );
  await vi.waitFor(() => expect(decided + client.forwarded().length).toBe(PARALLEL), {
    timeout: 60_000,
    interval: 50,
  });
  answer(undefined);
  return replies;
}

function expectRaced(client: Client, replies: readonly Reply[], type: string): void {
  const refused = replies.filter(({ status }) => status !== 200);
  expect(client.forwarded()).toHaveLength(MOST);
  expect(replies.length - refused.length).toBe(MOST);
  expect(refused).toHaveLength(PARALLEL - MOST);
  for (const reply of refused) {
    expectRefusal(reply, 429, type);
    expect(reply.headers['x-should-retry']).toBe('false');
    expect(reply.headers).not.toHaveProperty('retry-after');
  }
}

export function maxSteps(): void {
  it('200 parallel calls with Max-Steps 10: exactly 10 are forwarded', async () => {
    const client = await rig.newClient();
    const replies = await race(client, () => ({ id: 'race', steps: MOST }));
    expectRaced(client, replies, 'max_steps_exceeded');
    expect(await shown(client, 'race')).toMatchObject({ steps: MOST, max_steps: MOST });
  });

  it('also across two gateways on one Redis', async () => {
    const client = await rig.newClient({ gateways: [rig.gateway, strict.gateway] });
    const replies = await race(client, () => ({ id: 'race', steps: MOST }));
    expectRaced(client, replies, 'max_steps_exceeded');
  });

  it('also under shadow mode', async () => {
    const client = await strict.newClient();
    expect((await call(client, { id: 'a', steps: 1 })).status).toBe(200);
    expectRefusal(await call(client, { id: 'a' }), 429, 'max_steps_exceeded');
  });

  it('limits are set by the first request that names them, and can only be tightened', async () => {
    const client = await rig.newClient();
    expect((await call(client, { id: 'a' })).status).toBe(200);
    expect((await call(client, { id: 'a', steps: 3 })).status).toBe(200);
    expect((await call(client, { id: 'a', steps: 100 })).status).toBe(200);
    expectRefusal(await call(client, { id: 'a', steps: 100 }), 429, 'max_steps_exceeded');
    expect((await call(client, { id: 'b', steps: 100 })).status).toBe(200);
  });

  it('a session of the same name of another key is separate', async () => {
    const [one, other] = [await rig.newClient(), await rig.newClient()];
    expect((await call(one, { id: 'same', steps: 1 })).status).toBe(200);
    expect((await call(other, { id: 'same', steps: 1 })).status).toBe(200);
    expectRefusal(await call(one, { id: 'same' }), 429, 'max_steps_exceeded');
  });

  it('model lists and token counts take no step', async () => {
    const client = await rig.newClient();
    const session = headersOf({ id: 'a', steps: 1 });
    for (let nth = 0; nth < 3; nth++) {
      const path = '/anthropic/v1/messages/count_tokens';
      const counted = await client.ask(
        { model: 'flat', messages: CHAT_BODY.messages },
        { path, headers: session },
      );
      expect(counted.status).toBe(200);
    }
    expect(await shown(client, 'a')).toBeUndefined();
    expect((await call(client, { id: 'a', steps: 1 })).status).toBe(200);
  });
}

export function sessionBudget(): void {
  const usd = (MOST * MAX_TOKENS * TOKEN) / 1e9;

  it('200 parallel calls into a budget for 10: exactly 10 are forwarded, and it is spent', async () => {
    const client = await rig.newClient();
    const replies = await race(client, () => ({ id: 'race', usd }));
    expectRaced(client, replies, 'session_budget_exceeded');
    await vi.waitFor(async () =>
      expect(await shown(client, 'race')).toMatchObject({ spend_usd: usd, steps: MOST }),
    );
    const over = await call(client, { id: 'race' });
    expectRefusal(over, 429, 'session_budget_exceeded');
    expect(over.headers).toMatchObject({
      'x-should-retry': 'false',
      'x-gateway-session-remaining': '0',
      'x-gateway-budget-window': 'session',
      'x-gateway-session-spend': '0.004',
      'x-gateway-session-steps': '10',
    });
  });

  it('bounds the output of a request that sets no limit, for a key without a budget', async () => {
    const client = await rig.newClient();
    const body = { model: 'flat', messages: CHAT_BODY.messages };
    const reply = await call(client, { id: 'a', usd: 0.004 }, body, { path: CHAT });
    expect(reply.status).toBe(200);
    expect(client.forwarded()[0]?.json).toMatchObject({ max_completion_tokens: 1_000 });
  });

  it('refuses requests with an unknown price or open cost', async () => {
    const client = await rig.newClient();
    const session = { id: 'a', usd: 1 };
    expectRefusal(await call(client, session, { model: 'unknown-model' }), 403, 'policy_denied');
    expectRefusal(await call(client, session, { service_tier: 'priority' }), 400, 'invalid_request');
    expect(client.forwarded()).toEqual([]);
    expect((await call(client, { id: 'b' }, { model: 'unknown-model' })).status).toBe(200);
  });

  it('of 0 admits nothing', async () => {
    const client = await rig.newClient();
    expectRefusal(await call(client, { id: 'a', usd: 0 }), 429, 'session_budget_exceeded');
    expect(client.forwarded()).toEqual([]);
  });

  it('is the window in the headers if it is the tightest', async () => {
    const client = await rig.newClient({ budget: { daily: 1 } });
    client.behave({ text: WORDS });
    const inSession = await call(client, { id: 'a', usd: 0.5 });
    expect(inSession.headers).toMatchObject({
      'x-gateway-budget-window': 'session',
      'x-gateway-session-remaining': '0.49999',
    });
    const wide = await call(client, { id: 'b', usd: 5 });
    expect(wide.headers['x-gateway-budget-window']).toBe('daily');
  });
}

export function maxPerKey(): void {
  it('200 parallel new sessions, 10 allowed: exactly 10 are opened', async () => {
    const client = await strict.newClient();
    const replies = await race(client, (nth) => ({ id: `s-${String(nth)}` }));
    expectRaced(client, replies, 'session_limit_exceeded');
    const open = replies.findIndex(({ status }) => status === 200);
    expect((await call(client, { id: `s-${String(open)}` })).status).toBe(200);
    expectRefusal(await call(client, { id: 'another' }), 429, 'session_limit_exceeded');
    await cli(strict.gateway, 'sessions', 'end', client.keyHash, `s-${String(open)}`);
    expect((await call(client, { id: 'another' })).status).toBe(200);
  });
}

export function anchor(): void {
  it('100 parallel first turns leave one anchor, which is never overwritten', async () => {
    const client = await rig.newClient();
    const turn = (nth: number) => ({
      messages: [{ role: 'user', content: `Turn number ${String(nth)}.` }],
    });
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_none, nth) =>
        call(client, { id: 'a' }, { ...turn(nth), stream: nth % 2 === 1 }),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(100);
    const anchor = await anchorOf(client, 'a');
    expect(anchor).toMatch(/^Turn number \d+\.$/);
    await call(client, { id: 'a' }, turn(1_000));
    expect(await anchorOf(client, 'a')).toBe(anchor);
    const ttl = await rig.redis.client.pttl(sessionAnchorKey(client.keyHash, 'a'));
    expect(ttl).toBeGreaterThan(86_000_000);
  });

  it('is stored without its secrets and without the system prompt', async () => {
    const client = await rig.newClient();
    const secret = `AKIA${'Z7QXW2MKJ4VRT5NB'}`;
    const messages = [
      { role: 'system', content: 'You are terse.' },
      { role: 'user', content: `Deploy with ${secret} please.` },
    ];
    expect((await call(client, { id: 'a' }, { messages })).status).toBe(200);
    expect(await anchorOf(client, 'a')).toBe('Deploy with *** please.');
  });

  it('is never a request that the provider refused', async () => {
    const client = await rig.newClient();
    client.behave({ status: 500 });
    await call(client, { id: 'a' }, { messages: [{ role: 'user', content: 'First.' }] });
    expect(await anchorOf(client, 'a')).toBeNull();
    client.behave({});
    await call(client, { id: 'a' }, { messages: [{ role: 'user', content: 'Second.' }] });
    expect(await anchorOf(client, 'a')).toBe('Second.');
  });
}
