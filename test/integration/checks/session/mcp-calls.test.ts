import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSessionCheck } from '../../../../src/checks/session/check.ts';
import type { SessionState } from '../../../../src/checks/session/check.ts';
import { createRedisSessionStore } from '../../../../src/checks/session/redis-store.ts';
import { MAX_NOTES } from '../../../../src/checks/session/store.ts';
import { UNANSWERED_LIFE_MS } from '../../../../src/conversation/session-turn.ts';
import type { SessionStore } from '../../../../src/checks/session/store.ts';
import type { Outcome, Parsed } from '../../../../src/pipeline/exchange.ts';
import type { JsonObject } from '../../../../src/providers/provider.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { mcpExchange, toolCall } from '../../../support/mcp-exchange.ts';
import { startTestRedis } from '../../../support/redis.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { answered, parsed } from '../../../support/exchange.ts';
import { connect, newKeyHash } from '../budget/support.ts';
import { DAY_MS } from '../../../contracts/session-rig.ts';

let redis: TestRedis;
let client: RedisClient;

beforeAll(async () => {
  redis = await startTestRedis();
  client = await connect(redis.addr);
});
afterAll(async () => {
  client.disconnect();
  await redis.close();
});

const SESSION = 'x-gateway-session-id';
const MCP_SESSION = 'mcp-session-id';

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonObject | undefined;
  readonly method?: string;
  /** Of the server's answer; undefined where none was seen. */
  readonly status?: number | undefined;
  readonly form?: 'whole' | 'stream';
  readonly outcome?: Outcome;
}

/** One key and its session check; `trips` counts what goes to Redis. */
function rig(options: { required?: boolean; maxPerKey?: number } = {}) {
  const keyHash = newKeyHash();
  const own = createRedisSessionStore({
    client,
    deadlineMs: 2_500,
    ttlMs: DAY_MS,
    maxPerKey: options.maxPerKey ?? 0,
  });
  const trips: string[] = [];
  const counted = new Proxy(own, {
    get(target, name: keyof SessionStore) {
      trips.push(name);
      return target[name];
    },
  });
  const { check } = createSessionCheck({
    store: counted,
    required: options.required ?? false,
    maskSecrets: (text) => text,
    onFailure: () => undefined,
  });

  async function begin(exchange: Parsed) {
    const state = check.begin?.() as SessionState;
    const early = await check.requestHeaders?.(exchange, state);
    if (early?.kind !== 'pass') return { state, verdict: early };
    check.prepare?.(exchange, state);
    return { state, verdict: await check.requestBody?.(exchange, state) };
  }

  async function send(sent: Sent) {
    const { headers = { [SESSION]: 'one' }, method } = sent;
    const body = 'body' in sent ? sent.body : toolCall('read_file');
    const exchange = mcpExchange({ body, headers, key: { keyHash }, ...(method && { method }) });
    const { state, verdict } = await begin(exchange);
    if (verdict?.kind === 'deny') {
      await check.end?.(exchange, { kind: 'not_forwarded' }, state);
      return { exchange, verdict };
    }
    const status = 'status' in sent ? sent.status : 200;
    if (status === undefined) {
      await check.end?.(exchange, sent.outcome ?? { kind: 'lost' }, state);
      return { exchange, verdict };
    }
    const answer = answered(exchange, { status, form: sent.form ?? 'whole' });
    const late = await check.response?.(answer, state);
    await check.end?.(answer, sent.outcome ?? { kind: 'complete' }, state);
    return { exchange, verdict: late };
  }
  const stored = (sessionId = 'one') => own.peek({ keyHash, sessionId });
  return { keyHash, own, trips, check, begin, send, stored };
}

const tool = (name: string): Pick<Sent, 'body'> => ({ body: toolCall(name) });

