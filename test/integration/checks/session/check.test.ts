import { afterAll, describe, expect, it } from 'vitest';
import { createSessionCheck } from '../../../../src/checks/session/check.ts';
import { createRedisSessionStore } from '../../../../src/checks/session/redis-store.ts';
import type { SessionStore } from '../../../../src/checks/session/store.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { SessionRead } from '../../../../src/pipeline/read-ahead.ts';
import { startTestRedis } from '../../../support/redis.ts';
import { answered, parsed, type RequestOptions } from '../../../support/exchange.ts';
import { connect, useRedis } from '../budget/support.ts';
import { DAY_MS } from '../../../contracts/session-rig.ts';
import { respond } from '../../../support/respond.ts';

let client: RedisClient;
let store: SessionStore;
const closing: (() => Promise<void>)[] = [];

useRedis((started) => {
  ({ client } = started);
  store = sessionStore(client);
});
afterAll(() => Promise.all(closing.map((close) => close())));

function sessionStore(on: RedisClient, deadlineMs = 2_500): SessionStore {
  return createRedisSessionStore({ client: on, deadlineMs, ttlMs: DAY_MS, maxPerKey: 0 });
}

function sessionCheck(own = store, required = false) {
  const counts = { failures: 0, masked: 0 };
  const { check, close } = createSessionCheck({
    store: own,
    required,
    maskSecrets(text) {
      counts.masked += 1;
      return text.replaceAll('hunter2', '***');
    },
    onFailure: () => (counts.failures += 1),
  });
  closing.push(close);
  return { check, close, counts };
}

type CheckUnderTest = ReturnType<typeof sessionCheck>['check'];

const CHAT = { model: 'flat', messages: [{ role: 'user', content: 'My password is hunter2.' }] };

function request(
  headers: Readonly<Record<string, string>> = { 'x-gateway-session-id': 'one' },
  options: Partial<RequestOptions> = {},
): Parsed {
  return { ...parsed({ body: CHAT, ...options }), headers: new Map(Object.entries(headers)) };
}

/** Runs both hooks of a request; returns the verdict that ended it. */
async function ask(check: CheckUnderTest, exchange: Parsed) {
  const state = check.begin?.() ?? { mcp: {}, stored: new SessionRead() };
  const early = await check.requestHeaders?.(exchange, state);
  if (early?.kind !== 'pass') return { state, verdict: early };
  check.prepare?.(exchange, state);
  const verdict = await check.requestBody?.(exchange, state);
  return { state, verdict };
}

const stored = (exchange: Parsed) => store.read({ keyHash: exchange.key.keyHash, sessionId: 'one' });

describe('the session state for other checks', () => {
  it('is the current session, including this call', async () => {
    const { check } = sessionCheck();
    const exchange = request({ 'x-gateway-session-id': 'one', 'x-gateway-session-budget': '2.5' });
    expect((await ask(check, exchange)).verdict).toEqual({ kind: 'pass' });
    expect(exchange.facts.session).toMatchObject({
      id: 'one',
      state: undefined,
      steps: 1,
      spendNanoUsd: 0,
      budgetNanoUsd: 2_500_000_000,
      taintFlags: [],
      toolsCalled: [],
    });
  });

  it('is empty without a session, and Redis is not called', async () => {
    const { check } = sessionCheck();
    const exchange = request({});
    expect(await ask(check, exchange)).toMatchObject({ verdict: { kind: 'pass' }, state: { mcp: {} } });
    expect(exchange.facts.session).toBeNull();
  });

  it('is empty for a token count', async () => {
    const { check } = sessionCheck();
    const exchange = request(undefined, { provider: 'anthropic', path: '/v1/messages/count_tokens' });
    expect((await ask(check, exchange)).verdict).toEqual({ kind: 'pass' });
    expect(exchange.facts.session).toBeNull();
    expect(await stored(exchange)).toBeUndefined();
  });
});

