import { randomUUID } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createRedisSessionStore } from '../../src/checks/session/redis-store.ts';
import { riskProfileKey, sessionAnchorKey, sessionKey, sessionsKey, spendKey } from '../../src/redis/keys.ts';
import { freePort } from '../support/ports.ts';
import type { Reply } from '../support/http.ts';
import {
  CHAT,
  CHAT_BODY,
  cli,
  expectRefusal,
  startBudgets,
  TOKEN,
  WORDS,
  WORD_PIECES,
} from './budgets/rig.ts';
import type { AskOptions, Budgets, Client } from './budgets/rig.ts';

/** docs/sessions.md, its headers, its refusals and its limits; docs/sessions.md. */
const MAX_TOKENS = 400;
const PARALLEL = 200;
const MOST = 10;

let rig: Budgets;
/** `session.max_per_key` is 10, `session.required` is on, shadow mode too, and the telemetry headers are suppressed. */
let strict: Budgets;
beforeAll(async () => {
  const nobody = await freePort();
  rig = await startBudgets({ providers: { groq: { base_url: `http://127.0.0.1:${String(nobody)}` } } });
  strict = await startBudgets(
    {
      server: { shadow_mode: true, strip_budget_headers: true },
      session: { max_per_key: MOST, required: true },
    },
    rig,
  );
});
afterAll(async () => {
  await strict.close();
  await rig.close();
});

interface SessionHeaders {
  readonly id?: string | string[];
  readonly steps?: number | string | string[];
  readonly usd?: number | string | string[];
}

function headersOf({ id, steps, usd }: SessionHeaders): Record<string, string | string[]> {
  const text = (value: number | string | string[]): string | string[] =>
    typeof value === 'number' ? String(value) : value;
  return {
    ...(id === undefined ? {} : { 'x-gateway-session-id': id }),
    ...(steps === undefined ? {} : { 'x-gateway-session-max-steps': text(steps) }),
    ...(usd === undefined ? {} : { 'x-gateway-session-budget': text(usd) }),
  };
}

/** One call of a session. */
function call(
  client: Client,
  session: SessionHeaders,
  body: Readonly<Record<string, unknown>> = {},
  options: AskOptions = {},
): Promise<Reply> {
  return client.ask(body, { ...options, headers: { ...headersOf(session), ...options.headers } });
}

/** So many calls at once, half of them streams; none that is forwarded is answered before all others are refused. */
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

/** `gateway sessions show`. */
async function shown(client: Client, sessionId: string) {
  const { code, stdout } = await cli(
    rig.gateway,
    'sessions',
    'show',
    client.keyHash,
    sessionId,
    '--output',
    'json',
  );
  return code === 0 ? (JSON.parse(stdout) as Record<string, unknown>) : undefined;
}

const anchorOf = (client: Client, sessionId: string): Promise<string | null> =>
  rig.redis.client.get(sessionAnchorKey(client.keyHash, sessionId));

