import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMcpBreakerCheck, type McpBreakerState } from '../../../../src/checks/mcp-breaker/check.ts';
import {
  createRedisBreakerStore,
  type BreakerStore,
  type CallResult,
  type CircuitCaller,
} from '../../../../src/checks/mcp-breaker/store.ts';
import { GatewayError } from '../../../../src/errors.ts';
import type { Answered, Outcome, Parsed } from '../../../../src/pipeline/exchange.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { answered, parsed } from '../../../support/exchange.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { useRedis } from '../budget/support.ts';
import { SETTINGS } from '../../../contracts/mcp-breaker-store.ts';
import { mcpExchange, toolCall } from '../../../support/mcp-exchange.ts';

let redis: TestRedis;
let client: RedisClient;
useRedis((started) => ({ redis, client } = started));
beforeEach(() => redis.flush());

const CALLER: CircuitCaller = { server: 'files', keyHash: 'sha256:one' };
const CALL = mcpExchange({ body: toolCall('read_file'), key: { keyHash: CALLER.keyHash } });
const NOTIFICATION = mcpExchange({
  body: { jsonrpc: '2.0', method: 'notifications/initialized' },
  key: { keyHash: CALLER.keyHash },
});
const GET = mcpExchange({ key: { keyHash: CALLER.keyHash } });

function rig(change: (store: BreakerStore) => Partial<BreakerStore> = () => ({})) {
  const clock = { now: 1_000_000 };
  const store = createRedisBreakerStore({ client, deadlineMs: 2_500, ...SETTINGS, now: () => clock.now });
  const asked: string[] = [];
  const probes: Promise<unknown>[] = [];
  const counted: BreakerStore = {
    read: (caller) => (asked.push('read'), store.read(caller)),
    takeProbe(caller, call) {
      asked.push('takeProbe');
      const probe = store.takeProbe(caller, call);
      probes.push(probe);
      return probe;
    },
    report: (caller, call, result) => (asked.push(result), store.report(caller, call, result)),
    ...change(store),
  };
  const changes: string[] = [];
  const check = createMcpBreakerCheck({
    config: { enabled: true },
    store: counted,
    onChange: ({ server }, { circuit, change: what }) => changes.push(`${server} ${circuit} ${what}`),
    renewAfterMs: 5_000,
  });

  async function begin(exchange: Parsed) {
    const state = check.begin?.() as McpBreakerState;
    check.prepare?.(exchange, state);
    return { state, verdict: await check.requestBody?.(exchange, state) };
  }
  /** Runs one call to its end; returns its verdict, or the answer. */
  async function send(exchange: Parsed, ending: Ending = { status: 200 }): Promise<string> {
    const { state, verdict } = await begin(exchange);
    if (verdict?.kind === 'deny') {
      await check.end?.(exchange, { kind: 'not_forwarded' }, state);
      return verdict.type;
    }
    if (ending.status === undefined) {
      const last = ending.begun === true ? withStatus(exchange, 200) : exchange;
      await check.end?.(last, ending.outcome, state);
    } else {
      const answer = withStatus(exchange, ending.status, ending.form);
      if (ending.withheld !== true) await check.response?.(answer, state);
      await check.end?.(answer, { kind: 'complete' }, state);
    }
    return 'passed';
  }
  async function fail(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth++) await send(CALL, { status: 500 });
  }
  /** A circuit after its open time, before any call. */
  async function halfOpen(): Promise<void> {
    await fail(5);
    clock.now += SETTINGS.windowMs;
    asked.length = 0;
    changes.length = 0;
  }
  return { clock, store, asked, probes, changes, check, begin, send, fail, halfOpen };
}

type Ending =
  | {
      readonly status: number;
      readonly form?: Answered['form'];
      /** An earlier check refuses the answer, so this one is not called. */
      readonly withheld?: true;
    }
  | {
      readonly status?: undefined;
      readonly outcome: Outcome;
      /** Its headers had arrived. */
      readonly begun?: true;
    };

function withStatus(exchange: Parsed, status: number, form: Answered['form'] = 'whole'): Answered {
  return { ...answered(exchange, { status, form }) };
}

const lost = (outcome: Outcome): Ending => ({ outcome });
const UNREACHABLE = lost({ kind: 'not_forwarded', upstreamFailed: true });
const NO_ANSWER = lost({ kind: 'lost', upstreamFailed: true });
const CUT_SHORT: Ending = { outcome: { kind: 'lost', upstreamFailed: true }, begun: true };
const CLIENT_GONE = lost({ kind: 'lost' });
const DENIED_LATER = lost({ kind: 'not_forwarded' });

