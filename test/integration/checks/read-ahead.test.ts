import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDriftCheck } from '../../../src/checks/drift/check.ts';
import { createRedisDriftStore } from '../../../src/checks/drift/redis-store.ts';
import { createLoopCheck } from '../../../src/checks/loop/check.ts';
import type { LoopConfig } from '../../../src/checks/loop/config.ts';
import { createRedisLoopStore } from '../../../src/checks/loop/redis-store.ts';
import { createSessionCheck } from '../../../src/checks/session/check.ts';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import { LEASE_MS } from '../../../src/checks/lease.ts';
import type { SessionStore } from '../../../src/checks/session/store.ts';
import { PASS, type Check, type Denial } from '../../../src/pipeline/check.ts';
import type { Parsed } from '../../../src/pipeline/exchange.ts';
import { createRunner, type Run } from '../../../src/pipeline/run.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import { holdsKey, loopKey, sessionKey, spendKey } from '../../../src/redis/keys.ts';
import { RedisBatch } from '../../../src/redis/batch.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { answered, parsed } from '../../support/exchange.ts';
import { scriptRuns } from '../../support/redis-counts.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { call } from '../../contracts/session-rig.ts';
import { budgetStore, connect, quietBudgetCheck, reservation } from './budget/support.ts';

const DEADLINE_MS = 2_500;
const TTL_MS = 60_000;
const SESSION = 'one';

let redis: TestRedis;
let client: RedisClient;
let sessions: SessionStore;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
  client = await connect(redis.addr);
  sessions = createRedisSessionStore({ client, deadlineMs: DEADLINE_MS, ttlMs: TTL_MS, maxPerKey: 0 });
});
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  client.disconnect();
  await redis.close();
});

const config = defaultConfig({
  session: { drift_detection: { enabled: true, min_turns: 2 } },
  loop_detection: { action: 'block', velocity: { max_rps: 50 }, fingerprint: { threshold: 2 } },
  pricing: { overrides: { flat: { input: 0, output: 1 } } },
});

/** Judges by the session's state, and takes nothing. */
interface Watcher {
  readonly checks: readonly Check[];
  /** The calls of a check that may not be repeated, and of one that may: steps and taints each time. */
  readonly plain: string[];
  readonly repeated: string[];
}

function watcher(denies = false): Watcher {
  const plain: string[] = [];
  const repeated: string[] = [];
  const seen = ({ facts: { session } }: Parsed): string =>
    `${String(session?.steps)} ${session?.taintFlags.join() ?? ''}`;
  return {
    plain,
    repeated,
    checks: [
      {
        name: 'dlp',
        shadowable: false,
        requestBody(exchange) {
          plain.push(seen(exchange));
          return denies ? { kind: 'deny', type: 'policy_denied', message: 'no' } : PASS;
        },
      },
      {
        name: 'policy',
        shadowable: false,
        repeatable: true,
        requestBody(exchange) {
          repeated.push(seen(exchange));
          return PASS;
        },
      },
    ],
  };
}

/** The checks of one gateway that keep session state, in their order. */
function gateway(watched = watcher(), loops: LoopConfig = config.loop_detection): () => Run {
  const session = createSessionCheck({
    store: sessions,
    required: false,
    maskSecrets: (text) => text,
    onFailure: () => undefined,
  });
  const budget = quietBudgetCheck(config, budgetStore(client));
  closing.push(session.close, budget.close);
  const [plain, repeated] = watched.checks;
  if (plain === undefined || repeated === undefined) throw new Error('two checks watch');
  const loop = createLoopCheck({
    config: loops,
    store: createRedisLoopStore({ client, deadlineMs: DEADLINE_MS }),
    shadowMode: false,
  });
  const drift = createDriftCheck({
    config: config.session.drift_detection,
    store: createRedisDriftStore({ client, deadlineMs: DEADLINE_MS, ttlMs: TTL_MS }),
  });
  return createRunner({
    checks: [session.check, plain, loop, drift, repeated, budget.check] as readonly Check[],
    shadowMode: false,
    observer: { verdict: () => undefined, enforceFailed: () => undefined, endFailed: () => undefined },
    newBatch: () => new RedisBatch(client, DEADLINE_MS),
  });
}

interface TurnOptions {
  readonly text?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly dailyUsd?: number;
}

const TOPICS = [
  'Plan the irrigation of an orchard with forty apple trees on a dry slope, and say how much water each needs in July.',
  'Which pump lifts that water from the pond below the orchard, and how much power does the irrigation take in July?',
];
const ELSEWHERE =
  'Write a poem about the railway timetable of a small town whose station master collects broken clocks and umbrellas.';

