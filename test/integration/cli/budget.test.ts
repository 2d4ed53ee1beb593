import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { SHARED_BUDGETS } from '../../../src/redis/keys.ts';
import { createSharedBudgetStore, MAX_STORED_BUDGETS } from '../../../src/shared-budgets/store.ts';
import { startTestRedis } from '../../support/redis.ts';
import { runCli, type Ended } from '../../support/run-cli.ts';
import { useKey } from '../../support/use-key.ts';
import { budgetStore, connect, reservation, USD } from '../checks/budget/support.ts';

const redis = await startTestRedis();
afterAll(() => redis.close());
beforeEach(() => redis.flush());

const gateway = (args: readonly string[], isTTY = false): Promise<Ended> => runCli(redis, args, isTTY);

async function json(...args: string[]) {
  const { code, stdout, stderr } = await gateway([...args, '--output', 'json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function createKey(name: string): Promise<string> {
  return (await json('keys', 'create', '--name', name, '--provider', 'openai')).key_hash;
}

describe('gateway budget set', () => {
  it('sets, keeps, blocks and removes limits of one key, named in any way', async () => {
    const keyHash = await createKey('planner');
    await json('budget', 'set', 'planner', '--daily', '2.5', '--hourly', '9000000');
    await json('budget', 'set', keyHash, '--monthly', '0');
    const set = await json('budget', 'set', keyHash.slice(0, 'sha256:'.length + 10), '--hourly', 'none');
    expect(set).toEqual({
      key_hash: keyHash,
      name: 'planner',
      limits_usd: { minute: null, hourly: null, daily: 2.5, weekly: null, monthly: 0 },
    });
  });

  it('without a key sets the default budget, which applies to keys without their own limit', async () => {
    await createKey('own');
    await createKey('plain');
    await json('budget', 'set', 'own', '--daily', '1');
    expect(await json('budget', 'set', '--weekly', '7')).toMatchObject({
      key_hash: null,
      limits_usd: { weekly: 7 },
    });
    const { keys, default_limits_usd: fallback } = await json('budget', 'status');
    expect(fallback).toMatchObject({ weekly: 7, daily: null });
    const limits = Object.fromEntries(
      keys.map(
        (key: { name: string; budget: string; windows: { window: string; limit_usd: number | null }[] }) => [
          key.name,
          [
            key.budget,
            ...key.windows.filter((w) => w.limit_usd !== null).map((w) => `${w.window} ${w.limit_usd}`),
          ],
        ],
      ),
    );
    expect(limits).toEqual({ own: ['own', 'daily 1'], plain: ['default', 'weekly 7'] });
  });

  it.each([['-1'], ['1e3'], ['9000001'], ['much'], ['NaN'], [''], ['0x10']])(
    'refuses --daily %j',
    async (written) => {
      const { code, stderr } = await gateway(['budget', 'set', `--daily=${written}`]);
      expect(code).toBe(2);
      expect(stderr).toContain('--daily must be an amount in USD from 0 to 9000000, or none');
    },
  );

  it('refuses to set nothing, and an unknown key', async () => {
    expect((await gateway(['budget', 'set'])).code).toBe(2);
    expect((await gateway(['budget', 'set', 'nobody', '--daily', '1'])).code).toBe(1);
  });
});

describe('gateway budget set for a shared budget', () => {
  const limits = { minute: null, hourly: null, daily: null, weekly: null, monthly: null };

  it('makes its name from the conditions, keeps other windows, and disappears with its last limit', async () => {
    const set = ['budget', 'set', '--tag', 'team=search'] as const;
    const match = { tags: { team: 'search' } };
    expect(await json(...set, '--daily', '50')).toEqual({
      name: 'team-search',
      match,
      limits_usd: { ...limits, daily: 50 },
      change: 'created',
    });
    const changed = await json(...set, '--monthly', '900', '--daily', '40');
    expect(changed).toMatchObject({ limits_usd: { daily: 40, monthly: 900 }, change: 'changed' });
    expect(await json('budget', 'set', '--name', 'team-search', '--monthly', 'none')).toMatchObject({
      match,
      limits_usd: { ...limits, daily: 40 },
    });
    const { budgets } = await json('budget', 'list');
    expect(budgets).toEqual([
      expect.objectContaining({ name: 'team-search', match, source: 'command' }) as object,
    ]);
    expect(await json(...set, '--daily', 'none')).toMatchObject({ change: 'removed' });
    expect(await json('budget', 'list')).toEqual({ budgets: [] });
    expect(await redis.client.keys('gateway:*')).toEqual([]);
  });

  it('accepts conditions of each kind, and a name', async () => {
    const conditions = ['--owner', 'a*', '--owner', 'b', '--provider', 'openai', '--model', 'gpt-5*'];
    const named = await json('budget', 'set', '--name', 'crowd', ...conditions, '--daily', '1');
    expect(named.match).toEqual({ owners: ['a*', 'b'], providers: ['openai'], models: ['gpt-5*'] });
    const derived = await json('budget', 'set', '--mcp-server', 'maps', '--tag', 'team=a/b', '--daily', '1');
    expect(derived.name).toBe('mcp-maps-team-a-b');
    expect((await json('budget', 'set', '--all', '--monthly', '1')).name).toBe('everything');
  });

  it.each([
    [
      'a key and conditions',
      ['planner', '--tag', 'team=search'],
      2,
      'a budget applies to one key or is shared',
    ],
    ['all and conditions', ['--all', '--owner', 'ada'], 2, '--all cannot be combined'],
    ['an unknown provider', ['--provider', 'acme'], 2, '--provider: acme is not one of'],
    ['a tag without a value', ['--tag', 'team'], 2, '--tag must be key=value'],
    ['a tag that no key can have', ['--tag', '__proto__=x'], 2, '--tag: __proto__ is not a valid tag name'],
    ['an unknown name without conditions', ['--name', 'serach'], 1, 'unknown budget serach'],
    ['a name that is no name', ['--name', 'a}b'], 1, 'the name: must be 1 to 64 of'],
    ['an endless owner', ['--owner', 'a'.repeat(257)], 1, 'owners.0: '],
    [
      'endless conditions',
      ['--owner', 'a*'.repeat(5_001)],
      1,
      'the conditions have more than 10000 characters',
    ],
    ['conditions that share a name', ['--tag', 'team=a-b'], 1, 'belongs to a budget with other conditions'],
  ])('refuses %s', async (_what, flags, code, message) => {
    await json('budget', 'set', '--tag', 'team=a/b', '--daily', '1');
    const refused = await gateway(['budget', 'set', ...flags, '--daily', '5']);
    expect(refused.code).toBe(code);
    expect(refused.stderr).toContain(message);
  });

  it('sets a damaged one again, and others beside it', async () => {
    const search = ['budget', 'set', '--name', 'search'] as const;
    await json(...search, '--tag', 'team=search', '--daily', '5', '--weekly', '9');
    await redis.client.hset(SHARED_BUDGETS, 'budget:search', '{"match":{}');
    expect((await gateway(['budget', 'list'])).code).toBe(1);
    await json('budget', 'set', '--all', '--daily', '1');
    const { code, stderr } = await gateway([...search, '--daily', 'none']);
    expect(code).toBe(1);
    expect(stderr).toContain('search is damaged: set it again with its conditions and limits');
    await json(...search, '--tag', 'team=search', '--daily', '4');
    const { budgets } = await json('budget', 'list');
    expect(budgets.map((budget: { name: string }) => budget.name)).toEqual(['everything', 'search']);
    expect(await json(...search, '--daily', 'none')).toMatchObject({ change: 'removed' });
  });

  it('makes each of many simultaneous changes', async () => {
    await Promise.all(
      ['--minute', '--hourly', '--daily', '--weekly'].map((window) =>
        json('budget', 'set', '--all', window, '1'),
      ),
    );
    const [all] = (await json('budget', 'list')).budgets;
    expect(all.windows.map((window: { limit_usd: number | null }) => window.limit_usd)).toEqual([
      1,
      1,
      1,
      1,
      null,
    ]);
  });

  it('is bounded in number', async () => {
    const store = createSharedBudgetStore({ client: redis.client, deadlineMs: 2_500 });
    function add(nth: number): Promise<string> {
      const name = `team-${String(nth)}`;
      return store.replace(name, '', { name, match: {}, limits: { daily: 1 } });
    }
    for (let nth = 0; nth < MAX_STORED_BUDGETS; nth += 1) expect(await add(nth)).toBe('set');
    expect(await add(MAX_STORED_BUDGETS)).toBe('full');
    expect((await store.list()).length).toBe(MAX_STORED_BUDGETS);
  });
});

describe('gateway budget status', () => {
  it('shows limit, spent, reserved, remaining and reset of every window', async () => {
    const keyHash = await createKey('planner');
    await json('budget', 'set', 'planner', '--daily', '10');
    const client = await connect(redis.addr);
    const store = budgetStore(client);
    const spent = reservation(keyHash, { daily: 10 * USD }, 4 * USD);
    await store.reserve(spent);
    await store.settle({ ...spent, costNanoUsd: 1.5 * USD, repeated: false });
    await store.reserve(reservation(keyHash, { daily: 10 * USD }, 2 * USD));
    client.disconnect();
    const { keys } = await json('budget', 'status', 'planner');
    expect(keys).toHaveLength(1);
    const tomorrow = new Date(Math.floor(Date.now() / 86_400_000 + 1) * 86_400_000).toISOString();
    expect(keys[0].windows[2]).toEqual({
      window: 'daily',
      limit_usd: 10,
      spent_usd: 1.5,
      reserved_usd: 2,
      remaining_usd: 6.5,
      resets_at: tomorrow,
    });
    expect(keys[0].windows[4]).toMatchObject({ limit_usd: null, spent_usd: 1.5, remaining_usd: null });
  });

  it('hides windows without limit and spend, and shows the fullest budget first', async () => {
    const [idle, half, full] = [
      await createKey('a-idle'),
      await createKey('b-half'),
      await createKey('c-full'),
    ];
    const client = await connect(redis.addr);
    const store = budgetStore(client);
    for (const [keyHash, spentUsd] of [
      [half, 5],
      [full, 9],
    ] as const) {
      await json('budget', 'set', keyHash, '--daily', '10');
      const spent = reservation(keyHash, { daily: 10 * USD }, spentUsd * USD);
      await store.reserve(spent);
      await useKey(client, keyHash);
    }
    client.disconnect();
    await json('budget', 'set', idle, '--weekly', '1');
    const { stdout } = await gateway(['budget', 'status']);
    expect(stdout.match(/^\S+(?= {2}sha256)/gm)).toEqual(['c-full', 'b-half', 'a-idle']);
    const block = stdout.split('\n\n')[2];
    expect(block).toMatch(/weekly/);
    expect(block).not.toMatch(/minute|hourly|daily|monthly|total/);

    const over = await json('budget', 'status', '--over', '80');
    expect(over.keys.map(({ name }: { name: string }) => name)).toEqual(['c-full']);
    expect((await gateway(['budget', 'status', '--over', '95%'])).stdout).toBe(
      'No key has used 95 % of a limit.\n',
    );
  });

  it('says in one line that a key has neither limit nor spend', async () => {
    await createKey('planner');
    expect((await gateway(['budget', 'status'])).stdout).toMatch(
      /^planner .*\n {2}nothing spent, no limit\n$/,
    );
  });

  it('draws a bar on a terminal, and none for a program', async () => {
    await createKey('planner');
    await json('budget', 'set', 'planner', '--daily', '10');
    const terminal = await gateway(['budget', 'status'], true);
    expect(terminal.stdout).toContain('░░░░░░░░░░░░░░░░░░░░ 0%');
    expect((await gateway(['budget', 'status'])).stdout).not.toContain('░');
  });

  it('reports that there are no keys', async () => {
    expect((await gateway(['budget', 'status'])).stdout).toMatch(
      /^No keys yet\. Create one: gateway keys create .*\n$/,
    );
  });
});