describe('a call of a tool in a session', () => {
  it('opens it without a step, and is in its history once the server has answered', async () => {
    const { send, stored, begin, keyHash } = rig();
    const first = await send(tool('list_files'));
    expect(first.exchange.facts.session).toMatchObject({
      id: 'one',
      state: undefined,
      steps: 0,
      toolsCalled: [],
    });
    expect(await stored()).toMatchObject({ steps: 0, toolsCalled: ['list_files'] });
    const second = mcpExchange({ body: toolCall('x'), headers: { [SESSION]: 'one' }, key: { keyHash } });
    await begin(second);
    expect(second.facts.session).toMatchObject({ toolsCalled: ['list_files'] });
  });

  it('belongs to the session of MCP where it names no other', async () => {
    const { send, stored } = rig();
    await send({ headers: { [MCP_SESSION]: 'mcp-1' } });
    await send({ headers: { [MCP_SESSION]: 'mcp-1', [SESSION]: 'own' }, ...tool('b') });
    await send({ headers: { [MCP_SESSION]: 'an id with blanks, as some servers hand out' } });
    expect(await stored('mcp-1')).toMatchObject({ toolsCalled: ['read_file'] });
    expect(await stored('own')).toMatchObject({ toolsCalled: ['b'] });
  });

  it('without any session has none, and costs nothing', async () => {
    const { send, trips } = rig();
    const { exchange, verdict } = await send({ headers: {} });
    expect([verdict, exchange.facts.session, trips]).toEqual([{ kind: 'pass' }, undefined, []]);
  });

  it('tells steps and spend of the session, like a call of a model', async () => {
    const { send, check, keyHash } = rig();
    const chat = {
      ...parsed({ body: { model: 'm', messages: [] }, keyHash }),
      headers: new Map([[SESSION, 'one']]),
    };
    const state = check.begin?.() as SessionState;
    await check.requestHeaders?.(chat, state);
    check.prepare?.(chat, state);
    await check.requestBody?.(chat, state);
    await check.response?.(answered(chat), state);
    const { exchange } = await send({});
    expect(Object.fromEntries(exchange.responseHeaders)).toEqual({
      'x-gateway-session-steps': '1',
      'x-gateway-session-spend': '0',
    });
  });

  it('is not stopped by a session that has made its steps, and takes none of them', async () => {
    const { send, check, keyHash, stored } = rig();
    const headers = { [SESSION]: 'one', 'x-gateway-session-max-steps': '1' };
    const chat = {
      ...parsed({ body: { model: 'm', messages: [] }, keyHash }),
      headers: new Map(Object.entries(headers)),
    };
    const state = check.begin?.() as SessionState;
    await check.requestHeaders?.(chat, state);
    check.prepare?.(chat, state);
    expect(await check.requestBody?.(chat, state)).toEqual({ kind: 'pass' });
    for (let nth = 0; nth < 3; nth++) expect((await send({ headers })).verdict).toEqual({ kind: 'pass' });
    expect(await stored()).toMatchObject({ steps: 1, maxSteps: 1 });
  });

  it('tightens the limits that it names', async () => {
    const { send, stored } = rig();
    await send({});
    const limits = (steps: string, usd: string) => ({
      [SESSION]: 'one',
      'x-gateway-session-max-steps': steps,
      'x-gateway-session-budget': usd,
    });
    await send({ headers: limits('9', '2') });
    expect(await stored()).toMatchObject({ maxSteps: 9, budgetNanoUsd: 2_000_000_000 });
    await send({ headers: limits('10', '1') });
    expect(await stored()).toMatchObject({ maxSteps: 9, budgetNanoUsd: 1_000_000_000 });
  });

  it('waits for Redis once before it is forwarded and once before its answer, where the session stays anyway', async () => {
    const { send, trips } = rig();
    await send({});
    // Of the last nobody waits, nor of `renew`, which says that a call is on its way.
    expect(trips).toEqual(['peek', 'open', 'keep', 'finish']);
    trips.length = 0;
    await send(tool('b'));
    await send(tool('b'));
    const again = ['peek', 'renew', 'keep', 'finish'];
    expect(trips).toEqual([...again, ...again]);
  });

  it('keeps the session from being forgotten while it runs, and only so long', async () => {
    const { begin, check, own, send, keyHash } = rig();
    await send({});
    const calls = async (): Promise<number | undefined> =>
      (await own.read({ keyHash, sessionId: 'one' }))?.callsOnTheirWay;
    expect(await calls()).toBe(0);
    const exchange = mcpExchange({ body: toolCall('slow'), headers: { [SESSION]: 'one' }, key: { keyHash } });
    const { state } = await begin(exchange);
    await expect.poll(calls).toBe(1);
    const answer = answered(exchange, { status: 200, form: 'stream' });
    await check.response?.(answer, state);
    expect(await calls()).toBe(1);
    await check.end?.(answer, { kind: 'complete' }, state);
    expect(await calls()).toBe(0);
    expect(await own.peek({ keyHash, sessionId: 'one' })).toMatchObject({ answered: true });
  });

  it.each([
    ['answered 2xx', { status: 200 }, true],
    ['that broke down in the server', { status: 500 }, false],
    ['that the server refused', { status: 401 }, false],
    ['whose answer was lost', { status: undefined }, false],
  ])('%s gives its session its whole life, or not', async (_what, sent, whole) => {
    const { send, stored } = rig();
    await send(sent);
    expect(await stored()).toMatchObject({ answered: whole, lifeMs: whole ? DAY_MS : UNANSWERED_LIFE_MS });
  });

  it.each<[string, Sent, readonly string[]]>([
    ['answered', { status: 200 }, ['read_file']],
    ['answered as a stream', { status: 200, form: 'stream' }, ['read_file']],
    ['that broke down in the server', { status: 500 }, ['read_file']],
    ['whose answer was lost: the tool may have run', { status: undefined }, ['read_file']],
    ['that the server refused', { status: 404 }, []],
    ['that was denied by a later check', { status: undefined, outcome: { kind: 'not_forwarded' } }, []],
    [
      'that did not reach the server',
      { status: undefined, outcome: { kind: 'not_forwarded', upstreamFailed: true } },
      [],
    ],
  ])('%s is remembered as called, or not', async (_what, sent, toolsCalled) => {
    const { send, stored } = rig();
    await send(tool('before'));
    await send(sent);
    expect((await stored())?.toolsCalled).toEqual(['before', ...toolsCalled]);
  });

  it('whose answer an earlier check withholds is remembered all the same', async () => {
    const { begin, check, stored, keyHash } = rig();
    const exchange = mcpExchange({ body: toolCall('a'), headers: { [SESSION]: 'one' }, key: { keyHash } });
    const { state } = await begin(exchange);
    await check.end?.(answered(exchange), { kind: 'complete' }, state);
    expect((await stored())?.toolsCalled).toEqual(['a']);
  });

  it('that opened a session and was never made leaves none behind', async () => {
    const { send, stored } = rig({ maxPerKey: 1 });
    await send({ status: undefined, outcome: { kind: 'not_forwarded' } });
    expect(await stored()).toBeUndefined();
    expect((await send({ headers: { [SESSION]: 'two' } })).verdict).toEqual({ kind: 'pass' });
    expect((await send({})).verdict).toMatchObject({ type: 'session_limit_exceeded' });
  });

  it('keeps the history of a session whose only call of a model was denied', async () => {
    const { send, check, keyHash, stored } = rig();
    await send({});
    const chat = {
      ...parsed({ body: { model: 'm', messages: [] }, keyHash }),
      headers: new Map([[SESSION, 'one']]),
    };
    const state = check.begin?.() as SessionState;
    await check.requestHeaders?.(chat, state);
    check.prepare?.(chat, state);
    await check.requestBody?.(chat, state);
    await check.end?.(chat, { kind: 'not_forwarded' }, state);
    expect(await stored()).toMatchObject({ steps: 0, toolsCalled: ['read_file'] });
  });

  it('that an operator’s end overtakes does not bring its session back', async () => {
    const { begin, check, own, stored, keyHash } = rig();
    const exchange = mcpExchange({ body: toolCall('a'), headers: { [SESSION]: 'one' }, key: { keyHash } });
    const { state } = await begin(exchange);
    await own.end({ keyHash, sessionId: 'one' });
    expect(await check.response?.(answered(exchange), state)).toEqual({ kind: 'pass' });
    expect(await stored()).toBeUndefined();
  });
});

