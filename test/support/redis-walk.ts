import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { createFailureLimit } from '../../src/auth/failure-limit.ts';
import { createKeyStateStore } from '../../src/auth/key-state-store.ts';
import { createKeyStore } from '../../src/auth/key-store.ts';
import { createKeyUseStore } from '../../src/auth/key-use-store.ts';
import { createRedisBudgetStore } from '../../src/checks/budget/redis-store.ts';
import { windowAccounts } from '../../src/checks/budget/accounts.ts';
import { createRedisDriftStore } from '../../src/checks/drift/redis-store.ts';
import { createRedisLoopStore } from '../../src/checks/loop/redis-store.ts';
import { createRedisMcpSessionStore } from '../../src/checks/mcp/session-binding/redis-store.ts';
import { createRedisPinStore } from '../../src/checks/mcp-inspector/redis-store.ts';
import { createRedisRateLimitStore } from '../../src/checks/rate-limit/store.ts';
import { createRedisRiskStore } from '../../src/risk/redis-store.ts';
import { createRedisSessionStore } from '../../src/checks/session/redis-store.ts';
import type { RedisClient } from '../../src/redis/client.ts';
import { RedisBatch } from '../../src/redis/batch.ts';
import { DEFAULTS } from '../contracts/risk-store.ts';
import { useKey } from './use-key.ts';

const USD = 1_000_000_000;
const TTL_MS = 60_000;

/**
 * Uses every store as a request, an answer and a command do, for a key whose state is on any server:
 * a script that does something forbidden there fails here.
 */
export async function walkStores(client: RedisClient, keyHash: string): Promise<void> {
  const options = { client, deadlineMs: 2_500 };
  await walkKeys(options);
  await walkRequest(options, keyHash);
  await walkLocks(options, keyHash);
  await walkServers(options, keyHash);
}

interface Options {
  readonly client: RedisClient;
  readonly deadlineMs: number;
}

async function walkKeys(options: Options): Promise<void> {
  const keys = createKeyStore(options.client);
  const states = createKeyStateStore(options);
  const { rawKey, record } = await keys.create({ name: `walk-${randomUUID()}`, provider: 'openai' });
  expect((await states.readKeyState(record.keyHash))?.status).toBe('active');
  await useKey(options.client, record.keyHash);
  const uses = createKeyUseStore({ ...options, sessionTtlMs: TTL_MS });
  await expect.poll(async () => uses.latest(1)).toEqual([record.keyHash]);
  while (!(await uses.complete()).isReady);
  expect((await uses.active({ usedSince: 'sessions', marked: true })).hashes).toContain(record.keyHash);
  const rotated = await keys.rotate(record.name, 0);
  expect(rotated.rawKey).not.toBe(rawKey);
  expect((await keys.find(rotated.rawKey)).keyHash).toBe(record.keyHash);
  await keys.revoke(record.keyHash);
  expect((await states.readKeyState(record.keyHash, 'doubted'))?.status).not.toBe('active');
  expect((await keys.list()).keys.length).toBeGreaterThan(0);
  expect((await keys.list(undefined, 'created')).keys.length).toBeGreaterThan(0);
  expect((await keys.count()).isOrdered).toBe(true);
  const limit = createFailureLimit({ ...options, maxFailuresPerMinute: 1, onFailure: () => undefined });
  limit.count('192.0.2.1');
  await expect.poll(() => limit.isOver('192.0.2.1')).toBe(true);
}