/** A turn whose headers have arrived: its session state was read. */
async function turn(newRun: () => Run, keyHash: string, options: TurnOptions = {}) {
  const { text = TOPICS[0], dailyUsd } = options;
  const body = { model: 'flat', max_tokens: 1_000, messages: [{ role: 'user', content: text }] };
  const exchange: Parsed = {
    ...parsed({ body, keyHash, ...(dailyUsd !== undefined && { limits: { daily: dailyUsd * 1e9 } }) }),
    headers: new Map(Object.entries({ 'x-gateway-session-id': SESSION, ...options.headers })),
  };
  const run = newRun();
  run.prepare({ keyHash, sessionId: SESSION });
  expect(await run.requestHeaders(exchange)).toBeUndefined();
  return {
    exchange,
    async judge(): Promise<Denial | undefined> {
      const denial = await run.requestBody(exchange);
      if (denial !== undefined) await run.end(exchange, { kind: 'not_forwarded' });
      return denial;
    },
    async answer(): Promise<void> {
      const answer = answered(exchange, { text: 'Each tree needs forty litres.' });
      await run.response(answer);
      await run.end(answer, { kind: 'complete' });
    },
  };
}

async function answeredTurn(newRun: () => Run, keyHash: string, options: TurnOptions = {}): Promise<void> {
  const { judge, answer } = await turn(newRun, keyHash, options);
  expect(await judge()).toBeUndefined();
  await answer();
}

const newKey = (): string => `sha256:${randomUUID()}`;
const shown = (keyHash: string) => sessions.read({ keyHash, sessionId: SESSION });

async function taken(keyHash: string) {
  const found = await shown(keyHash);
  return {
    steps: found?.session.steps ?? 0,
    onTheirWay: found?.callsInFlight ?? 0,
    holds: await client.zcard(holdsKey(keyHash)),
    arrivals: await client.exists(loopKey(keyHash, `${SESSION}/arrivals`)),
  };
}

const NOTHING = { steps: 0, onTheirWay: 0, holds: 0, arrivals: 0 };
const ALL = { steps: 1, onTheirWay: 1, holds: 1, arrivals: 1 };

describe('the session state read at the headers', () => {
  it('is enough for every turn of a session: no script at its headers, one at its body, one at its answer', async () => {
    const newRun = gateway();
    const counts: Readonly<Record<'headers' | 'body' | 'answer', number>>[] = [];
    const each = { headers: 0, body: 1, answer: 1 };
    // Redis learns the scripts in the first session.
    for (const keyHash of [newKey(), newKey()]) {
      for (const [nth, text] of TOPICS.entries()) {
        const before = await scriptRuns(client);
        const next = await turn(newRun, keyHash, { text });
        const read = await scriptRuns(client);
        expect(await next.judge()).toBeUndefined();
        const admitted = await scriptRuns(client);
        await next.answer();
        const answeredAt = await scriptRuns(client);
        expect(next.exchange.facts.session).toMatchObject({ steps: nth + 1 });
        const session = await shown(keyHash);
        expect(next.exchange.facts.session?.createdAt).toBe(session?.session.createdAt);
        counts.push({ headers: read - before, body: admitted - read, answer: answeredAt - admitted });
      }
    }
    expect(counts.slice(TOPICS.length)).toEqual([each, each]);
  });

  it('is used once: a turn in between is judged too', async () => {
    const newRun = gateway();
    const keyHash = newKey();
    await answeredTurn(newRun, keyHash);
    const [one, other] = [await turn(newRun, keyHash), await turn(newRun, keyHash)];
    expect(await one.judge()).toBeUndefined();
    await one.answer();
    expect(await other.judge()).toMatchObject({ type: 'loop_detected' });
    expect(await taken(keyHash)).toMatchObject({ steps: 2, onTheirWay: 0, holds: 0 });
  });

  it('is not used if the topic of the session changed in between', async () => {
    const newRun = gateway();
    const keyHash = newKey();
    const late = await turn(newRun, keyHash, { text: ELSEWHERE });
    for (const text of TOPICS) await answeredTurn(newRun, keyHash, { text });
    expect(await late.judge()).toMatchObject({ type: 'drift_detected' });
    expect(await taken(keyHash)).toMatchObject({ steps: 2, onTheirWay: 0, holds: 0 });
  });

  it('lets one of two simultaneous turns take the last step', async () => {
    const newRun = gateway();
    const keyHash = newKey();
    const headers = { 'x-gateway-session-max-steps': '2' };
    await answeredTurn(newRun, keyHash, { headers });
    const both = await Promise.all(
      [TOPICS[1], 'And how are the young trees pruned in spring?'].map((text) =>
        turn(newRun, keyHash, { headers, text }),
      ),
    );
    const denials = await Promise.all(both.map((one) => one.judge()));
    expect(denials.map((denial) => denial?.type).sort()).toEqual(['max_steps_exceeded', undefined]);
    expect(await taken(keyHash)).toMatchObject({ steps: 2, onTheirWay: 1, holds: 1 });
  });

  it('is read again after a taint: checks that depend on it judge again, all others once', async () => {
    const watched = watcher();
    const newRun = gateway(watched);
    const keyHash = newKey();
    await answeredTurn(newRun, keyHash);
    const next = await turn(newRun, keyHash, { text: TOPICS[1] });
    await sessions.addTaint({ keyHash, sessionId: SESSION, operationId: randomUUID() }, 'secret_accessed');
    expect(await next.judge()).toBeUndefined();
    expect(watched.plain).toEqual(['1 ', '2 ']);
    expect(watched.repeated).toEqual(['1 ', '2 ', '2 secret_accessed']);
    expect(await taken(keyHash)).toMatchObject({ steps: 2, onTheirWay: 1, holds: 1 });
  });

  it('does not survive the end of its session: the turn opens another', async () => {
    const newRun = gateway();
    const keyHash = newKey();
    await answeredTurn(newRun, keyHash);
    const next = await turn(newRun, keyHash, { text: TOPICS[1] });
    await sessions.end({ keyHash, sessionId: SESSION });
    expect(await next.judge()).toBeUndefined();
    expect(next.exchange.facts.session).toMatchObject({ steps: 1 });
    expect(await taken(keyHash)).toEqual(ALL);
  });
});

