import { WINDOWS_LEDGER } from '../../../../src/checks/budget/accounts.ts';
import { createRedisBudgetStore } from '../../../../src/checks/budget/redis-store.ts';
import { sharedBudget } from '../../../../src/checks/budget/shared.ts';
import { spendDayKey, spendKey } from '../../../../src/redis/keys.ts';
import { dayOf } from '../../../../src/spend/store.ts';
import { asks, header, outcome } from '../asking.ts';
import type { Probes, See } from '../probe.ts';

const at = (...rest: string[]): string[] => ['budgets', '0', ...rest];
const closed = (match: object): object => ({ budgets: [{ name: 'team', match, daily: 0 }] });
const REFUSED = '429 budget_exceeded';
const asksAsTeam = outcome({ key: { owner: 'jane', tags: { team: 'search' } } });

/** Each window separately refuses a request, or has room for it. */
const windowProbe = (window: string): Probes[string] => ({
  at: at(window),
  with: { budgets: [{ name: 'team', match: {}, monthly: 1_000 }] },
  values: [0, 1_000],
  see: outcome({}),
  expected: [REFUSED, 200],
});

/** Observes how long today's spend is kept, in whole hours; undefined if nothing is recorded. */
const keptHours: See = async (bench) => {
  const { keyHash } = await asks(bench, {});
  const lifeMs = await bench.redis.client.pttl(spendDayKey(keyHash, dayOf(Date.now())));
  return lifeMs < 0 ? undefined : Math.ceil(lifeMs / 3_600_000);
};

/** Observes at which minute of a day (UTC) the month of a shared budget ends. */
const monthBegins: See = async (bench) => {
  const [settings] = bench.config.budgets;
  if (settings === undefined) return undefined;
  const { keyHash, accounts } = await sharedBudget(settings);
  // A running window would not change.
  await bench.redis.client.del(spendKey(keyHash, WINDOWS_LEDGER));
  await asks(bench, {});
  const store = createRedisBudgetStore({ client: bench.redis.client, deadlineMs: 5_000, alertPercents: [] });
  const month = (await store.status(keyHash, accounts)).at(-1);
  return Math.round((Date.now() + (month?.resetMs ?? 0)) / 60_000) % (24 * 60);
};

export const budgetProbes: Probes = {
  'spend.enabled': { values: [false, true], see: keptHours, expected: [undefined, 400 * 24] },
  'spend.retention': {
    with: { spend: { enabled: true } },
    values: ['2h', '9h'],
    see: keptHours,
    expected: [2, 9],
  },
  'budgets[].name': {
    at: at('name'),
    with: { budgets: [{ name: 'team', match: {}, daily: 1 }] },
    values: ['one', 'other'],
    see: header('x-gateway-budget-window'),
    expected: ['one:daily', 'other:daily'],
  },
  'budgets[].match.owners': {
    at: at('match', 'owners'),
    with: closed({}),
    values: [['ja*'], ['joe']],
    see: asksAsTeam,
    expected: [REFUSED, 200],
  },
  'budgets[].match.tags.*': {
    at: at('match', 'tags', 'team'),
    with: closed({}),
    values: ['sea*', 'maps'],
    see: asksAsTeam,
    expected: [REFUSED, 200],
  },
  'budgets[].match.providers': {
    at: at('match', 'providers'),
    with: closed({}),
    values: [['openai'], ['groq']],
    see: asksAsTeam,
    expected: [REFUSED, 200],
  },
  'budgets[].match.models': {
    at: at('match', 'models'),
    with: closed({}),
    values: [['gpt-4*'], ['gpt-5*']],
    see: asksAsTeam,
    expected: [REFUSED, 200],
  },
  'budgets[].match.mcp_servers': {
    at: at('match', 'mcp_servers'),
    with: closed({}),
    values: [undefined, ['files']],
    see: asksAsTeam,
    expected: [REFUSED, 200],
  },
  'budgets[].time_zone': {
    at: at('time_zone'),
    with: { budgets: [{ name: 'zoned', match: {}, monthly: 1_000 }] },
    values: ['UTC', 'Asia/Kathmandu'],
    see: monthBegins,
    expected: [0, 24 * 60 - (5 * 60 + 45)],
  },
  'budgets[].minute': windowProbe('minute'),
  'budgets[].hourly': windowProbe('hourly'),
  'budgets[].daily': windowProbe('daily'),
  'budgets[].weekly': windowProbe('weekly'),
  'budgets[].monthly': windowProbe('monthly'),
};
