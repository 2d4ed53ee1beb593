import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { KEYS_BY_USE, spendDayKey } from '../../../src/redis/keys.ts';
import { createRedisRiskStore } from '../../../src/risk/redis-store.ts';
import { DEFAULTS } from '../../contracts/risk-store.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { runCli } from '../../support/run-cli.ts';

const DAY_MS = 86_400_000;

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
  const keys = createKeyStore(redis.client);
  const risks = createRedisRiskStore({ client: redis.client, deadlineMs: 5_000, settings: DEFAULTS });
  for (const [name, owner, blocks] of [
    ['beta', 'team-a', 1],
    ['alpha', 'team-b', 3],
    ['gamma', 'ops', 2],
  ] as const) {
    const { record } = await keys.create({ name, owner, provider: 'openai' });
    // Creation times are in whole milliseconds.
    await delay(2);
    for (let nth = 0; nth < blocks; nth += 1) {
      const operationId = `${name}-${String(nth)}`;
      await risks.record({ keyHash: record.keyHash, operationId, trigger: 'policy_block' });
    }
  }
  await keys.revoke('gamma');
});
afterAll(() => redis.close());

async function names(...args: readonly string[]) {
  const { code, stdout, stderr } = await runCli(redis, [...args, '--output', 'json']);
  expect(code, stderr).toBe(0);
  const { keys, total } = JSON.parse(stdout) as { keys: { name: string }[]; total: number };
  return { names: keys.map(({ name }) => name), total, stderr };
}

describe('a list', () => {
  it.each<[readonly string[], readonly string[]]>([
    [
      ['keys', 'list'],
      ['beta', 'alpha', 'gamma'],
    ],
    [
      ['keys', 'list', '--sort', 'name'],
      ['alpha', 'beta', 'gamma'],
    ],
    [
      ['keys', 'list', '--filter', 'owner=team-*'],
      ['beta', 'alpha'],
    ],
    [['keys', 'list', '--filter', 'owner=team-*', '--filter', 'name=a*'], ['alpha']],
    [['keys', 'list', '--filter', 'status=revoked'], ['gamma']],
    [['keys', 'list', '--filter', 'owner=nobody'], []],
    [
      ['risk', 'list'],
      ['alpha', 'gamma', 'beta'],
    ],
    [
      ['risk', 'list', '--sort', 'name', '--filter', 'state=open'],
      ['alpha', 'beta', 'gamma'],
    ],
    [
      ['budget', 'status', '--sort', 'name'],
      ['alpha', 'beta', 'gamma'],
    ],
    [['budget', 'status', '--filter', 'name=b*'], ['beta']],
  ])('%j', async (args, expected) => {
    expect(await names(...args)).toEqual({ names: expected, total: expected.length, stderr: '' });
  });

  it.each([
    ['keys', 'list'],
    ['risk', 'list'],
    ['budget', 'status'],
  ])('of %s %s ends at its limit, keeps the first in its order, and reports it', async (of, verb) => {
    const { stderr, ...shown } = await names(of, verb, '--limit', '1', '--sort', 'name');
    expect(shown).toEqual({ names: ['alpha'], total: 3 });
    expect(stderr).toContain('1 of 3 shown');
  });

  it.each<[readonly string[], readonly string[]]>([
    [
      ['risk', 'list', '--sort', 'created'],
      ['beta', 'alpha', 'gamma'],
    ],
    [
      ['budget', 'status', '--sort', 'created', '--filter', 'budget=none', '--filter', 'name=*a'],
      ['beta', 'alpha', 'gamma'],
    ],
    [['budget', 'status', 'alpha', '--filter', 'owner=team-b'], ['alpha']],
    [['budget', 'status', '--sort', 'created', '--over', '50'], []],
  ])('%j, in the order of creation', async (args, expected) => {
    expect(await names(...args)).toEqual({ names: expected, total: expected.length, stderr: '' });
  });

  it.each([
    ['--limit', '0'],
    ['--limit', '1000001'],
    ['--limit', 'all'],
    ['--sort', 'colour'],
    ['--filter', 'owner'],
    ['--filter', 'colour=red'],
  ])('refuses %s %s, and names the remedy', async (flag, value) => {
    const { code, stderr } = await runCli(redis, ['keys', 'list', flag, value]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/for example|Allowed choices|choose/i);
  });
});

it('spend includes a stream that began days before and ended today', async () => {
  const [hash] = await redis.client.hmget('gateway:key_names', 'beta');
  const today = Math.floor(Date.now() / DAY_MS);
  await redis.client.zadd(KEYS_BY_USE, Date.now() - 5 * DAY_MS, hash ?? '');
  await redis.client.hset(spendDayKey(hash ?? '', today), 'openai/gpt-4o', 1_500_000_000);
  const { stdout } = await runCli(redis, ['spend', '--by', 'key', '--since', '1d', '--output', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({ rows: [expect.objectContaining({ key: 'beta' })] });
});