describe('a denial', () => {
  it('by the budget leaves no step, no arrival and no hold', async () => {
    const keyHash = newKey();
    const newRun = gateway();
    // Redis learns the script.
    await (await turn(newRun, newKey())).judge();
    const denied = await turn(newRun, keyHash, { dailyUsd: 0.000_001 });
    const runs = await scriptRuns(client);
    expect(await denied.judge()).toMatchObject({ type: 'budget_exceeded' });
    expect((await scriptRuns(client)) - runs).toBe(1);
    expect(await taken(keyHash)).toEqual(NOTHING);
    expect(await shown(keyHash)).toBeUndefined();
  });

  it('by the budget leaves none of the session’s new limits', async () => {
    const keyHash = newKey();
    const headers = { 'x-gateway-session-budget': '1' };
    const denied = await turn(gateway(), keyHash, { headers, dailyUsd: 0.000_001 });
    expect(await denied.judge()).toMatchObject({ type: 'budget_exceeded' });
    expect(await taken(keyHash)).toEqual(NOTHING);
    expect(await client.exists(spendKey(keyHash, `session:${SESSION}`))).toBe(0);
  });

  it('of a call that is too frequent is recorded, and leaves no step, no arrival of its own and no hold', async () => {
    const keyHash = newKey();
    const loops = config.loop_detection;
    const newRun = gateway(watcher(), { ...loops, velocity: { ...loops.velocity, max_endpoint_repeats: 1 } });
    await answeredTurn(newRun, keyHash);
    const often = await turn(newRun, keyHash, { text: TOPICS[1] });
    expect(await often.judge()).toMatchObject({ type: 'loop_detected', message: /velocity/ });
    expect(await taken(keyHash)).toMatchObject({ steps: 1, onTheirWay: 0, holds: 0 });
  });

  it('by a check without Redis causes no command', async () => {
    const keyHash = newKey();
    const denied = await turn(gateway(watcher(true)), keyHash);
    const runs = await scriptRuns(client);
    expect(await denied.judge()).toMatchObject({ type: 'policy_denied' });
    expect((await scriptRuns(client)) - runs).toBe(0);
    expect(await taken(keyHash)).toEqual(NOTHING);
  });
});

it('a session that makes room leaves no ledger behind, though a gateway died with one of its calls', async () => {
  let at = Date.now();
  const now = (): number => at;
  const [keyHash, ttlMs] = [newKey(), TTL_MS];
  const store = createRedisSessionStore({
    client,
    deadlineMs: DEADLINE_MS,
    ttlMs,
    maxPerKey: 0,
    maxLive: 1,
    now,
  });
  const budgets = budgetStore(client, { now });
  function reserve(sessionId: string, batch?: RedisBatch) {
    const ledger = `session:${sessionId}`;
    const account = {
      name: 'session',
      ledger,
      calendar: 'none',
      limitNanoUsd: undefined,
      idleMs: ttlMs,
    } as const;
    return budgets.reserve(reservation(keyHash, {}, 5, { accounts: [account] }), batch);
  }
  await store.open(call({ keyHash, sessionId: 'old' }));
  await reserve('old');
  at += LEASE_MS + 1_000;
  const ahead = store.readAhead({ keyHash, sessionId: 'new' });
  const step = call({ keyHash, sessionId: 'new' });
  const admitting = new RedisBatch(client, DEADLINE_MS);
  const both = [store.open(step, admitting, await ahead), reserve('new', admitting)];
  admitting.send();
  expect(await Promise.all(both)).toMatchObject([{ kind: 'opened' }, { kind: 'reserved' }]);
  expect(await client.exists(sessionKey(keyHash, 'old'))).toBe(0);
  expect(await client.exists(spendKey(keyHash, 'session:old'))).toBe(0);
});
