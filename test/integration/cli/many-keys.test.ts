import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { keyRecordKey, KEYS_BY_USE, MARKED_KEYS, USES_COMPLETE } from '../../../src/redis/keys.ts';
import { createRedisRiskStore } from '../../../src/risk/redis-store.ts';
import { DEFAULTS } from '../../contracts/risk-store.ts';
import { makeManyKeys } from '../../support/operator/many-keys.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { runCli } from '../../support/run-cli.ts';

/** More than one Redis command reads. */
const KEYS = 505;
const hashes: string[] = [];

const redis = await startTestRedis();
afterAll(() => redis.close());
const keys = createKeyStore(redis.client);
const names = Array.from({ length: KEYS }, (_, nth) => `key-${String(nth)}`);
const created = await Promise.all(names.map((name) => keys.create({ name, provider: 'openai' })));
hashes.push(...created.map(({ record }) => record.keyHash).toSorted());
const risks = createRedisRiskStore({ client: redis.client, deadlineMs: 5_000, settings: DEFAULTS });
await Promise.all(locked().map((keyHash) => risks.lock(keyHash, 600_000, keyHash, { kind: 'operator' })));

/** Every tenth, including the last. */
function locked(): readonly string[] {
  return hashes.filter((_, nth) => (nth - KEYS + 1) % 10 === 0);
}

async function json(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout } = await runCli(redis, [...args, '--output', 'json']);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const hashesOf = (rows: unknown): string[] =>
  (rows as { key_hash: string }[]).map(({ key_hash }) => key_hash).toSorted();

describe('a list of very many keys is complete for', () => {
  it('keys list', async () => {
    expect(hashesOf((await json('keys', 'list'))['keys'])).toEqual(hashes);
  });

  it('quarantine list', async () => {
    expect(hashesOf((await json('quarantine', 'list'))['locks'])).toEqual(locked());
  });

  it('budget status', async () => {
    expect(hashesOf((await json('budget', 'status'))['keys'])).toEqual(hashes);
  });
});

describe('a list with a limit', () => {
  const MANY = 16_000;
  /** A page, and the next and larger one, which is read ahead. */
  const TWO_PAGES = 3_000;
  let many: TestRedis;

  beforeAll(async () => {
    many = await startTestRedis();
    await makeManyKeys(many, MANY);
  });
  afterAll(() => many.close());

  async function hashesRead(): Promise<number> {
    const stats = await many.client.info('commandstats');
    return ['hgetall', 'hmget'].reduce(
      (sum, command) => sum + Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0),
      0,
    );
  }

  async function reads(...args: readonly string[]) {
    const before = await hashesRead();
    const { code, stdout, stderr } = await runCli(many, [...args, '--output', 'json']);
    expect(code, stderr).toBe(0);
    const { total } = JSON.parse(stdout) as { total: number | null };
    return { total, stderr, reads: (await hashesRead()) - before };
  }

  it.each([
    [['keys', 'list', '--limit', '5'], 0],
    [['risk', 'list', '--limit', '5', '--sort', 'created'], 5],
    [['budget', 'status', '--limit', '5', '--sort', 'created'], 6],
  ])('in the order of creation reads two pages: %j', async (args, more) => {
    const found = await reads(...args);
    expect(found.total).toBe(MANY + 1);
    expect(found.stderr).toContain(`5 of ${String(MANY + 1)} shown`);
    expect(found.reads).toBeLessThanOrEqual(TWO_PAGES + more);
  });

  it('counts at most 10,000 keys beyond its limit if it filters', async () => {
    const found = await reads('keys', 'list', '--limit', '5', '--filter', 'provider=openai');
    expect(found.total).toBeNull();
    expect(found.stderr).toContain('5 shown; there may be more');
    expect(found.reads).toBeLessThan(MANY);
  });

  it.each([
    [['keys', 'list', '--limit', '5', '--sort', 'last-used'], 0],
    [['risk', 'list', '--limit', '5'], 5],
    [['budget', 'status', '--limit', '5'], 6],
  ])('reads two pages if most keys are not in use: %j', async (args, more) => {
    const found = await reads(...args);
    expect(found.total).toBe(MANY + 1);
    expect(found.stderr).toContain(`5 of ${String(MANY + 1)} shown`);
    expect(found.reads).toBeLessThanOrEqual(TWO_PAGES + more);
  });

  it.each([
    [['risk', 'list', '--filter', 'state=blocked']],
    [['budget', 'status', '--over', '1']],
    [['sessions', 'list']],
    [['quarantine', 'list']],
    [['spend']],
  ])('reads no key if none is in use: %j', async (args) => {
    const found = await reads(...args);
    expect(found.stderr).toBe('');
    expect(found.reads).toBeLessThanOrEqual(1);
  });

  it('reads only the state of the shown keys if ordered by name', async () => {
    const found = await reads('risk', 'list', '--limit', '5', '--sort', 'name', '--filter', 'owner=team-7');
    expect(found.total).toBe(MANY / 100);
    expect(found.reads).toBe(MANY + 1 + 5);
  });

  it('reads every key until those used and locked by an earlier release are known', async () => {
    const { record } = await createKeyStore(many.client).create({ name: 'old', provider: 'openai' });
    const { keyHash } = record;
    await many.client.hset(keyRecordKey(keyHash), 'last_used_at', Date.now() - 30 * 86_400_000);
    await many.client.set(`gateway:quarantine:${keyHash}`, 'a lock', 'PX', 600_000);
    await many.client.del(USES_COMPLETE, KEYS_BY_USE, MARKED_KEYS);
    const first = await runCli(many, ['quarantine', 'list']);
    expect(first.stdout).toContain(keyHash);
    expect(first.stderr).toContain('required reading every key');
    const before = await hashesRead();
    const { stdout, stderr } = await runCli(many, ['keys', 'list', '--sort', 'last-used', '--limit', '1']);
    expect(stdout).toMatch(/\nold /);
    expect(stderr).not.toContain('required reading');
    expect((await hashesRead()) - before).toBe(1);
  });
});