describe('the first user request', () => {
  it('is masked once, and never stored in plain text while its answer is pending', async () => {
    const { check, counts } = sessionCheck();
    const first = request();
    const { state } = await ask(check, first);
    expect(JSON.stringify(state)).not.toContain('hunter2');
    expect((await stored(first))?.anchor).toBeUndefined();
    await respond(check, answered(first), state);
    expect((await stored(first))?.anchor).toBe('My password is ***.');
    const second = request(undefined, { keyHash: first.key.keyHash });
    await respond(check, answered(second), (await ask(check, second)).state);
    expect(counts.masked).toBe(1);
  });

  it.each([
    ['an error of the provider', { status: 404 }],
    ['an answer that is no 2xx', { status: 304 }],
  ])('is not stored after %s', async (_what, answer) => {
    const { check } = sessionCheck();
    const exchange = request();
    const { state } = await ask(check, exchange);
    await respond(check, answered(exchange, answer), state);
    expect((await stored(exchange))?.anchor).toBeUndefined();
  });

  it('is stored when a stream begins', async () => {
    const { check } = sessionCheck();
    const exchange = request();
    const { state } = await ask(check, exchange);
    await respond(check, answered(exchange, { form: 'stream' }), state);
    expect((await stored(exchange))?.anchor).toBe('My password is ***.');
  });
});

describe('the end of a call', () => {
  it.each([
    ['not_forwarded', 1],
    ['complete', 2],
    ['broken_off', 2],
    ['lost', 2],
  ] as const)('with the outcome %s leaves %d steps', async (kind, steps) => {
    const { check } = sessionCheck();
    const first = request();
    await ask(check, first);
    const second = request(undefined, { keyHash: first.key.keyHash });
    const { state } = await ask(check, second);
    await check.end?.(second, { kind }, state);
    expect((await stored(first))?.session.steps).toBe(steps);
  });

  it('that was refused a step returns none', async () => {
    const { check } = sessionCheck();
    const headers = { 'x-gateway-session-id': 'one', 'x-gateway-session-max-steps': '1' };
    const first = request(headers);
    await ask(check, first);
    const second = request(headers, { keyHash: first.key.keyHash });
    const { state, verdict } = await ask(check, second);
    expect(verdict).toMatchObject({
      kind: 'deny',
      type: 'max_steps_exceeded',
      message:
        'This session has reached its maximum number of calls (1). Start a new session. For clients that retry: Quota exceeded (limit: 0), no wait will reset it',
    });
    await check.end?.(second, { kind: 'not_forwarded' }, state);
    expect((await stored(first))?.session.steps).toBe(1);
  });
});

describe('when Redis fails', () => {
  it('the call is refused, and a taken step is returned when Redis is back', async () => {
    const own = await startTestRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    const ownClient = await connect(own.addr, { read_timeout: 300 });
    const ownStore = sessionStore(ownClient, 500);
    const { check, close, counts } = sessionCheck(ownStore);
    const first = request();
    const taken = await ask(check, first);
    const other = request(undefined, { keyHash: first.key.keyHash });
    const kept = await ask(check, other);

    await own.pause();
    const lost = request(undefined, { keyHash: first.key.keyHash });
    const state = check.begin?.() ?? { mcp: {}, stored: new SessionRead() };
    await check.requestHeaders?.(lost, state);
    check.prepare?.(lost, state);
    await expect(check.requestBody?.(lost, state)).rejects.toMatchObject({ type: 'redis_unavailable' });
    await check.end?.(lost, { kind: 'not_forwarded' }, state);
    await check.end?.(first, { kind: 'not_forwarded' }, taken.state);
    await expect(respond(check, answered(other), kept.state)).rejects.toMatchObject({
      type: 'redis_unavailable',
    });
    expect(counts.failures).toBeGreaterThan(0);

    await own.resume();
    const steps = async (): Promise<number | undefined> =>
      (await ownStore.read({ keyHash: first.key.keyHash, sessionId: 'one' }).catch(() => undefined))?.session
        .steps;
    await expect.poll(steps, { timeout: 10_000 }).toBe(1);
    // Nothing is written twice.
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await steps()).toBe(1);
    await close();
    ownClient.disconnect();
    await own.close();
  });
});

describe('session.required', () => {
  it('refuses a request without a session before its body is read', async () => {
    const { check } = sessionCheck(store, true);
    const verdict = await check.requestHeaders?.(request({}), { mcp: {}, stored: new SessionRead() });
    expect(verdict).toEqual({
      kind: 'deny',
      type: 'invalid_request',
      message: 'this gateway requires a session: send X-Gateway-Session-ID',
    });
    expect((await ask(check, request())).verdict).toEqual({ kind: 'pass' });
  });
});
