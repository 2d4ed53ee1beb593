import { beforeEach, describe, expect, it } from 'vitest';
import { createRedisSessionStore } from '../../../../src/checks/session/redis-store.ts';
import type { SessionStore } from '../../../../src/checks/session/store.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { runCli, type Ended } from '../../../support/run-cli.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { spendInSession } from '../../../support/session-spend.ts';
import { useKey } from '../../../support/use-key.ts';
import { useRedis } from '../budget/support.ts';
import { call, DAY_MS, opened } from '../../../contracts/session-rig.ts';

let redis: TestRedis;
let client: RedisClient;
let store: SessionStore;
let keyHash: string;
useRedis((started) => {
  ({ redis, client } = started);
  store = createRedisSessionStore({ client, deadlineMs: 2_500, ttlMs: DAY_MS, maxPerKey: 0 });
});
beforeEach(async () => {
  await redis.flush();
  keyHash = (await json('keys', 'create', '--name', 'planner', '--provider', 'openai')).key_hash;
});

const gateway = (...args: readonly string[]): Promise<Ended> => runCli(redis, args);

async function json(...args: string[]) {
  const { code, stdout, stderr } = await gateway(...args, '--output', 'json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** A session with a limit of each kind, an anchor, a taint and a tool. */
async function openSession(sessionId: string, anchor = 'Fix the tests.'): Promise<void> {
  const name = { keyHash, sessionId };
  const step = call(name, { maxSteps: 10, budgetNanoUsd: 2_500_000_000 });
  const { createdAt } = opened(await store.open(step));
  await store.noteAnswered(name, createdAt, anchor);
  await store.addTaint(step, 'secret_accessed');
  await store.keep(step, createdAt, 'read_file', true);
  await spendInSession(redis.client, name, 1_500_000_000);
}

describe('gateway sessions list', () => {
  it('shows id, times, steps and spend of the live sessions of a key, named in any way', async () => {
    await openSession('a');
    // Times are shown in whole milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 5));
    await store.open(call({ keyHash, sessionId: 'b' }));
    for (const reference of ['planner', keyHash, keyHash.slice(0, 'sha256:'.length + 10)]) {
      const listed = await json('sessions', 'list', reference);
      expect(listed).toMatchObject({
        key_hash: keyHash,
        name: 'planner',
        sessions: [
          { id: 'b', steps: 1, max_steps: null, spend_usd: 0, budget_usd: null },
          { id: 'a', steps: 1, max_steps: 10, spend_usd: 1.5, budget_usd: 2.5 },
        ],
      });
      expect(Date.parse(listed.sessions[1].created_at)).toBeGreaterThan(Date.now() - 60_000);
    }
    const { stdout } = await gateway('sessions', 'list', 'planner');
    expect(stdout).toMatch(/SESSION +CREATED \(UTC\) +LAST USED \(UTC\) +STEPS +SPENT \(USD\)/);
    expect(stdout).toMatch(/\na .* 1\/10 +1.5\/2.5\n/);
  });

  it('reports that there are none', async () => {
    expect((await gateway('sessions', 'list', 'planner')).stdout).toBe('planner has no live sessions.\n');
    expect(await json('sessions', 'list', 'planner')).toMatchObject({ sessions: [] });
  });

  it('without a key shows the sessions of all keys, sorted and filtered', async () => {
    await openSession('a');
    const other = (await json('keys', 'create', '--name', 'other', '--provider', 'openai')).key_hash;
    await store.open(call({ keyHash: other, sessionId: 'b' }));
    await store.open(call({ keyHash: other, sessionId: 'c' }));
    await Promise.all([keyHash, other].map((used) => useKey(client, used)));
    async function ids(...flags: string[]): Promise<unknown> {
      const { sessions, total } = await json('sessions', 'list', ...flags);
      return { total, ids: sessions.map(({ name, id }: { name: string; id: string }) => `${name}/${id}`) };
    }
    expect(await ids('--filter', 'key=pl*')).toEqual({ total: 1, ids: ['planner/a'] });
    expect(await ids('--filter', 'id=c')).toEqual({ total: 1, ids: ['other/c'] });
    const { stdout, stderr } = await gateway('sessions', 'list', '--sort', 'spent', '--limit', '1');
    expect(stdout).toMatch(/KEY +SESSION .*\nplanner +a .*\n$/);
    expect(stderr).toContain('1 of 3 shown');
  });

  it('shows all sessions of a key, also beyond one read', async () => {
    await Promise.all(
      Array.from({ length: 450 }, (_, nth) => store.open(call({ keyHash, sessionId: `s${String(nth)}` }))),
    );
    expect((await json('sessions', 'list', 'planner')).sessions).toHaveLength(450);
  });
});

describe('gateway sessions show', () => {
  it('adds calls in progress, state, taints, tools, and the stored first user request', async () => {
    await openSession('a');
    expect(await json('sessions', 'show', 'planner', 'a')).toMatchObject({
      id: 'a',
      calls_in_flight: 1,
      state: 'INIT',
      taint_flags: ['secret_accessed'],
      tools_called: ['read_file'],
      anchor: { bytes: 14, text: 'Fix the tests.' },
    });
  });

  it('prints no control character from a client', async () => {
    await openSession('a', 'red \u001b[31m and \u202e back\nnext');
    const { stdout } = await gateway('sessions', 'show', 'planner', 'a');
    expect(stdout).toMatch(/anchor +red \uFFFD\[31m and \uFFFD back\uFFFDnext\n/);
  });

  it('omits missing values', async () => {
    await store.open(call({ keyHash, sessionId: 'plain' }));
    expect(await json('sessions', 'show', 'planner', 'plain')).toMatchObject({
      anchor: null,
      max_steps: null,
    });
    const { stdout } = await gateway('sessions', 'show', 'planner', 'plain');
    expect(stdout).not.toMatch(/anchor|max_steps|budget|null/);
  });
});

describe('gateway sessions end', () => {
  it('removes the session with all its data', async () => {
    await openSession('a');
    const { code, stdout } = await gateway('sessions', 'end', 'planner', 'a');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Ended session a of planner.\n' });
    expect(await redis.client.keys('*session*')).toEqual([]);
    expect((await json('sessions', 'list', 'planner')).sessions).toEqual([]);
  });
});

describe.each([['show'], ['end']])('gateway sessions %s', (command) => {
  it('names a session that does not exist', async () => {
    const { code, stderr } = await gateway('sessions', command, 'planner', 'nobody\u001b[2J');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'planner has no live session nobody\uFFFD[2J. See gateway sessions list planner',
    );
  });

  it('names a key that does not exist', async () => {
    expect((await gateway('sessions', command, 'nobody', 'a')).code).toBe(1);
  });
});