afterEach(() => {
  vi.useRealTimers();
});

describe('a circuit', () => {
  it.each<[string, Ending, string[]?]>([
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['529', { status: 529 }],
    ['a 500 that starts a stream', { status: 500, form: 'stream' }],
    ['a 500 that an earlier check withholds', { status: 500, withheld: true }],
    ['an answer that is cut off by the timeout', CUT_SHORT],
    ['an unreachable server', UNREACHABLE, ['files server opened', 'files key opened']],
    ['no answer, or a broken connection', NO_ANSWER, ['files server opened', 'files key opened']],
  ])('opens after five times: %s', async (_what, ending, told = ['files key opened']) => {
    const { send, changes } = rig();
    for (let nth = 0; nth < 5; nth++) expect(await send(CALL, ending)).toBe('passed');
    expect(changes).toEqual(told);
    expect(await send(CALL)).toBe('circuit_open');
    const ofAnother = mcpExchange({ body: toolCall('read_file'), key: { keyHash: 'sha256:two' } });
    expect(await send(ofAnother)).toBe(told.length > 1 ? 'circuit_open' : 'passed');
  });

  it.each<[string, Ending]>([
    ['200', { status: 200 }],
    ['a stream', { status: 200, form: 'stream' }],
    ['400', { status: 400 }],
    ['401', { status: 401 }],
    ['404', { status: 404 }],
    ['429', { status: 429 }],
    ['499', { status: 499 }],
    ['a client that disconnected', CLIENT_GONE],
    ['a denial by a later check', DENIED_LATER],
    ['a stream that broke off', lost({ kind: 'broken_off' })],
  ])('stays closed, and costs one reading a call: %s', async (_what, ending) => {
    const { send, asked, changes } = rig();
    for (let nth = 0; nth < 20; nth++) expect(await send(CALL, ending)).toBe('passed');
    expect(changes).toEqual([]);
    expect(asked).toEqual(Array(20).fill('read'));
  });

  it('is of no interest to calls of models', async () => {
    const { send, asked } = rig();
    const chat = parsed({ body: { model: 'm', messages: [] } });
    for (let nth = 0; nth < 9; nth++) expect(await send(chat, { status: 500 })).toBe('passed');
    expect(asked).toEqual([]);
  });

  it('is ignored if disabled', () => {
    const { store } = rig();
    const deps = { store, onChange: () => undefined, renewAfterMs: 1 };
    expect(createMcpBreakerCheck({ ...deps, config: { enabled: false } })).toEqual({
      name: 'mcp-breaker',
      shadowable: false,
    });
  });

  it.each<[string, Parsed]>([
    ['a notification', NOTIFICATION],
    ['a GET', GET],
    ['a DELETE', mcpExchange({ method: 'DELETE', key: { keyHash: CALLER.keyHash } })],
    [
      'an answer to the server’s own request',
      mcpExchange({ body: { jsonrpc: '2.0', id: 1, result: {} }, key: { keyHash: CALLER.keyHash } }),
    ],
  ])('is not opened by %s, whatever the answer, and blocks it once it is open', async (_what, other) => {
    const { send, fail, halfOpen, asked } = rig();
    for (let nth = 0; nth < 9; nth++) expect(await send(other, { status: 501 })).toBe('passed');
    expect(asked).toEqual(Array(9).fill('read'));
    await fail(5);
    expect(await send(other)).toBe('circuit_open');
    await halfOpen();
    expect(await send(other)).toBe('circuit_open');
    expect(asked).toEqual(['read']);
    expect(await send(CALL)).toBe('passed');
    expect(await send(other)).toBe('passed');
  });

  it('names the server, and the time to retry', async () => {
    const { begin, fail, clock } = rig();
    await fail(5);
    clock.now += 17_001;
    expect((await begin(CALL)).verdict).toEqual({
      kind: 'deny',
      type: 'circuit_open',
      message: 'the MCP server files has failed too often: try again in 43 s',
      headers: { 'retry-after': '43' },
      details: { reason: 'the MCP server files has failed too often' },
    });
  });
});

