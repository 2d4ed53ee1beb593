import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  keyRecordKey,
  KEYS_BY_USE,
  MARKED_KEYS,
  quarantineKey,
  riskProfileKey,
  USES_COMPLETE,
} from '../../src/redis/keys.ts';
import { cli, startBudgets, type Budgets } from './budgets/rig.ts';

/** docs/redis.md#size: lists read only the keys in use. */
const DAY_MS = 86_400_000;

let rig: Budgets;
beforeAll(async () => {
  rig = await startBudgets({ spend: { enabled: true } });
  // Older than the key in use, so that lists in the order of creation begin with them.
  for (const name of ['idle-0', 'idle-1', 'idle-2']) await create(name);
});
afterAll(() => rig.close());

async function run(...args: readonly string[]) {
  const { code, stdout, stderr } = await cli(rig.gateway, ...args);
  expect(code, stderr).toBe(0);
  return { stdout, stderr };
}

async function json(...args: readonly string[]): Promise<Record<string, unknown>> {
  return JSON.parse((await run(...args, '--output', 'json')).stdout) as Record<string, unknown>;
}

async function create(name: string): Promise<string> {
  return (await json('keys', 'create', '--name', name, '--provider', 'openai'))['key_hash'] as string;
}

const namesOf = (rows: unknown): readonly string[] => (rows as { name: string }[]).map(({ name }) => name);

describe('a key in use', () => {
  it('is first in every list at once, and is found without reading the others', async () => {
    const busy = await rig.newClient({ key: { name: 'busy' }, budget: { daily: 5 } });
    expect((await busy.ask({}, { headers: { 'x-gateway-session-id': 'one' } })).status).toBe(200);
    expect(await rig.gateway.redis.client.exists(USES_COMPLETE)).toBe(1);

    expect(namesOf((await json('keys', 'list', '--sort', 'last-used', '--limit', '1'))['keys'])).toEqual([
      'busy',
    ]);
    expect(namesOf((await json('budget', 'status', '--limit', '1'))['keys'])).toEqual(['busy']);
    expect(namesOf((await json('sessions', 'list'))['sessions'])).toEqual(['busy']);
    await expect
      .poll(async () => (await json('spend', '--by', 'key'))['rows'], { timeout: 10_000 })
      .toEqual([expect.objectContaining({ key: 'busy' })]);
    const all = await json('budget', 'status');
    expect(namesOf(all['keys'])).toEqual(['busy', 'idle-0', 'idle-1', 'idle-2']);
    expect(all['total']).toBe(4);
  });
});

describe('a key that was not used for long', () => {
  it('is listed while it is locked', async () => {
    const keyHash = await create('locked');
    await run('quarantine', 'set', 'locked', '--for', '2160h');
    await rig.gateway.redis.client.hset(keyRecordKey(keyHash), 'last_used_at', Date.now() - 80 * DAY_MS);
    expect(namesOf((await json('quarantine', 'list'))['locks'])).toEqual(['locked']);
    expect(namesOf((await json('risk', 'list', '--filter', 'state=locked'))['keys'])).toEqual(['locked']);
  });

  it('is listed with a limit of 0, which is always full', async () => {
    await create('stopped');
    await run('budget', 'set', 'stopped', '--monthly', '0');
    expect(namesOf((await json('budget', 'status', '--over', '100'))['keys'])).toEqual(['stopped']);
  });
});

it('with a manual lock is listed once the lock has refused a request, and before with --all', async () => {
  const client = await rig.newClient({ key: { name: 'by-hand' } });
  await rig.gateway.redis.client.set(quarantineKey(client.keyHash), 'by hand');
  expect(namesOf((await json('quarantine', 'list', '--all'))['locks'])).toContain('by-hand');
  expect(namesOf((await json('quarantine', 'list'))['locks'])).not.toContain('by-hand');
  expect((await client.ask()).status).toBe(403);
  await expect
    .poll(async () => namesOf((await json('quarantine', 'list'))['locks']), { timeout: 10_000 })
    .toContain('by-hand');
});

it("that last month's gateways used is listed after the upgrade", async () => {
  const { client } = rig.gateway.redis;
  const keyHash = await create('last-month');
  await client.hset(keyRecordKey(keyHash), 'last_used_at', Date.now() - 20 * DAY_MS);
  await client.hset(riskProfileKey(keyHash), 'blocked_at', Date.now() - 20 * DAY_MS);
  await client.del(USES_COMPLETE, KEYS_BY_USE, MARKED_KEYS);
  const blocked = await json('risk', 'list', '--filter', 'state=blocked');
  expect(namesOf(blocked['keys'])).toEqual(['last-month']);
  const used = await json('keys', 'list', '--sort', 'last-used', '--limit', '3');
  expect(namesOf(used['keys'])).toContain('last-month');
});
