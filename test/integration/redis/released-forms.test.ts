import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createStreamStore } from '../../../src/audit/stream-store.ts';
import { createKeyStateStore, type KeyState } from '../../../src/auth/key-state-store.ts';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { windowAccounts } from '../../../src/checks/budget/accounts.ts';
import { createRedisBudgetStore } from '../../../src/checks/budget/redis-store.ts';
import type { Account, BudgetStore } from '../../../src/checks/budget/store.ts';
import { createRedisDriftStore } from '../../../src/checks/drift/redis-store.ts';
import { createRedisLoopStore } from '../../../src/checks/loop/redis-store.ts';
import { createRedisBreakerStore } from '../../../src/checks/mcp-breaker/store.ts';
import { createRedisPinStore } from '../../../src/checks/mcp-inspector/redis-store.ts';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import { connectRedis, waitUntilReady, type RedisClient } from '../../../src/redis/client.ts';
import { scanForms } from '../../../src/redis/form-scan.ts';
import { STORED_VERSIONS } from '../../../src/redis/stored-forms.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { useTestRedis } from '../../support/redis.ts';
import {
  BROKEN_SERVER,
  DAILY_USD,
  MAX_STEPS,
  MAX_TOKENS,
  MCP_SERVER,
  SESSION,
  SESSION_STEPS,
  TOKEN_NANO_USD,
  type KeyName,
  type StoredFixture,
} from '../../support/stored-forms/fixture.ts';

