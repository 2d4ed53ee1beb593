import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeyStateStore } from '../../../src/auth/key-state-store.ts';
import { hashKey } from '../../../src/auth/raw-key.ts';
import { connectRedis, waitUntilReady } from '../../../src/redis/client.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { gatewayProgram } from '../../support/parts.ts';
import { commandRunner, type Ended } from '../../support/run-cli.ts';
import { startTestRedis } from '../../support/redis.ts';

const run = commandRunner(await gatewayProgram());
const redis = await startTestRedis({ password: 'cli-test' });
afterAll(() => redis.close());
beforeEach(() => redis.flush());

function gateway(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const settings = { REDIS_ADDR: redis.addr, REDIS_PASSWORD: 'cli-test' };
  return run(args, { ...settings, ...env });
}

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await gateway([...args, '--output', 'json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const create = (...more: string[]) =>
  json('keys', 'create', '--name', 'planner', '--provider', 'openai', ...more);

describe('gateway keys', () => {
  it('create prints the raw key once with its hash and fields', async () => {
    const created = await create(
      ...[
        '--agent-name',
        'p',
        '--owner',
        'ops',
        '--allowed-tools',
        'a, b',
        '--allowed-providers',
        'groq,xai',
      ],
      ...[
        '--allowed-models',
        'gpt-4o*',
        '--trust',
        'system',
        '--tags',
        'team=x,tier=2',
        '--expires-in',
        '30d',
      ],
    );
    const { key, expires_at: expiresAt, created_at: createdAt } = created;
    expect(created).toMatchObject({
      key_hash: hashKey(String(key)),
      name: 'planner',
      provider: 'openai',
      status: 'active',
      agent_name: 'p',
      owner: 'ops',
      allowed_tools: ['a', 'b'],
      allowed_providers: ['groq', 'xai'],
      allowed_models: ['gpt-4o*'],
      trust: ['system'],
      tags: { team: 'x', tier: '2' },
    });
    expect(Date.parse(String(expiresAt)) - Date.parse(String(createdAt))).toBe(30 * 86_400_000);

    const others = await Promise.all([gateway(['keys', 'list']), gateway(['keys', 'show', 'planner'])]);
    for (const { stdout } of others) {
      expect(stdout).toContain('planner');
      expect(stdout).not.toContain(String(key).slice(3));
    }
  });

  it.each([
    [['--name', ''], '--name: must be 1 to 128 characters'],
    [['--owner', 'o'.repeat(257)], '--owner: '],
    [['--allowed-tools', `a,${'t'.repeat(257)}`], '--allowed-tools, entry 2: '],
    [['--jwt-subject', 's'.repeat(257)], '--jwt-subject: '],
  ])('create names the flag with an invalid value: %j', async (flags, message) => {
    const { code, stderr } = await gateway([
      'keys',
      'create',
      '--name',
      'n',
      '--provider',
      'openai',
      ...flags,
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain(`gateway: ${message}`);
  });

  it('create distinguishes `none` from no list, also after a rotation', async () => {
    const lists = ['--allowed-tools', '--allowed-models', '--allowed-providers', '--trust', '--tags'];
    const nothing = { allowed_tools: [], allowed_models: [], allowed_providers: [], trust: [], tags: {} };
    const created = await create(...lists.flatMap((flag) => [flag, 'none']));
    expect(created).toMatchObject(nothing);
    expect(await json('keys', 'show', 'planner')).toMatchObject(nothing);
    expect(await json('keys', 'rotate', 'planner')).toMatchObject(nothing);
    const { stdout } = await gateway(['keys', 'show', 'planner']);
    expect(stdout.match(/^(allowed_\w+|trust) +none$/gm)).toHaveLength(4);

    const free = await json('keys', 'create', '--name', 'free', '--provider', 'openai');
    expect(Object.keys(free).filter((name) => name.startsWith('allowed_'))).toEqual([]);
    expect((await gateway(['keys', 'show', 'free'])).stdout).not.toContain('allowed_');
  });

  it('show shows lock and limits', async () => {
    const { key_hash: keyHash } = await create();
    await redis.client.set(`gateway:quarantine:${String(keyHash)}`, '1', 'EX', 100);
    await redis.client.hset(`gateway:risk_profile:${String(keyHash)}`, 'risk_score', '30');
    await redis.client.hset('gateway:budget:default', 'daily', '2500000000');
    expect(await json('keys', 'show', 'planner')).toMatchObject({
      locked: true,
      lock_ttl_seconds: expect.closeTo(100, -1),
      risk_score: 30,
      budget_usd: { daily: 2.5 },
    });
  });

  it('revoke and rotate take a hash prefix', async () => {
    const { key, key_hash: keyHash } = await create();
    const prefix = String(keyHash).slice(7, 17);
    const rotated = await json('keys', 'rotate', prefix, '--grace', '1h');
    expect(rotated).toMatchObject({ key_hash: keyHash, name: 'planner' });
    expect(rotated['key']).not.toBe(key);
    expect(await json('keys', 'revoke', prefix)).toMatchObject({ status: 'revoked' });
    expect(await json('keys', 'list')).toMatchObject({ keys: [{ key_hash: keyHash, status: 'revoked' }] });
  });

  it('rotate ends the old raw key at once without --grace', async () => {
    const { key, key_hash: keyHash } = await create();
    const client = connectRedis(defaultConfig({ redis: { addr: redis.addr, password: 'cli-test' } }).redis, {
      name: 'cli-test',
    });
    await waitUntilReady(client, 5_000);
    const keys = createKeyStateStore({ client, deadlineMs: 2_000 });
    const statusOf = async (raw: unknown): Promise<string | undefined> =>
      (await keys.readKeyState(hashKey(String(raw))))?.status;
    expect(await statusOf(key)).toBe('active');
    const { key: next } = await json('keys', 'rotate', String(keyHash));
    expect([await statusOf(key), await statusOf(next)]).toEqual(['expired', 'active']);
    const { key: last } = await json('keys', 'rotate', String(keyHash), '--grace', '1h');
    expect([await statusOf(key), await statusOf(next), await statusOf(last)]).toEqual([
      'expired',
      'active',
      'active',
    ]);
    client.disconnect();
    const { stdout } = await gateway(['keys', 'rotate', String(keyHash)]);
    expect(stdout).toContain('The old key has stopped working.');
  });

  it('refuses labels that could deceive on a terminal, without repeating them', async () => {
    for (const flags of [
      ['--owner', 'o\u202eps'],
      ['--agent-name', 'pl\u200banner'],
      ['--tags', 'te\u2066am=x'],
      ['--tags', 'team=\u200dx'],
    ]) {
      const { code, stdout, stderr } = await gateway([
        ...['keys', 'create', '--name', 'n', '--provider', 'openai'],
        ...flags,
      ]);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^gateway: [^\n]*must not contain control, bidirectional, zero-width[^\n]*\n$/);
      expect(stderr).not.toMatch(/\u200b|\u200d|\u202e|\u2066/);
    }
    expect(await json('keys', 'list')).toEqual({ keys: [], total: 0 });

    const { key_hash: keyHash } = await create();
    await redis.client.hset(`gateway:key:${String(keyHash)}`, 'name', 'stored\u202e\u3164before');
    const listed = await gateway(['keys', 'list']);
    const revoked = await gateway(['keys', 'revoke', String(keyHash)]);
    for (const { stdout } of [listed, revoked]) expect(stdout).toContain('stored\ufffd\ufffdbefore');
  });

  it('create refuses the name of an active key with a remedy, but accepts that of a revoked one', async () => {
    const { key_hash: first } = await create();
    const again = await gateway(['keys', 'create', '--name', 'planner', '--provider', 'openai']);
    expect(again).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^gateway: an active key has the name "planner" [^\n]*--name[^\n]*gateway keys revoke sha256:[0-9a-f]{16}\n$/,
      ),
    });
    expect((await gateway(['keys', 'revoke', 'planner'])).code).toBe(0);
    const { key_hash: second } = await create();
    expect(second).not.toBe(first);
    expect(await json('keys', 'show', 'planner')).toMatchObject({ key_hash: second });
  });

  it('names a remedy on one line if no key or several match', async () => {
    const { key_hash: hash } = await create();
    const reference = String(hash).slice(7, 15);
    await json('keys', 'create', '--name', reference, '--provider', 'openai');
    const nothing = await gateway(['keys', 'revoke', 'nobody']);
    const several = await gateway(['keys', 'revoke', reference]);
    expect(nothing).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^gateway: no key has "nobody" as its name[^\n]*keys list\n$/),
    });
    expect(several).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^gateway: several keys match "[0-9a-f]{8}"[^\n]*\n$/),
    });
  });

  it('never repeats a raw key or secret given as a name', async () => {
    for (const given of [`gw-${'Ab3_'.repeat(10)}xyz`, `${'Ab3_'.repeat(10)}xyz`, 'AKIAIOSFODNN7EXAMPLQ']) {
      const { code, stderr } = await gateway(['keys', 'show', given]);
      expect(code).toBe(1);
      expect(stderr).not.toContain(given.slice(3, 20));
      expect(stderr).toContain('gateway keys list');
    }
  });

  it('finds a key by 6 or more digits of its hash', async () => {
    const { key_hash: keyHash } = await create();
    const hex = String(keyHash).slice('sha256:'.length);
    expect(await json('keys', 'show', hex.slice(0, 6))).toMatchObject({ key_hash: keyHash });
    expect((await gateway(['keys', 'show', hex.slice(0, 5)])).code).toBe(1);
  });

  it('revoke reports an already revoked key', async () => {
    await create();
    expect((await gateway(['keys', 'revoke', 'planner'])).stdout).toMatch(/^Revoked planner/);
    expect((await gateway(['keys', 'revoke', 'planner'])).stdout).toMatch(
      /^planner \(sha256:\w+\) was already revoked, at .* UTC\. Nothing changed\.$/m,
    );
  });

  it('rotate shows when the old key ends', async () => {
    await create();
    const { stdout } = await gateway(['keys', 'rotate', 'planner', '--grace', '24h']);
    const [, at = ''] = /The old key works until (\S+ \S+) UTC \(24h from now\)/.exec(stdout) ?? [];
    expect(Date.parse(`${at.replace(' ', 'T')}Z`) - Date.now()).toBeGreaterThan(86_400_000 - 120_000);
    const json24 = await json('keys', 'rotate', 'planner', '--grace', '24h');
    expect(Date.parse(String(json24['old_key_ends_at'])) - Date.now()).toBeGreaterThan(86_400_000 - 60_000);
  });

  it('reports a wrong password without showing it', async () => {
    const { code, stderr } = await gateway(['keys', 'list'], { REDIS_PASSWORD: 'not-the-password' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^gateway: .*(WRONGPASS|password)/i);
    expect(stderr).not.toContain('not-the-password');
  });
});

describe('a command on a machine whose clock is a day ahead', () => {
  const ahead = 'data:text/javascript,const%20now=Date.now;Date.now=()=>now()+864e5';
  async function skewed(...args: string[]): Promise<unknown> {
    const { code, stdout } = await gateway([...args, '--output', 'json'], {
      NODE_OPTIONS: `--import=${ahead}`,
    });
    expect(code).toBe(0);
    return JSON.parse(stdout);
  }
  const HOUR_MS = 3_600_000;

  it("computes expiries by Redis's clock", async () => {
    await create('--expires-in', '1h');
    expect(await skewed('keys', 'list')).toMatchObject({ keys: [{ status: 'active' }] });
    expect(await skewed('keys', 'show', 'planner')).toMatchObject({ status: 'active' });
    const locked = (await skewed('quarantine', 'set', 'planner', '--for', '1h')) as { locked_until: string };
    expect(Date.parse(locked.locked_until) - Date.now()).toBeLessThanOrEqual(HOUR_MS);
    expect(Date.parse(locked.locked_until) - Date.now()).toBeGreaterThan(HOUR_MS - 60_000);
  });
});
