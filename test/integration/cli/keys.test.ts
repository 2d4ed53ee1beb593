import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createKeyStateStore } from '../../../src/auth/key-state-store.ts';
import { hashKey } from '../../../src/auth/raw-key.ts';
import { connectRedis, waitUntilReady } from '../../../src/redis/client.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { gatewayProgram } from '../../support/parts.ts';
import { freePort } from '../../support/ports.ts';
import { commandRunner, type Ended } from '../../support/run-cli.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

const run = commandRunner(await gatewayProgram());
let redis: TestRedis;
beforeAll(async () => {
  redis = await startTestRedis({ password: 'cli-test' });
});
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
  ])('create names the flag whose value is wrong: %j', async (flags, message) => {
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

  it('create takes none for nothing allowed, which a rotation keeps, and tells it from no list', async () => {
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

  it('show says whether the key is locked and what it may spend', async () => {
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

  it('rotate stops the old raw key at once where no grace is given', async () => {
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

  it('takes no label that reads as another one on a terminal, and repeats none that it refuses', async () => {
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
      expect(stderr).toMatch(/^gateway: [^\n]*must have no control, bidirectional, zero-width[^\n]*\n$/);
      expect(stderr).not.toMatch(/\u200b|\u200d|\u202e|\u2066/);
    }
    expect(await json('keys', 'list')).toEqual({ keys: [], total: 0 });

    const { key_hash: keyHash } = await create();
    await redis.client.hset(`gateway:key:${String(keyHash)}`, 'name', 'stored\u202e\u3164before');
    const listed = await gateway(['keys', 'list']);
    const revoked = await gateway(['keys', 'revoke', String(keyHash)]);
    for (const { stdout } of [listed, revoked]) expect(stdout).toContain('stored\ufffd\ufffdbefore');
  });

  it('create refuses the name of an active key, and says what to do; a revoked key is not in the way', async () => {
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

  it('names the remedy where nothing or too much matches, on one line', async () => {
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

  it('repeats no raw key and no secret that was given in place of a name', async () => {
    for (const given of [`gw-${'Ab3_'.repeat(10)}xyz`, `${'Ab3_'.repeat(10)}xyz`, 'AKIAIOSFODNN7EXAMPLQ']) {
      const { code, stderr } = await gateway(['keys', 'show', given]);
      expect(code).toBe(1);
      expect(stderr).not.toContain(given.slice(3, 20));
      expect(stderr).toContain('gateway keys list');
    }
  });

  it('finds a key by the first 6 digits of its hash, and by no fewer', async () => {
    const { key_hash: keyHash } = await create();
    const hex = String(keyHash).slice('sha256:'.length);
    expect(await json('keys', 'show', hex.slice(0, 6))).toMatchObject({ key_hash: keyHash });
    expect((await gateway(['keys', 'show', hex.slice(0, 5)])).code).toBe(1);
  });

  it('revoke says that a key was revoked before', async () => {
    await create();
    expect((await gateway(['keys', 'revoke', 'planner'])).stdout).toMatch(/^Revoked planner/);
    expect((await gateway(['keys', 'revoke', 'planner'])).stdout).toMatch(
      /^planner \(sha256:\w+\) was already revoked, at .* UTC\. Nothing changed\.$/m,
    );
  });

  it('rotate says when the old key ends', async () => {
    await create();
    const { stdout } = await gateway(['keys', 'rotate', 'planner', '--grace', '24h']);
    const [, at = ''] = /The old key works until (\S+ \S+) UTC \(24h from now\)/.exec(stdout) ?? [];
    expect(Date.parse(`${at.replace(' ', 'T')}Z`) - Date.now()).toBeGreaterThan(86_400_000 - 120_000);
    const json24 = await json('keys', 'rotate', 'planner', '--grace', '24h');
    expect(Date.parse(String(json24['old_key_ends_at'])) - Date.now()).toBeGreaterThan(86_400_000 - 60_000);
  });

  it('says a wrong password without showing it', async () => {
    const { code, stderr } = await gateway(['keys', 'list'], { REDIS_PASSWORD: 'not-the-password' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^gateway: .*(WRONGPASS|password)/i);
    expect(stderr).not.toContain('not-the-password');
  });
});

describe('gateway doctor', () => {
  it('finds a healthy set-up, and says what each engine does', async () => {
    const { code, stdout } = await gateway(['doctor', '--output', 'json'], { SERVER_INSECURE_DEV: 'true' });
    expect(JSON.parse(stdout)).toMatchObject({
      healthy: true,
      findings: expect.arrayContaining([
        {
          check: 'redis',
          status: 'ok',
          message: expect.stringMatching(/^Redis \d+\.\d+\.\d+, .*noeviction$/),
        },
        { check: 'engines', status: 'ok', message: 'loop detection: on, action warn' },
        {
          check: 'engines',
          status: 'ok',
          message: 'risk engine: on, locks a key over 75, blocks it over 90',
        },
        { check: 'engines', status: 'off', message: 'drift detection: off' },
        { check: 'engines', status: 'off', message: 'DLP gate: off' },
        { check: 'engines', status: 'off', message: 'tool response inspector: off' },
        { check: 'engines', status: 'warn', message: expect.stringMatching(/^nothing inspects requests/) },
        { check: 'engines', status: 'warn', message: expect.stringMatching(/^nothing inspects answers/) },
        { check: 'configuration', status: 'ok', message: expect.stringMatching(/gateway init writes one$/) },
      ]),
    });
    expect(code).toBe(0);
  });

  it('names the credentials of MCP servers that are guarded, never their values', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'doctor-'));
    const config = join(folder, 'gateway.yaml');
    const mcp = {
      enabled: true,
      servers: [
        {
          name: 'files',
          url: 'https://mcp.test/mcp?code=parameter-9876',
          headers: { 'X-Pat': 'header-value-9876', 'X-Pin': '9876', 'X-Team': 'engineers9876' },
          public: ['X-Team'],
        },
        { name: 'open', url: 'https://mcp.test/', headers: { 'X-Pat': 'open9876' }, suppress: ['secrets'] },
      ],
    };
    await writeFile(config, JSON.stringify({ mcp }));
    const env = { SERVER_INSECURE_DEV: 'true' };
    const { code, stdout } = await gateway(['--config', config, 'doctor', '--output', 'json'], env);
    const { findings } = JSON.parse(stdout) as { findings: { check: string }[] };
    expect(findings.filter(({ check }) => check === 'credentials')).toEqual([
      {
        check: 'credentials',
        status: 'ok',
        message: 'files: header X-Pat, parameter code: an echo was found',
      },
      { check: 'credentials', status: 'ok', message: 'files: header X-Team: public, may be told' },
      {
        check: 'credentials',
        status: 'warn',
        message: 'files: header X-Pin: under 8 characters, which cannot be told from text',
      },
      {
        check: 'credentials',
        status: 'warn',
        message: 'open: header X-Pat: may be told, by mcp.servers[].suppress',
      },
    ]);
    expect([code, stdout.includes('9876')]).toEqual([0, false]);
    await rm(folder, { recursive: true });
  });

  it('shows each source of policies with what is in it, and the mode', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gw-test-doctor-'));
    const config = join(folder, 'gateway.yaml');
    async function shown(server = ''): Promise<string> {
      await writeFile(config, `policy: { enabled: true, presets: [safety, pci] }\n${server}`);
      return (await gateway(['doctor', '--config', config], { SERVER_INSECURE_DEV: 'true' })).stdout;
    }
    expect(await shown()).toMatch(
      /✓ policies +preset safety: \d\d rules\n✓ policies +preset pci: \d+ rules\n✓ policies +on disk: sha256:\w+\n✓ policies +what no policy speaks of is allowed: .+\n✓ policies +Rego engine: off/,
    );
    expect(await shown('server: { shadow_mode: true }\n')).toMatch(/! policies +shadow mode: .* sha256:/);
    await rm(folder, { recursive: true });
  });

  it('refuses a Redis that evicts, and says how to change it', async () => {
    await redis.configSet('maxmemory-policy', 'allkeys-lru');
    const { code, stdout } = await gateway(['doctor'], { SERVER_INSECURE_DEV: 'true' });
    await redis.configSet('maxmemory-policy', 'noeviction');
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ redis .*CONFIG SET maxmemory-policy noeviction/);
  });

  it('tells how far Redis is, proves each engine that is on, and shows that no gateway runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gw-test-doctor-'));
    const config = join(folder, 'gateway.yaml');
    const engines = 'mcp: { enabled: true }\npolicy: { enabled: true, presets: [safety] }';
    const adminPort = await freePort();
    async function examined(dlp: string) {
      await writeFile(config, `server: { admin_port: ${String(adminPort)}, dlp: ${dlp} }\n${engines}\n`);
      const args = ['doctor', '--output', 'json', '--config', config];
      const { code, stdout } = await gateway(args, { SERVER_INSECURE_DEV: 'true' });
      return { code, ...(JSON.parse(stdout) as { findings: Record<string, string>[] }) };
    }
    const { code, findings } = await examined('{ enabled: true }');
    const shown = findings.map(({ check, status, message }) => `${status} ${check} ${message}`);
    for (const line of [
      /^(ok|warn) redis latency \d+\.\d ms/,
      /^ok redis its clock is this machine's \(-?\d+ ms\)/,
      /^ok probes normalization: a word in three disguises: found/,
      /^ok probes loop detection: 4 equal calls/,
      /^ok probes risk engine: /,
      /^ok probes DLP gate: a secret, personal data in answers: found/,
      /^ok probes tool response inspector: /,
      /^ok probes policy engine: what safety must deny: found/,
      /^ok gateway not running/,
    ]) {
      expect(shown).toContainEqual(expect.stringMatching(line));
    }
    expect(code).toBe(0);
    // On, and looking for nothing: it would only seem to protect.
    const broken = await examined('{ enabled: true, scan_secrets: false, scan_pii: false }');
    expect(broken.code).toBe(1);
    expect(broken.findings).toContainEqual({
      check: 'probes',
      status: 'fail',
      message: expect.stringMatching(/^DLP gate: .*not found; look at server\.dlp/),
    });
    await rm(folder, { recursive: true });
  });

  it('exits with 2 where there is no configuration to look at, and colours nothing but a terminal', async () => {
    const { code, stdout } = await gateway(['doctor', '--config', '/no/such.yaml']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: expect.stringMatching(/^✗ configuration /) });
    expect(stdout).not.toContain('\u001b');
  });

  it('marks what is off apart from what is well, and names gateway init in an empty folder', async () => {
    const { code, stdout } = await gateway(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^– engines +DLP gate: off$/m);
    expect(stdout).toMatch(/^! engines +nothing inspects requests/m);
    expect(stdout).toMatch(/^✗ configuration .*TLS is required.*gateway init/m);
    expect(stdout).not.toMatch(/✓.*: off$/m);
  });

  it('says that Redis is away', async () => {
    const { code, stdout } = await gateway(['doctor'], {
      REDIS_ADDR: '127.0.0.1:1',
      SERVER_INSECURE_DEV: 'true',
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ redis +Redis at 127\.0\.0\.1:1 cannot be used/);
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

  it("tells of ends by Redis's clock", async () => {
    await create('--expires-in', '1h');
    expect(await skewed('keys', 'list')).toMatchObject({ keys: [{ status: 'active' }] });
    expect(await skewed('keys', 'show', 'planner')).toMatchObject({ status: 'active' });
    const locked = (await skewed('quarantine', 'set', 'planner', '--for', '1h')) as { locked_until: string };
    expect(Date.parse(locked.locked_until) - Date.now()).toBeLessThanOrEqual(HOUR_MS);
    expect(Date.parse(locked.locked_until) - Date.now()).toBeGreaterThan(HOUR_MS - 60_000);
  });
});