describe('a history that cannot hold a call', () => {
  it('refuses it before it is made, and lets tools that it knows pass', async () => {
    const { begin, send, own, keyHash, stored } = rig();
    await send(tool('tool-0'));
    const createdAt = (await stored())?.createdAt ?? 0;
    for (let nth = 1; nth < MAX_NOTES.tool; nth++) {
      const step = { keyHash, sessionId: 'one', operationId: randomUUID() };
      await own.keep(step, createdAt, `tool-${String(nth)}`, true);
    }
    const reason = 'this session has called 256 different tools and can remember no more: begin a new one';
    const headers = { [SESSION]: 'one' };
    const more = mcpExchange({ ...tool('one-more'), headers, key: { keyHash } });
    expect((await begin(more)).verdict).toEqual({
      kind: 'deny',
      type: 'policy_denied',
      message: reason,
      details: { reason, toolName: 'one-more', rule: 'session_history' },
    });
    expect((await send(tool('tool-7'))).verdict).toEqual({ kind: 'pass' });
  });

  it('withholds the answer of one that was made beside the last that fitted', async () => {
    const { begin, check, own, send, keyHash, stored } = rig();
    await send(tool('tool-0'));
    const createdAt = (await stored())?.createdAt ?? 0;
    const exchange = mcpExchange({ body: toolCall('late'), headers: { [SESSION]: 'one' }, key: { keyHash } });
    const { state } = await begin(exchange);
    for (let nth = 1; nth < MAX_NOTES.tool; nth++) {
      const step = { keyHash, sessionId: 'one', operationId: randomUUID() };
      await own.keep(step, createdAt, `tool-${String(nth)}`, true);
    }
    expect(await check.response?.(answered(exchange), state)).toMatchObject({ type: 'policy_denied' });
  });

  it('refuses a tool whose name is too long for it', async () => {
    const { send, trips } = rig();
    expect((await send(tool('x'.repeat(128)))).verdict).toEqual({ kind: 'pass' });
    expect((await send(tool('x'.repeat(129)))).verdict).toMatchObject({
      type: 'policy_denied',
      message: 'a session can only remember tool names of at most 128 characters',
    });
    expect((await send({ headers: {}, ...tool('x'.repeat(129)) })).verdict).toEqual({ kind: 'pass' });
    expect(trips).toEqual(['peek', 'open', 'keep', 'finish', 'peek']);
  });
});