describe('docs/refusals.md max_steps_exceeded: the maximum of steps of a session is reached', () => {
  it('200 parallel calls with Max-Steps 10: exactly 10 are forwarded', async () => {
    const client = await rig.newClient();
    const replies = await race(client, () => ({ id: 'race', steps: MOST }));
    expectRaced(client, replies, 'max_steps_exceeded');
    expect(await shown(client, 'race')).toMatchObject({ steps: MOST, max_steps: MOST });
  });

  it('also over two gateways on one Redis', async () => {
    const client = await rig.newClient({ gateways: [rig.gateway, strict.gateway] });
    const replies = await race(client, () => ({ id: 'race', steps: MOST }));
    expectRaced(client, replies, 'max_steps_exceeded');
  });

  it('also under shadow mode', async () => {
    const client = await strict.newClient();
    expect((await call(client, { id: 'a', steps: 1 })).status).toBe(200);
    expectRefusal(await call(client, { id: 'a' }), 429, 'max_steps_exceeded');
  });

  it('limits come from the first request that names them, and are only ever tightened', async () => {
    const client = await rig.newClient();
    expect((await call(client, { id: 'a' })).status).toBe(200);
    expect((await call(client, { id: 'a', steps: 3 })).status).toBe(200);
    expect((await call(client, { id: 'a', steps: 100 })).status).toBe(200);
    expectRefusal(await call(client, { id: 'a', steps: 100 }), 429, 'max_steps_exceeded');
    expect((await call(client, { id: 'b', steps: 100 })).status).toBe(200);
  });

  it('a session of the same name of another key is another one', async () => {
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
});

describe('docs/mcp.md: a session’s budget', () => {
  const usd = (MOST * MAX_TOKENS * TOKEN) / 1e9;

  it('200 parallel calls into a budget worth 10 of them: exactly 10 are forwarded, and it is spent', async () => {
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

  it('refuses what it could not hold: unknown prices and open costs', async () => {
    const client = await rig.newClient();
    const session = { id: 'a', usd: 1 };
    expectRefusal(await call(client, session, { model: 'nobody-knows' }), 403, 'policy_denied');
    expectRefusal(await call(client, session, { service_tier: 'priority' }), 400, 'invalid_request');
    expect(client.forwarded()).toEqual([]);
    expect((await call(client, { id: 'b' }, { model: 'nobody-knows' })).status).toBe(200);
  });

  it('of 0 lets nothing through', async () => {
    const client = await rig.newClient();
    expectRefusal(await call(client, { id: 'a', usd: 0 }), 429, 'session_budget_exceeded');
    expect(client.forwarded()).toEqual([]);
  });

  it('is the window that the headers name where it is the tightest', async () => {
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
});

describe('docs/serving.md#configuration session.max_per_key: concurrent sessions of a key', () => {
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
});

describe('docs/sessions.md: the first user request is the anchor', () => {
  it('100 parallel first turns leave one anchor, which nothing overwrites', async () => {
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

  it('is stored without its secrets, and without what the system says', async () => {
    const client = await rig.newClient();
    const secret = `AKIA${'Z7QXW2MKJ4VRT5NB'}`;
    const messages = [
      { role: 'system', content: 'You are terse.' },
      { role: 'user', content: `Deploy with ${secret} please.` },
    ];
    expect((await call(client, { id: 'a' }, { messages })).status).toBe(200);
    expect(await anchorOf(client, 'a')).toBe('Deploy with *** please.');
  });

  it('is not the request that the provider refused', async () => {
    const client = await rig.newClient();
    client.behave({ status: 500 });
    await call(client, { id: 'a' }, { messages: [{ role: 'user', content: 'First.' }] });
    expect(await anchorOf(client, 'a')).toBeNull();
    client.behave({});
    await call(client, { id: 'a' }, { messages: [{ role: 'user', content: 'Second.' }] });
    expect(await anchorOf(client, 'a')).toBe('Second.');
  });
});

describe('a session in which no call was answered', () => {
  const TEN_MINUTES_MS = 600_000;
  const DAY_MS = 86_400_000;

  /** Life in ms of every key of a session, wherever it lies. */
  async function lives(client: Client, sessionId: string): Promise<Record<string, number>> {
    const names = (await rig.redis.client.keys(`*${client.keyHash}*`)).filter((name) =>
      name.includes(sessionId),
    );
    const ttls = await Promise.all(names.map((name) => rig.redis.client.pttl(name)));
    return Object.fromEntries(names.map((name, nth) => [name, ttls[nth] ?? 0]));
  }
  async function callsOnTheirWay({ keyHash }: Client, sessionId: string): Promise<number | undefined> {
    const { client } = rig.redis;
    const store = createRedisSessionStore({ client, deadlineMs: 2_500, ttlMs: DAY_MS, maxPerKey: 0 });
    return (await store.read({ keyHash, sessionId }))?.callsOnTheirWay;
  }

  it.each([
    ['401', false, { status: 401 }],
    ['401 to a stream', true, { status: 401 }],
    ['500', false, { status: 500 }],
  ])('but with %s goes within ten minutes, all of it', async (_what, stream, script) => {
    const client = await rig.newClient();
    client.behave(script);
    const ids = Array.from({ length: 5 }, () => randomUUID());
    const replies = await Promise.all(ids.map((id) => call(client, { id, usd: 1, steps: 5 }, { stream })));
    expect(replies.map(({ status }) => status)).toEqual(ids.map(() => script.status));
    for (const id of ids) {
      await vi.waitFor(async () => expect(await callsOnTheirWay(client, id)).toBe(0));
      const left = await lives(client, id);
      expect(Object.keys(left)).toContain(sessionKey(client.keyHash, id));
      expect(Object.keys(left)).toContain(spendKey(client.keyHash, `session:${id}`));
      for (const [name, ttl] of Object.entries(left)) {
        expect([name, ttl > 0 && ttl <= TEN_MINUTES_MS]).toEqual([name, true]);
      }
      const ends = Number(await rig.redis.client.zscore(sessionsKey(client.keyHash), id));
      expect(ends).toBeLessThanOrEqual(Date.now() + TEN_MINUTES_MS);
    }

    client.behave({});
    const [id = ''] = ids;
    expect((await call(client, { id }, { stream })).headers['x-gateway-session-steps']).toBe('2');
    await vi.waitFor(async () => expect(await callsOnTheirWay(client, id)).toBe(0));
    const left = await lives(client, id);
    for (const name of [
      sessionKey(client.keyHash, id),
      spendKey(client.keyHash, `session:${id}`),
      sessionAnchorKey(client.keyHash, id),
    ]) {
      expect([name, (left[name] ?? 0) > DAY_MS - 60_000]).toEqual([name, true]);
    }
  });
});

describe('docs/sessions.md#headers-of-an-answer: X-Gateway-Session-Spend, X-Gateway-Session-Steps', () => {
  it('tell the session’s spend, this request included, and its steps', async () => {
    const client = await rig.newClient();
    client.behave({ text: WORDS });
    const cost = WORD_PIECES * TOKEN;
    const first = await call(client, { id: 'a' });
    expect(first.headers).toMatchObject({
      'x-gateway-session-steps': '1',
      'x-gateway-session-spend': String(cost / 1e9),
    });
    const second = await call(client, { id: 'a' });
    expect(second.headers).toMatchObject({
      'x-gateway-session-steps': '2',
      'x-gateway-session-spend': String((2 * cost) / 1e9),
    });
    expect((await client.ask()).headers).not.toHaveProperty('x-gateway-session-steps');
  });

  it('of a stream: the spend so far in its headers, all of it in the closing comment', async () => {
    const client = await rig.newClient();
    client.behave({ text: WORDS });
    await call(client, { id: 'a' });
    const { headers, body } = await call(client, { id: 'a', usd: 1 }, { stream: true });
    expect(headers).toMatchObject({ 'x-gateway-session-steps': '2', 'x-gateway-session-spend': '0.00001' });
    expect(body).toContain(
      ': x-gateway-request-cost=0.00001 x-gateway-session-spend=0.00002 ' +
        'x-gateway-session-remaining=0.99998 x-gateway-budget-window=session',
    );
  });

  it('are suppressed under server.strip_budget_headers', async () => {
    const client = await strict.newClient();
    const whole = await call(client, { id: 'a', usd: 1 });
    const stream = await call(client, { id: 'a' }, { stream: true });
    for (const { status, headers, body } of [whole, stream]) {
      expect(status).toBe(200);
      expect(Object.keys(headers).filter((name) => /session|budget|cost/.test(name))).toEqual([]);
      expect(body).not.toContain('x-gateway');
    }
  });
});

describe('a call that was never forwarded gives its step back', () => {
  it('denied for its key’s budget', async () => {
    const client = await rig.newClient({ budget: { daily: 0.0001 } });
    const denied = await call(client, { id: 'a', steps: 1 });
    expectRefusal(denied, 429, 'budget_exceeded');
    expect(denied.headers['x-gateway-session-steps']).toBe('0');
    await vi.waitFor(async () => expect(await shown(client, 'a')).toBeUndefined());
    await rig.gateway.setBudget(client.keyHash, { daily: 1 });
    expect((await call(client, { id: 'a', steps: 1 })).status).toBe(200);
  });

  it('whose provider could not be reached', async () => {
    const client = await rig.newClient();
    expect((await call(client, { id: 'a', steps: 2 })).status).toBe(200);
    const path = '/groq/v1/chat/completions';
    const body = { model: 'flat', max_tokens: 10, messages: CHAT_BODY.messages };
    for (let nth = 0; nth < 3; nth++) {
      expectRefusal(await call(client, { id: 'a' }, body, { path }), 502, 'upstream_unavailable');
      await vi.waitFor(async () => expect(await shown(client, 'a')).toMatchObject({ steps: 1 }));
    }
    expect((await call(client, { id: 'a' })).status).toBe(200);
    expectRefusal(await call(client, { id: 'a' }), 429, 'max_steps_exceeded');
  });

  it('one that was refused by the provider does not', async () => {
    const client = await rig.newClient();
    client.behave({ status: 400 });
    expect((await call(client, { id: 'a', steps: 1 })).status).toBe(400);
    expectRefusal(await call(client, { id: 'a' }), 429, 'max_steps_exceeded');
  });
});

describe('docs/sessions.md: what a session header may say', () => {
  it.each<[string, SessionHeaders, string]>([
    ['an empty id', { id: '' }, 'X-Gateway-Session-ID'],
    ['an id with a slash', { id: 'a/b' }, 'X-Gateway-Session-ID'],
    ['an id of 129 characters', { id: 'x'.repeat(129) }, 'X-Gateway-Session-ID'],
    ['two ids', { id: ['a', 'b'] }, 'X-Gateway-Session-ID'],
    ['a negative budget', { id: 'a', usd: -1 }, 'X-Gateway-Session-Budget'],
    ['a budget over the highest', { id: 'a', usd: 9_000_001 }, 'X-Gateway-Session-Budget'],
    ['two budgets', { id: 'a', usd: ['1', '1'] }, 'X-Gateway-Session-Budget'],
    ['an exponent', { id: 'a', usd: '1e3' }, 'X-Gateway-Session-Budget'],
    ['half a step', { id: 'a', steps: 1.5 }, 'X-Gateway-Session-Max-Steps'],
    ['two maxima of steps', { id: 'a', steps: ['9', '9'] }, 'X-Gateway-Session-Max-Steps'],
    ['a budget without an id', { usd: 1 }, 'X-Gateway-Session-Budget'],
    ['a maximum of steps without an id', { steps: 1 }, 'X-Gateway-Session-Max-Steps'],
  ])('%s is a 400 that names the header', async (_what, session, named) => {
    const client = await rig.newClient();
    const reply = await call(client, session);
    expectRefusal(reply, 400, 'invalid_request');
    expect(reply.body).toContain(named);
    expect(client.forwarded()).toEqual([]);
  });

  it('never goes upstream', async () => {
    const client = await rig.newClient();
    await call(client, { id: 'a', steps: 5, usd: 1 });
    expect(
      Object.keys(client.forwarded()[0]?.headers ?? {}).filter((name) => name.includes('session')),
    ).toEqual([]);
  });

  it('session.required refuses a request without an id', async () => {
    const client = await strict.newClient();
    const reply = await client.ask();
    expectRefusal(reply, 400, 'invalid_request');
    expect(reply.body).toContain('X-Gateway-Session-ID');
    expect((await call(client, { id: 'a' })).status).toBe(200);
  });
});

describe('an agent that knows of the gateway by its address and headers only', () => {
  /** The SDK's options; `sent` counts its requests, repeats included. */
  async function sdkOptions(steps: number) {
    const { rawKey } = await rig.gateway.createKey({ allowedProviders: ['openai', 'anthropic'] });
    const sent: string[] = [];
    return {
      sent,
      options: {
        defaultHeaders: {
          authorization: `Bearer ${rawKey}`,
          'x-gateway-provider-key': 'sk-agent',
          ...headersOf({ id: 'run-1', steps, usd: 1 }),
        } as Record<string, string>,
        maxRetries: 3,
        fetch: (url: string | URL | Request, init?: RequestInit) => {
          sent.push(url instanceof Request ? url.url : String(url));
          return fetch(url, init);
        },
      },
    };
  }

  it('OpenAI’s SDK makes the calls that its session may make, and repeats none of the others', async () => {
    const { sent, options } = await sdkOptions(2);
    const openai = new OpenAI({ baseURL: `${rig.gateway.baseUrl}/openai/v1`, apiKey: 'unused', ...options });
    const body = { model: 'flat', max_tokens: 5, messages: [{ role: 'user' as const, content: 'Hello.' }] };
    await openai.chat.completions.create(body);
    const { response } = await openai.chat.completions.create({ ...body, stream: true }).withResponse();
    expect(response.headers.get('x-gateway-session-steps')).toBe('2');
    await response.text();
    const refused = await openai.chat.completions.create(body).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.RateLimitError);
    expect(String(refused)).toContain('this session has made all of its 2 calls');
    expect(sent).toHaveLength(3);
  });

  it('Anthropic’s SDK too', async () => {
    const { sent, options } = await sdkOptions(1);
    const anthropic = new Anthropic({
      baseURL: `${rig.gateway.baseUrl}/anthropic`,
      apiKey: null,
      authToken: null,
      ...options,
    });
    const body = { model: 'flat', max_tokens: 5, messages: [{ role: 'user' as const, content: 'Hello.' }] };
    await anthropic.messages.create(body);
    const refused = await anthropic.messages.create(body).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Anthropic.RateLimitError);
    expect(String(refused)).toContain('max_steps_exceeded');
    expect(sent).toHaveLength(2);
  });
});

describe('docs/risk.md: total_spend and session_count', () => {
  it('are what the key has spent, in sessions and outside, and how many sessions it opened', async () => {
    const client = await rig.newClient();
    client.behave({ text: WORDS });
    await call(client, { id: 'a' });
    await call(client, { id: 'a' }, { stream: true });
    await call(client, { id: 'b' });
    await client.ask();
    await client.expectSpent(4 * WORD_PIECES * TOKEN);
    expect(
      await rig.redis.client.hmget(riskProfileKey(client.keyHash), 'total_spend', 'session_count'),
    ).toEqual([String(4 * WORD_PIECES * TOKEN), '2']);
  });
});

describe('gateway sessions', () => {
  it('lists, shows and ends the sessions of a running gateway', async () => {
    const client = await rig.newClient();
    await call(client, { id: 'a', steps: 1, usd: 2 });
    await call(client, { id: 'b' });
    const listed = await cli(rig.gateway, 'sessions', 'list', client.keyHash, '--output', 'json');
    const { sessions } = JSON.parse(listed.stdout) as { sessions: { id: string }[] };
    expect(sessions.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(await shown(client, 'a')).toMatchObject({ steps: 1, max_steps: 1, budget_usd: 2, state: 'INIT' });
    expectRefusal(await call(client, { id: 'a' }), 429, 'max_steps_exceeded');
    expect((await cli(rig.gateway, 'sessions', 'end', client.keyHash, 'a')).code).toBe(0);
    expect(await anchorOf(client, 'a')).toBeNull();
    const again = await call(client, { id: 'a' });
    expect([again.status, again.headers['x-gateway-session-steps']]).toEqual([200, '1']);
  });

  it('a call that was on its way when its session was ended does not bring it back', async () => {
    const client = await rig.newClient();
    const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
    client.behave({ hold });
    const pending = call(client, { id: 'a', usd: 1 }, { max_tokens: MAX_TOKENS });
    await vi.waitFor(() => expect(client.forwarded()).toHaveLength(1));
    await cli(rig.gateway, 'sessions', 'end', client.keyHash, 'a');
    answer(undefined);
    expect((await pending).status).toBe(200);
    await client.expectSpent(MAX_TOKENS * TOKEN);
    expect(await shown(client, 'a')).toBeUndefined();
    expect(await anchorOf(client, 'a')).toBeNull();
    expect(await rig.redis.client.keys(`gateway:spend:*${client.keyHash}*session:a`)).toEqual([]);
  });
});