describe('the probe of a half-open circuit', () => {
  it('is one of 50 simultaneous calls; after its success all pass, and nothing more is written', async () => {
    const { begin, check, halfOpen, send, asked, changes } = rig();
    await halfOpen();
    const begun = await Promise.all(Array.from({ length: 50 }, () => begin(CALL)));
    const passed = begun.filter(({ verdict }) => verdict?.kind === 'pass');
    expect(passed).toHaveLength(1);
    for (const { verdict } of begun) {
      if (verdict?.kind !== 'pass') expect(verdict).toMatchObject({ type: 'circuit_open' });
    }
    const [probe] = passed;
    if (probe === undefined) throw new Error('no probe');
    await check.response?.(withStatus(CALL, 200), probe.state);
    await check.end?.(withStatus(CALL, 200), { kind: 'complete' }, probe.state);
    expect(changes).toEqual(['files key closed']);
    asked.length = 0;
    for (let nth = 0; nth < 9; nth++) expect(await send(CALL)).toBe('passed');
    expect(asked).toEqual(Array(9).fill('read'));
  });

  it.each<[string, Ending, CallResult]>([
    ['an answer', { status: 200 }, 'succeeded'],
    ['a stream', { status: 200, form: 'stream' }, 'succeeded'],
    ['an answer that reports the client’s error', { status: 404 }, 'succeeded'],
    ['an answer that an earlier check withholds', { status: 200, withheld: true }, 'succeeded'],
    ['a server error', { status: 502 }, 'failed'],
    ['a server error, withheld', { status: 502, withheld: true }, 'failed'],
    ['an unreachable server', UNREACHABLE, 'unreachable'],
    ['no answer', NO_ANSWER, 'lost'],
    ['a client that disconnected', CLIENT_GONE, 'abandoned'],
    ['a denial by a later check', DENIED_LATER, 'abandoned'],
  ])('with %s is reported once', async (_what, ending, result) => {
    const { send, halfOpen, asked, store } = rig();
    await halfOpen();
    expect(await send(CALL, ending)).toBe('passed');
    expect(asked).toEqual(['read', 'takeProbe', result]);
    const failed = { failed: 'open', lost: 'open', unreachable: 'open' };
    const kind = { succeeded: 'closed', abandoned: 'half_open', ...failed }[result];
    expect(await store.read(CALLER)).toMatchObject({ kind });
  });

  it('is put off while it runs, and no longer', async () => {
    const { begin, check, halfOpen, asked, probes, store, clock } = rig();
    await halfOpen();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { state } = await begin(CALL);
    for (let nth = 0; nth < 12; nth++) {
      clock.now += 5_000;
      await vi.advanceTimersByTimeAsync(5_000);
      await Promise.all(probes);
    }
    expect(asked.filter((what) => what === 'takeProbe')).toHaveLength(13);
    expect(await store.takeProbe(CALLER, 'another')).toEqual({ kind: 'open', retryAfterMs: 15_000 });
    await check.end?.(CALL, { kind: 'lost' }, state);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked.at(-1)).toBe('abandoned');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is returned if the store’s reply was lost', async () => {
    const unavailable = (): Promise<never> =>
      Promise.reject(new GatewayError('redis_unavailable', 'Redis is gone'));
    const { check, halfOpen, store, asked } = rig((own) => ({
      takeProbe: async (caller, call) => {
        await own.takeProbe(caller, call);
        return unavailable();
      },
    }));
    await halfOpen();
    const state = check.begin?.() as McpBreakerState;
    check.prepare?.(CALL, state);
    await expect(check.requestBody?.(CALL, state)).rejects.toMatchObject({ type: 'redis_unavailable' });
    expect(await store.read(CALLER)).toMatchObject({ kind: 'open' });
    await check.end?.(CALL, { kind: 'not_forwarded' }, state);
    expect(asked.at(-1)).toBe('abandoned');
    expect(await store.read(CALLER)).toEqual({ kind: 'half_open' });
  });
});

describe('if the store fails', () => {
  const gone = (): Promise<never> => Promise.reject(new GatewayError('redis_unavailable', 'Redis is gone'));

  it('the call is refused, without an unhandled rejection if an earlier check denied it', async () => {
    const { begin, check } = rig(() => ({ read: gone }));
    await expect(begin(CALL)).rejects.toMatchObject({ type: 'redis_unavailable' });
    const state = check.begin?.() as McpBreakerState;
    check.prepare?.(CALL, state);
    await check.end?.(CALL, { kind: 'not_forwarded' }, state);
    await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('a failure is not counted at the end, and its answer is refused before', async () => {
    const { send } = rig(() => ({ report: gone }));
    expect(await send(CALL, NO_ANSWER)).toBe('passed');
    await expect(send(CALL, { status: 500 })).rejects.toMatchObject({ type: 'redis_unavailable' });
  });
});