describe('other messages of MCP', () => {
  it.each(['resources/read', 'prompts/get', 'tasks/result'])(
    '%s brings content in: it has its session, and is no tool',
    async (method) => {
      const { send, stored } = rig();
      const body = { jsonrpc: '2.0', id: 1, method, params: { name: 'a', uri: 'memo://a' } };
      const { exchange } = await send({ body });
      expect(exchange.facts.session).toMatchObject({ id: 'one' });
      expect(await stored()).toMatchObject({ kept: true, toolsCalled: [] });
    },
  );

  it.each<[string, Sent]>([
    ['initialize', { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} } }],
    ['tools/list', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }],
    ['a notification', { body: { jsonrpc: '2.0', method: 'notifications/initialized' } }],
    ['an answer to the server', { body: { jsonrpc: '2.0', id: 1, result: {} } }],
    ['a GET', { body: undefined }],
  ])('%s takes no part in a session', async (_what, sent) => {
    const { send, trips } = rig({ required: true });
    const { exchange, verdict } = await send(sent);
    expect([verdict, exchange.facts.session, trips]).toEqual([{ kind: 'pass' }, undefined, []]);
  });

  it('DELETE ends the session of MCP once the server has, and no other', async () => {
    const { send, stored } = rig();
    const own = { [MCP_SESSION]: 'mcp-1' };
    const named = { [MCP_SESSION]: 'mcp-1', [SESSION]: 'one' };
    await send({ headers: own });
    await send({ headers: named });
    const end: Sent = { body: undefined, method: 'DELETE' };
    await send({ ...end, headers: named });
    await send({ ...end, headers: own, status: 405 });
    expect(await stored('mcp-1')).toBeDefined();
    await send({ ...end, headers: own });
    expect([await stored('mcp-1'), await stored('one')]).toEqual([undefined, expect.anything()]);
  });
});

describe('what session headers may say', () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  it.each<[string, Sent, string]>([
    ['an id with a slash', { headers: { [SESSION]: 'a/b' }, body: call }, 'X-Gateway-Session-ID'],
    [
      'a bad limit in a session of MCP',
      { headers: { [MCP_SESSION]: 'a', 'x-gateway-session-max-steps': 'x' }, body: call },
      'X-Gateway-Session-Max-Steps',
    ],
    [
      'a limit of a call that has no session',
      { headers: { 'x-gateway-session-budget': '1' } },
      'X-Gateway-Session-Budget',
    ],
  ])('%s is a 400 that names the header', async (_what, sent, named) => {
    const { verdict } = await rig().send(sent);
    expect(verdict).toMatchObject({ kind: 'deny', type: 'invalid_request' });
    expect((verdict as { message: string }).message).toContain(named);
  });

  it('limits without a session are no fault of an initialize, which cannot have one', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
    const { verdict } = await rig().send({ headers: { 'x-gateway-session-budget': '1' }, body });
    expect(verdict).toEqual({ kind: 'pass' });
  });

  it('session.required refuses a call without a session, of either kind', async () => {
    const { send } = rig({ required: true });
    expect((await send({ headers: {} })).verdict).toMatchObject({ type: 'invalid_request' });
    expect((await send({ headers: { [MCP_SESSION]: 'a' } })).verdict).toEqual({ kind: 'pass' });
    expect((await send({})).verdict).toEqual({ kind: 'pass' });
  });
});

describe('when Redis fails', () => {
  it('the call is refused, and what was lost at the end is let go', async () => {
    const { begin, check, keyHash } = rig();
    const exchange = mcpExchange({ body: toolCall('a'), headers: { [SESSION]: 'one' }, key: { keyHash } });
    const before = await begin(exchange);
    await redis.pause();
    try {
      await expect(begin(exchange)).rejects.toMatchObject({ type: 'redis_unavailable' });
      await expect(check.response?.(answered(exchange), before.state)).rejects.toMatchObject({
        type: 'redis_unavailable',
      });
      await check.end?.(exchange, { kind: 'lost' }, before.state);
    } finally {
      await redis.resume();
    }
  });
});