/** The batches of one request: limits, session, loop and budget together, and everything after its answer. */
async function walkRequest(options: Options, keyHash: string): Promise<void> {
  const sessions = createRedisSessionStore({ ...options, ttlMs: TTL_MS, maxPerKey: 0 });
  const loops = createRedisLoopStore(options);
  const drift = createRedisDriftStore({ ...options, ttlMs: TTL_MS });
  const budgets = createRedisBudgetStore({ ...options, alertPercents: [] });
  const name = { keyHash, sessionId: randomUUID() };
  const step = { ...name, operationId: randomUUID(), maxSteps: 3, budgetNanoUsd: USD };
  const memory = { keepMs: TTL_MS, maxCalls: 10 };
  const hold = { keyHash, operationId: randomUUID(), accounts: windowAccounts({ daily: 10 * USD }) };
  const tokens = { outputTokens: 0, maxGrantTokens: 8_192, minGrantTokens: 256, lowestTokens: undefined };
  const costs = { inputNanoUsd: USD, outputNanoUsd: 0 };

  const first = new RedisBatch(options.client, options.deadlineMs);
  const asked = Promise.all([
    createRedisRateLimitStore(options).takeSlot(keyHash, 10, 60_000, first),
    sessions.open(step, first),
    loops.countArrival(name, step.operationId, [{ name: 'rps', windowMs: 1_000, limit: 5 }], true, first),
    loops.readCalls(name, memory),
    budgets.reserve({ ...hold, ...tokens, ...costs }, first),
  ]);
  first.send();
  const [slot, opened, arrivals, calls, reserved] = await asked;
  expect([slot.taken, arrivals, calls.calls, reserved.kind]).toEqual([true, [false], [], 'reserved']);
  if (opened.kind !== 'opened') throw new Error(`the store said ${opened.kind}`);
  const { createdAt } = opened.session;

  expect(await budgets.renew(keyHash, [hold.operationId])).toEqual([]);
  expect(await sessions.addTaint(step, 'seen')).toBe('added');
  expect(await sessions.moveState(step, createdAt, { from: undefined, to: 'BUSY' })).toEqual({
    kind: 'moved',
  });
  const grams = Uint16Array.from({ length: 20 }, (_, at) => at);
  const last = new RedisBatch(options.client, options.deadlineMs);
  const settled = Promise.all([
    sessions.noteAnswered(name, createdAt, 'the first request', last),
    sessions.finish(step, createdAt, last),
    loops.recordCall(name, step.operationId, { high: 1, low: 2 }, memory, last),
    budgets.settle({ ...hold, costNanoUsd: 7, repeated: false }, last),
  ]);
  last.send();
  await settled;
  expect(await drift.passTurn({ ...name, createdAt }, { digest: 'first', anchor: grams })).toBe(true);
  expect((await drift.read(name))?.createdAt).toBe(createdAt);
  expect((await loops.readCalls(name, memory)).calls).toHaveLength(1);
  const [daily] = (await budgets.status(keyHash, windowAccounts({ daily: USD }))).filter(
    ({ account }) => account.name === 'daily',
  );
  expect(daily).toMatchObject({ spentNanoUsd: 7, reservedNanoUsd: 0 });
  expect((await sessions.read(name))?.anchor).toBe('the first request');
  expect(await sessions.end(name)).toBe(true);
}

async function walkLocks(options: Options, keyHash: string): Promise<void> {
  const risks = createRedisRiskStore({ ...options, settings: DEFAULTS });
  const leak = { trigger: 'secret_exfiltration', lockMs: TTL_MS, sessionId: 's' } as const;
  const outcome = await risks.record({ keyHash, operationId: randomUUID(), ...leak });
  expect(outcome).toMatchObject({ riskScore: 30, lock: { ttlMs: TTL_MS } });
  expect((await createKeyStateStore(options).readKeyState(keyHash))?.lock).toBeUndefined();
  expect((await risks.read(keyHash)).lock).toBeDefined();
  const uses = createKeyUseStore({ ...options, sessionTtlMs: TTL_MS });
  expect((await uses.active({ marked: true })).hashes).toContain(keyHash);
  expect(await risks.release(keyHash)).toBe(true);
  await risks.reset(keyHash, randomUUID());
  expect((await risks.read(keyHash)).risk.riskScore).toBe(0);
}

async function walkServers(options: Options, keyHash: string): Promise<void> {
  const server = `server-${randomUUID()}`;
  const pins = createRedisPinStore(options);
  expect(await pins.show(server, [{ name: 'add', digest: 'A' }])).toEqual(['new']);
  expect(await pins.show(server, [{ name: 'add', digest: 'B' }])).toEqual(['changed']);
  expect(await pins.accept(server)).toEqual([{ tool: 'add', digest: 'B' }]);
  const bound = createRedisMcpSessionStore({ ...options, ttlMs: TTL_MS, maxPerKey: 1 });
  const session = { server, sessionId: randomUUID(), keyHash };
  expect(await bound.bind(session)).toBe('own');
  // The least recently used is removed, and times are in ms.
  await delay(2);
  expect(await bound.bind({ ...session, sessionId: randomUUID() })).toBe('own');
  expect(await bound.use(session)).toBe('unowned');
}
