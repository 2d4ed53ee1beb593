import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { createRedisRiskStore } from '../../../src/risk/redis-store.ts';
import { DEFAULTS } from '../../contracts/risk-store.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { runCli } from '../../support/run-cli.ts';

/** More than Redis is asked for at once. */
const KEYS = 505;

let redis: TestRedis;
const hashes: string[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
  const keys = createKeyStore(redis.client);
  const names = Array.from({ length: KEYS }, (_, nth) => `key-${String(nth)}`);
  const created = await Promise.all(names.map((name) => keys.create({ name, provider: 'openai' })));
  hashes.push(...created.map(({ record }) => record.keyHash).toSorted());
  const risks = createRedisRiskStore({ client: redis.client, deadlineMs: 5_000, settings: DEFAULTS });
  await Promise.all(locked().map((keyHash) => risks.lock(keyHash, 600_000, keyHash, { kind: 'operator' })));
});
afterAll(() => redis.close());

/** Every tenth, the last of all among them. */
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

describe('a list of very many keys leaves none out', () => {
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
