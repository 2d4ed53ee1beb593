import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { runCli, type Ended } from '../../support/run-cli.ts';
import { budgetStore, connect, reservation, USD } from '../checks/budget/support.ts';

let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis();
});
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

  it('without a key sets the default budget, which applies to keys with no limit of their own', async () => {
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
      expect(stderr).toContain('--daily: an amount in USD from 0 to 9000000, or none');
    },
  );

  it('refuses to set nothing, and to set a key that does not exist', async () => {
    expect((await gateway(['budget', 'set'])).code).toBe(2);
    expect((await gateway(['budget', 'set', 'nobody', '--daily', '1'])).code).toBe(1);
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

  it('draws a bar on a terminal, and none where a program reads', async () => {
    await createKey('planner');
    await json('budget', 'set', 'planner', '--daily', '10');
    const terminal = await gateway(['budget', 'status'], true);
    expect(terminal.stdout).toContain('░░░░░░░░░░░░░░░░░░░░ 0%');
    expect((await gateway(['budget', 'status'])).stdout).not.toContain('░');
  });

  it('says that there are no keys', async () => {
    expect((await gateway(['budget', 'status'])).stdout).toMatch(
      /^No keys yet\. Create one: gateway keys create .*\n$/,
    );
  });
});
