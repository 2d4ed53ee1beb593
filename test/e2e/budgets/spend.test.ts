import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, startBudgets, TOKEN, type Budgets } from './rig.ts';

/** docs/spend.md */
let rig: Budgets;
beforeAll(async () => {
  rig = await startBudgets({
    spend: { enabled: true },
    budgets: [{ name: 'everything', match: {}, monthly: 100 }],
  });
});
afterAll(() => rig.close());

interface Report {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly total_usd: number;
}

async function report(...args: readonly string[]): Promise<Report> {
  const { code, stdout, stderr } = await cli(rig.gateway, 'spend', '--output', 'json', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Report;
}

const usd = (tokens: number): number => (tokens * TOKEN) / 1e9;

describe('gateway spend', () => {
  it('reports spend to the nano-USD, by owner, key, provider, model and tag', async () => {
    const jane = await rig.newClient({ key: { name: 'planner', owner: 'jane', tags: { team: 'search' } } });
    const joe = await rig.newClient({ key: { name: 'crew', owner: '=joe', tags: { team: 'maps' } } });
    jane.behave({ outputTokens: 123 });
    joe.behave({ outputTokens: 77 });
    for (let nth = 0; nth < 3; nth += 1) expect((await jane.ask()).status).toBe(200);
    expect((await jane.ask({ model: 'gpt-5' })).status).toBe(200);
    expect((await joe.ask()).status).toBe(200);
    await jane.expectSpent(4 * 123 * TOKEN);

    expect(await report()).toMatchObject({
      rows: [
        { owner: 'jane', usd: usd(492) },
        { owner: '=joe', usd: usd(77) },
      ],
      total_usd: usd(569),
    });
    expect((await report('--by', 'tag:team')).rows).toEqual([
      { 'tag:team': 'search', usd: usd(492) },
      { 'tag:team': 'maps', usd: usd(77) },
    ]);
    expect((await report('--by', 'team')).rows).toEqual([
      { team: 'search', usd: usd(492) },
      { team: 'maps', usd: usd(77) },
    ]);
    expect((await report('--by', 'provider')).rows).toEqual([{ provider: 'openai', usd: usd(569) }]);
    const today = new Date().toISOString().slice(0, 10);
    expect((await report('--by', 'model', '--bucket', 'day')).rows).toEqual([
      { from: today, model: 'flat', usd: usd(446) },
      { from: today, model: 'gpt-5', usd: usd(123) },
    ]);
    expect((await report('--by', 'key', '--bucket', 'month', '--since', '1d')).rows).toEqual([
      { from: today.slice(0, 7), key: 'planner', usd: usd(492) },
      { from: today.slice(0, 7), key: 'crew', usd: usd(77) },
    ]);
    const csv = await cli(rig.gateway, 'spend', '--output', 'csv');
    expect(csv.stdout).toBe(`owner,usd\r\njane,${String(usd(492))}\r\n'=joe,${String(usd(77))}\r\n`);
    const table = await cli(rig.gateway, 'spend', '--by', 'key');
    expect(table.stdout).toContain(`Total: ${String(usd(569))} USD`);
  });

  it.each([
    [['--by', 'colour'], '--by: "colour" is not a group'],
    [['--since', '0s'], '--since must be from 1d'],
  ])('%j gets an explanation', async (args, message) => {
    const { code, stderr } = await cli(rig.gateway, 'spend', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
