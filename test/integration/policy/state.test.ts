import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import { MAX_NOTES, type SessionStore } from '../../../src/checks/session/store.ts';
import type { Denial } from '../../../src/pipeline/check.ts';
import type { RedisClient } from '../../../src/redis/client.ts';
import { linkToRedis, type LinkFault } from '../../support/redis-link.ts';
import type { TestRedis } from '../../support/redis.ts';
import { connect, useRedis, newKeyHash } from '../checks/budget/support.ts';
import { machine, policyRig, type MachineOptions, type PolicyRigOptions } from './rig.ts';

let redis: TestRedis;
let client: RedisClient;
let store: SessionStore;
const closing: (() => Promise<unknown>)[] = [];

useRedis((started) => {
  ({ redis, client } = started);
  store = sessionStore(client);
});
afterAll(() => Promise.all(closing.map((close) => close())));

function sessionStore(on: RedisClient, deadlineMs = 2_500): SessionStore {
  return createRedisSessionStore({ client: on, deadlineMs, ttlMs: 86_400_000, maxPerKey: 0 });
}

function rig(options: MachineOptions, more: Partial<PolicyRigOptions> = {}) {
  const set = machine(options);
  const made = policyRig({ store, policies: () => set, keyHash: newKeyHash(), ...more });
  closing.push(made.close);
  return made;
}

const TRANSACTION = {
  transitions: { INIT: { begin: 'OPEN' }, OPEN: { commit: 'INIT' } },
  needs: { db: 'OPEN' },
};
/** An approval is used up by the first call that needs it. */
const APPROVAL = {
  transitions: { INIT: { approve: 'APPROVED' }, APPROVED: { deploy: 'INIT' } },
  needs: { deploy: 'APPROVED' },
};
const BROKE: Denial = { kind: 'deny', type: 'budget_exceeded', message: 'no money' };

describe('an allowed call', () => {
  it('moves its session, and the next one is judged in the new state', async () => {
    const { call, stored } = rig(TRANSACTION);
    expect(await call('db')).toBe('only in OPEN');
    expect(await call('begin')).toBeUndefined();
    expect(await stored()).toMatchObject({ state: 'OPEN' });
    expect(await call('db')).toBeUndefined();
    expect(await call('commit')).toBeUndefined();
    expect(await stored()).toMatchObject({ state: 'INIT' });
    expect(await call('db')).toBe('only in OPEN');
  });

  it('moves no other session, and none if it has none', async () => {
    const { call, beginAlone, stored, trips } = rig(TRANSACTION);
    await call('begin', 'other');
    expect(await call('db')).toBe('only in OPEN');
    expect((await stored('other'))?.state).toBe('OPEN');
    trips.length = 0;
    expect((await beginAlone('begin')).denial).toBeUndefined();
    expect((await beginAlone('db')).denial).toMatchObject({ message: 'only in OPEN' });
    expect(trips).toEqual([]);
  });

  it('sends no command to Redis if it keeps the state', async () => {
    const { call, trips } = rig({ ...TRANSACTION, transitions: { INIT: { begin: 'INIT' } } });
    expect(await call('begin')).toBeUndefined();
    expect(await call('list')).toBeUndefined();
    expect(trips).toEqual([]);
  });

  it('is moved by the set that judged it, even if another set is loaded meanwhile', async () => {
    const sets = [machine(TRANSACTION), machine({ transitions: { INIT: { begin: 'ELSEWHERE' } } })];
    let nth = 0;
    const { call, stored } = rig(
      {},
      {
        policies: () => sets[nth] ?? machine({}),
        between: () => {
          nth = 1;
          return Promise.resolve(undefined);
        },
      },
    );
    await call('begin');
    expect(await stored()).toMatchObject({ state: 'OPEN' });
  });
});