/** The Redis data of each released gateway (test/support/stored-forms/record.ts), read and continued by this one. */
const FOLDER = new URL('../../fixtures/stored-forms/', import.meta.url);
const fixtures = readdirSync(FOLDER).map(
  (name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as StoredFixture,
);
const CASES = fixtures.flatMap((fixture) =>
  STORED_VERSIONS.map((version) => ({ fixture, version, gateway: fixture.gateway })),
);

const LEASE_MS = 30_000;
const DAILY_NANO_USD = DAILY_USD * 1e9;
const deadlineMs = 5_000;
const ASKS_FOR_NO_LIMITS = { maxSteps: undefined, budgetNanoUsd: undefined };

const redis = useTestRedis();

describe.each(CASES)(
  'Redis of $gateway, read by a gateway that writes version $version',
  ({ fixture, version }) => {
    const { keys, recordedAt } = fixture;
    let client: RedisClient;
    /** The time of the recording, advanced as a test proceeds. */
    let now = recordedAt;
    const clock = (): number => now;

    beforeAll(async () => {
      const settings = defaultConfig({ redis: { addr: redis.addr, write_version: version } }).redis;
      client = connectRedis(settings, { name: 'released-forms' });
      await waitUntilReady(client, 5_000);
    });
    afterAll(() => client.disconnect());
    beforeEach(async () => {
      now = recordedAt + 1_000;
      await redis.flush();
      for (const { key, ttlMs, dump } of fixture.values) {
        await redis.client.restore(key, Math.max(0, ttlMs), Buffer.from(dump, 'base64'));
      }
    });

    const states = () => createKeyStateStore({ client, deadlineMs, now: clock });
    const budgets = (): BudgetStore =>
      createRedisBudgetStore({ client, deadlineMs, alertPercents: [80], now: clock });
    const sessions = () =>
      createRedisSessionStore({ client, deadlineMs, ttlMs: 86_400_000, maxPerKey: 0, now: clock });
    async function stateOf(name: KeyName): Promise<KeyState> {
      const state = await states().readKeyState(keys[name]);
      if (state === undefined) throw new Error(`${name} is not known`);
      return state;
    }
    const accountsOf = async (name: KeyName): Promise<Account[]> =>
      windowAccounts((await stateOf(name)).limits);

    async function daily(name: KeyName): Promise<{ spent: number; reserved: number }> {
      const found = await budgets().status(keys[name], await accountsOf(name));
      const one = found.find(({ account }) => account.name === 'daily');
      return { spent: one?.spentNanoUsd ?? -1, reserved: one?.reservedNanoUsd ?? -1 };
    }

    async function reserve(name: KeyName, inputNanoUsd: number): Promise<string> {
      const result = await budgets().reserve({
        keyHash: keys[name],
        operationId: randomUUID(),
        accounts: await accountsOf(name),
        inputNanoUsd,
        outputNanoUsd: 0,
        outputTokens: 0,
        maxGrantTokens: 0,
        minGrantTokens: 0,
        lowestTokens: undefined,
      });
      return result.kind;
    }

    it('contains nothing unreadable', async () => {
      expect((await scanForms(client)).unknown).toEqual([]);
    });

    it('has its keys: active, locked, revoked, rotated', async () => {
      for (const name of ['steady', 'risky', 'tools'] as const) {
        expect(await stateOf(name)).toMatchObject({ status: 'active', record: { name } });
        expect((await stateOf(name)).lock).toBeUndefined();
      }
      expect((await stateOf('locked')).lock).toMatchObject({ cause: { kind: 'operator' } });
      expect((await stateOf('revoked')).status).toBe('revoked');
      for (const raw of [keys.rotated, fixture.rotatedTo])
        expect(await states().readKeyState(raw)).toMatchObject({
          status: 'active',
          record: { name: 'rotated' },
        });
      expect((await stateOf('steady')).limits).toEqual({ daily: DAILY_NANO_USD, monthly: 1e9 });
      expect((await stateOf('tools')).limits).toEqual({ monthly: 5e9 });
      expect((await stateOf('risky')).risk).toMatchObject({ totalPolicyBlocks: 1 });
      expect((await stateOf('steady')).risk.totalSpendNanoUsd).toBe(fixture.spent.steady.spent);
    });

    it('allows names and records to be changed and revoked', async () => {
      const store = createKeyStore(client);
      await expect(store.create({ name: 'steady', provider: 'openai' })).rejects.toThrow(
        /active key has the name/,
      );
      const policyOverrides = { 'block-prompt-injection': 'report' } as const;
      expect(await store.update('steady', { policyOverrides })).toMatchObject({ policyOverrides });
      expect((await store.revoke('steady')).revokedAt).toBeDefined();
      expect((await store.create({ name: 'steady', provider: 'openai' })).record.name).toBe('steady');
    });

    it('keeps spend and reservations, and grants no more than the remainder', async () => {
      for (const name of ['steady', 'waiting'] as const) {
        expect(await daily(name)).toEqual(fixture.spent[name]);
        const { spent, reserved } = fixture.spent[name];
        const left = DAILY_NANO_USD - spent - reserved;
        expect(await reserve(name, left + 1)).toBe('refused');
        expect(await reserve(name, left)).toBe('reserved');
        expect(await reserve(name, 1)).toBe('refused');
      }
    });

    it('settles the open request once, even if commands are repeated', async () => {
      const accounts = await accountsOf('waiting');
      const settlement = {
        keyHash: keys.waiting,
        operationId: fixture.openOperation,
        accounts,
        costNanoUsd: 70 * TOKEN_NANO_USD,
        repeated: false,
      };
      expect(fixture.spent.waiting.reserved).toBe(MAX_TOKENS * TOKEN_NANO_USD);
      expect(await budgets().renew(keys.waiting, [fixture.openOperation])).toEqual([]);
      expect(await budgets().settle(settlement)).toMatchObject({ applied: true });
      expect(await budgets().settle({ ...settlement, repeated: true })).toMatchObject({ applied: false });
      now += LEASE_MS * 3;
      expect(await daily('waiting')).toEqual({ spent: 70 * TOKEN_NANO_USD, reserved: 0 });
    });

    it('charges the open request once when its lease expires', async () => {
      now += LEASE_MS + 1_000;
      const charged = { spent: MAX_TOKENS * TOKEN_NANO_USD, reserved: 0 };
      expect(await daily('waiting')).toEqual(charged);
      expect(await daily('waiting')).toEqual(charged);
    });

    it('continues its session up to its limits', async () => {
      const name = { keyHash: keys.steady, sessionId: SESSION };
      const read = await sessions().read(name);
      expect(read).toMatchObject({
        session: {
          steps: SESSION_STEPS,
          maxSteps: MAX_STEPS,
          spendNanoUsd: fixture.spent.steady.spent,
          answered: true,
        },
        callsInFlight: 0,
        anchor: expect.stringContaining('Bread') as string,
      });
      for (let steps = SESSION_STEPS + 1; steps <= MAX_STEPS; steps += 1) {
        expect(
          await sessions().open({ ...name, ...ASKS_FOR_NO_LIMITS, operationId: randomUUID() }),
        ).toMatchObject({
          kind: 'opened',
          session: { steps },
        });
      }
      expect(
        await sessions().open({ ...name, ...ASKS_FOR_NO_LIMITS, operationId: randomUUID() }),
      ).toMatchObject({
        kind: 'max_steps_reached',
      });
      expect(await sessions().list(keys.tools)).toMatchObject([{ toolsCalled: ['echo'] }]);
    });

    it('has the calls and the topic of its session', async () => {
      const session = { keyHash: keys.steady, sessionId: SESSION };
      const loops = createRedisLoopStore({ client, deadlineMs, now: clock });
      expect((await loops.readCalls(session, { keepMs: 600_000, maxCalls: 100 })).calls).toHaveLength(
        SESSION_STEPS,
      );
      const limit = { name: 'repeats', windowMs: 1_000, limit: 1 };
      expect(await loops.countArrival(session, randomUUID(), [limit], true)).toEqual([false]);
      const drift = createRedisDriftStore({ client, deadlineMs, ttlMs: 86_400_000 });
      expect(await drift.read(session)).toMatchObject({ turnCount: SESSION_STEPS });
    });

    it('has pinned tools, and the open circuit', async () => {
      const pins = createRedisPinStore({ client, deadlineMs, now: clock });
      const pinned = await pins.list(MCP_SERVER);
      expect(pinned.map(({ tool }) => tool)).toContain('echo');
      const same = await pins.show(
        MCP_SERVER,
        pinned.map(({ tool, digest }) => ({ name: tool, digest })),
      );
      expect(new Set(same)).toEqual(new Set(['same']));
      const breakers = createRedisBreakerStore({
        client,
        deadlineMs,
        threshold: 1,
        windowMs: 60_000,
        probeLeaseMs: 1_000,
        now: clock,
      });
      const circuit = await breakers.read({ server: BROKEN_SERVER, keyHash: keys.tools });
      expect(circuit.kind).toBe('open');
    });

    it('has its audit records', async () => {
      const stream = createStreamStore({ client, deadlineMs, maxLength: 1_000 });
      expect((await stream.before('+', 100)).length).toBeGreaterThan(SESSION_STEPS);
    });
  },
);
