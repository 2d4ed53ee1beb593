import { randomUUID } from 'node:crypto';
import { it, expect, vi } from 'vitest';
import OpenAI from 'openai';
import Anthropic from '@anthropic-ai/sdk';
import { type Client, WORDS, WORD_PIECES, TOKEN, expectRefusal, CHAT_BODY, cli } from '../budgets/rig.ts';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import {
  sessionKey,
  spendKey,
  sessionsKey,
  sessionAnchorKey,
  riskProfileKey,
} from '../../../src/redis/keys.ts';
import { rig, call, strict, shown, type SessionHeaders, headersOf, anchorOf, MAX_TOKENS } from './rig.ts';

export function unanswered(): void {
  const TEN_MINUTES_MS = 600_000;
  const DAY_MS = 86_400_000;

  /** Lifetime in ms of every key of a session, in any slot. */
  async function lives(client: Client, sessionId: string): Promise<Record<string, number>> {
    const names = (await rig.redis.client.keys(`*${client.keyHash}*`)).filter((name) =>
      name.includes(sessionId),
    );
    const ttls = await Promise.all(names.map((name) => rig.redis.client.pttl(name)));
    return Object.fromEntries(names.map((name, nth) => [name, ttls[nth] ?? 0]));
  }
  async function callsInFlight({ keyHash }: Client, sessionId: string): Promise<number | undefined> {
    const { client } = rig.redis;
    const store = createRedisSessionStore({ client, deadlineMs: 2_500, ttlMs: DAY_MS, maxPerKey: 0 });
    return (await store.read({ keyHash, sessionId }))?.callsInFlight;
  }

  it.each([
    ['401', false, { status: 401 }],
    ['401 to a stream', true, { status: 401 }],
    ['500', false, { status: 500 }],
  ])('but with %s disappears completely within ten minutes', async (_what, stream, script) => {
    const client = await rig.newClient();
    client.behave(script);
    const ids = Array.from({ length: 5 }, () => randomUUID());
    const replies = await Promise.all(ids.map((id) => call(client, { id, usd: 1, steps: 5 }, { stream })));
    expect(replies.map(({ status }) => status)).toEqual(ids.map(() => script.status));
    for (const id of ids) {
      await vi.waitFor(async () => expect(await callsInFlight(client, id)).toBe(0));
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
    await vi.waitFor(async () => expect(await callsInFlight(client, id)).toBe(0));
    const left = await lives(client, id);
    for (const name of [
      sessionKey(client.keyHash, id),
      spendKey(client.keyHash, `session:${id}`),
      sessionAnchorKey(client.keyHash, id),
    ]) {
      expect([name, (left[name] ?? 0) > DAY_MS - 60_000]).toEqual([name, true]);
    }
  });
}

export function answerHeaders(): void {
  it('report the session’s spend, including this request, and its steps', async () => {
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

  it('of a stream: the earlier spend in its headers, all of it in the closing comment', async () => {
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
}

export function notForwarded(): void {
  it('refused by its key’s budget', async () => {
    const client = await rig.newClient({ budget: { daily: 0.0001 } });
    const denied = await call(client, { id: 'a', steps: 1 });
    expectRefusal(denied, 429, 'budget_exceeded');
    expect(denied.headers['x-gateway-session-steps']).toBe('0');
    await vi.waitFor(async () => expect(await shown(client, 'a')).toBeUndefined());
    await rig.gateway.setBudget(client.keyHash, { daily: 1 });
    expect((await call(client, { id: 'a', steps: 1 })).status).toBe(200);
  });

  it('with an unreachable provider', async () => {
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

  it('but not one that the provider refused', async () => {
    const client = await rig.newClient();
    client.behave({ status: 400 });
    expect((await call(client, { id: 'a', steps: 1 })).status).toBe(400);
    expectRefusal(await call(client, { id: 'a' }), 429, 'max_steps_exceeded');
  });
}

export function sessionHeaders(): void {
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

  it('are never forwarded', async () => {
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
}

export function plainAgent(): void {
  /** The SDK's options; `sent` counts its requests, including retries. */
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

  it('OpenAI’s SDK makes the calls that its session allows, and retries none of the others', async () => {
    const { sent, options } = await sdkOptions(2);
    const openai = new OpenAI({ baseURL: `${rig.gateway.baseUrl}/openai/v1`, apiKey: 'unused', ...options });
    const body = { model: 'flat', max_tokens: 5, messages: [{ role: 'user' as const, content: 'Hello.' }] };
    await openai.chat.completions.create(body);
    const { response } = await openai.chat.completions.create({ ...body, stream: true }).withResponse();
    expect(response.headers.get('x-gateway-session-steps')).toBe('2');
    await response.text();
    const refused = await openai.chat.completions.create(body).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpenAI.RateLimitError);
    expect(String(refused)).toContain('This session has reached its maximum number of calls (2)');
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
}

export function totals(): void {
  it('are the key’s spend, in sessions and outside, and the number of its sessions', async () => {
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
}

export function commands(): void {
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

  it('a call in flight when its session was ended does not bring it back', async () => {
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
}