describe('a call that is not made', () => {
  it('moves nothing if a later check denies it', async () => {
    const { call, stored, trips } = rig(TRANSACTION, { between: () => Promise.resolve(BROKE) });
    expect(await call('begin')).toBe('no money');
    expect(trips).toEqual([]);
    expect(await stored()).toBeUndefined();
  });

  it('takes its move back if it was not forwarded, and leaves no session behind', async () => {
    const { begin, call, stored } = rig(TRANSACTION);
    const { end } = await begin('begin');
    expect(await stored()).toMatchObject({ state: 'OPEN' });
    await end({ kind: 'not_forwarded', upstreamFailed: true });
    expect(await stored()).toBeUndefined();
    expect(await call('db')).toBe('only in OPEN');
  });

  it('keeps its move if it was forwarded, for every answer', async () => {
    for (const kind of ['lost', 'broken_off', 'complete'] as const) {
      const { begin, stored } = rig(TRANSACTION);
      const { end } = await begin('begin');
      await end({ kind });
      expect(await stored(), kind).toMatchObject({ state: 'OPEN' });
    }
  });

  it('does not undo later moves of others', async () => {
    const { begin, call, stored } = rig(TRANSACTION);
    const { end } = await begin('begin');
    await call('commit');
    await call('begin');
    await end({ kind: 'not_forwarded' });
    expect(await stored()).toMatchObject({ state: 'OPEN' });
  });
});

describe('simultaneous calls', () => {
  it('use an approval once: of 50 one passes, and the others are judged in the state after it', async () => {
    const { call, stored } = rig(APPROVAL);
    await call('approve');
    const said = await Promise.all(Array.from({ length: 50 }, () => call('deploy')));
    expect(said.filter((reason) => reason === undefined)).toHaveLength(1);
    expect(said.filter((reason) => reason === 'only in APPROVED')).toHaveLength(49);
    expect(await stored()).toMatchObject({ state: 'INIT' });
  });

  it('use it once across two gateways too', async () => {
    const keyHash = newKeyHash();
    const second = await connect(redis.addr);
    const rigs = [rig(APPROVAL, { keyHash }), rig(APPROVAL, { keyHash, store: sessionStore(second) })];
    await rigs[0]?.call('approve');
    const said = await Promise.all(Array.from({ length: 40 }, (_, nth) => rigs[nth % 2]?.call('deploy')));
    expect(said.filter((reason) => reason === undefined)).toHaveLength(1);
    second.disconnect();
  });

  it('all pass if each may, and move one after another', async () => {
    const { call, stored } = rig({
      transitions: { INIT: { next: 'A' }, A: { next: 'B' }, B: { next: 'C' }, C: { next: 'D' } },
    });
    const said = await Promise.all(Array.from({ length: 20 }, () => call('next')));
    expect(said.filter((reason) => reason !== undefined)).toEqual([]);
    expect(await stored()).toMatchObject({ state: 'D' });
  });

  it('are denied if others are always faster', async () => {
    const keyHash = newKeyHash();
    let nth = 0;
    const { call, stored } = rig(
      {
        // Another call moves the session each time this call has been judged.
        async nextState({ input: { session } }) {
          const life = await store.peek({ keyHash, sessionId: 'one' });
          if (life === undefined) throw new Error('the session is open');
          const step = { keyHash, sessionId: 'one', operationId: `other-${String(nth)}` };
          const from = session.state === '' ? undefined : session.state;
          await store.moveState(step, life.createdAt, { from, to: `S${String(nth++)}` });
          return 'MINE';
        },
      },
      { keyHash },
    );
    expect(await call('any')).toContain('keep moving its state');
    expect(nth).toBe(8);
    expect(await stored()).toMatchObject({ state: 'S7' });
  });

  it('are denied if the session ends while they are judged', async () => {
    const keyHash = newKeyHash();
    async function between(): Promise<undefined> {
      await store.end({ keyHash, sessionId: 'one' });
      await delay(2);
      await store.open({
        keyHash,
        sessionId: 'one',
        operationId: 'next',
        maxSteps: undefined,
        budgetNanoUsd: undefined,
      });
    }
    const { call, stored } = rig(TRANSACTION, { keyHash, between });
    expect(await call('begin')).toContain('the session ended');
    expect((await stored())?.state).toBeUndefined();
  });
});

describe('in shadow mode', () => {
  it('a call that would be denied is recorded, continues and moves the session', async () => {
    const { call, stored, records } = rig(
      { transitions: { INIT: { db: 'DONE' } }, needs: { db: 'OPEN' } },
      { shadowMode: true },
    );
    expect(await call('db')).toBeUndefined();
    expect(records).toMatchObject([{ kind: 'deny', message: 'only in OPEN' }]);
    expect(await stored()).toMatchObject({ state: 'DONE' });
  });

  it('and so is one that lost a race for an approval', async () => {
    const { call, records } = rig(APPROVAL, { shadowMode: true });
    await call('approve');
    const said = await Promise.all(Array.from({ length: 10 }, () => call('deploy')));
    expect(said.filter((reason) => reason !== undefined)).toEqual([]);
    expect(records.filter(({ kind }) => kind === 'deny')).toHaveLength(9);
  });
});

describe('a set that cannot decide a call’s next state', () => {
  it('denies it', async () => {
    const { call, troubles, stored } = rig({ nextState: () => Promise.reject(new Error('no engine')) });
    expect(await call('any')).toBe('the policies could not be evaluated: try again, or ask the operator');
    expect(troubles).toEqual([new Error('no engine')]);
    expect(await stored()).toBeUndefined();
  });
});

describe('marks of calls', () => {
  it('are recorded once, with calls that pass', async () => {
    const { call, stored, trips } = rig({ marks: ['m1', 'm2'], needs: { db: 'OPEN' } });
    await call('db');
    expect(await stored()).toBeUndefined();
    await call('list');
    expect(await stored()).toMatchObject({ marks: ['m1', 'm2'] });
    trips.length = 0;
    await call('list');
    expect(trips).toEqual([]);
  });

  it('deny a call that the session cannot remember, and take its move back', async () => {
    const first = Array.from({ length: MAX_NOTES.mark }, (_, nth) => `m${String(nth)}`);
    const keyHash = newKeyHash();
    const { call: fill } = rig({ marks: first }, { keyHash });
    expect(await fill('list')).toBeUndefined();
    const { call, stored } = rig({ ...TRANSACTION, marks: ['one more'] }, { keyHash });
    expect(await call('begin')).toContain('the history of this session is full');
    expect((await stored())?.state).toBeUndefined();
  });
});

describe('without Redis', () => {
  /** A new gateway, whose first command after the policies have judged is the move. */
  async function broken(fault: LinkFault) {
    // Redis knows the script: otherwise only the attempt to run it would be lost.
    await rig(TRANSACTION).call('begin');
    const link = await linkToRedis(redis.port);
    const far = await connect(link.addr);
    closing.push(async () => {
      far.disconnect();
      await link.close();
    });
    let isBroken = false;
    function between(): Promise<undefined> {
      if (!isBroken) link.breakAt(1, fault);
      isBroken = true;
      return Promise.resolve(undefined);
    }
    const keyHash = newKeyHash();
    const state = async () => (await store.peek({ keyHash, sessionId: 'one' }))?.state;
    return { ...rig(TRANSACTION, { keyHash, store: sessionStore(far, 1_000), between }), state };
  }

  it('a call that would move is refused, and a move without a reply is taken back in the background', async () => {
    const { begin, state } = await broken('silence');
    const { failure, end } = await begin('begin');
    expect(failure).toMatchObject({ type: 'redis_unavailable' });
    expect(await state()).toBe('OPEN');
    await end({ kind: 'not_forwarded' });
    await vi.waitFor(async () => expect(await state()).toBeUndefined(), { timeout: 10_000, interval: 50 });
  });

  it('a move whose reply was lost is repeated, and made once', async () => {
    const { begin, call, state } = await broken('lose reply');
    const { denial, failure, end } = await begin('begin');
    expect([denial, failure]).toEqual([undefined, undefined]);
    await end({ kind: 'complete' });
    expect(await state()).toBe('OPEN');
    expect(await call('db')).toBeUndefined();
  });
});
