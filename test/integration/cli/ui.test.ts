import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createPagePassword } from '../../../src/operator/sign-in/password-store.ts';
import { createApiTokens } from '../../../src/operator/sign-in/tokens.ts';
import { startTestRedis } from '../../support/redis.ts';
import { runCli, type Ended } from '../../support/run-cli.ts';

const redis = await startTestRedis();
afterAll(() => redis.close());

function setPassword(input: string): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', REDIS_ADDR: redis.addr, NO_COLOR: '1' };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['cli/main.ts', 'ui', 'password'],
      { env },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

it('sets the password of the page from standard input, and reports if the page is disabled', async () => {
  const password = createPagePassword({ client: redis.client, deadlineMs: 5_000 });
  const { code, stdout, stderr } = await setPassword('a long enough one\nrest\n');
  expect(stderr).toBe('gateway: the operator page is off; set ui.enabled: true to use it\n');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/is set/)]);
  expect(stdout + stderr).not.toContain('long enough');
  expect(await password.check('a long enough one')).toBe('right');
});

it('refuses a short one, and keeps the previous one', async () => {
  const password = createPagePassword({ client: redis.client, deadlineMs: 5_000 });
  await password.set('a long enough one');
  const { code, stderr } = await setPassword('short\n');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/12 to 1024 characters/)]);
  expect(await password.check('a long enough one')).toBe('right');
});

describe('gateway ui tokens', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gw-test-tokens-'));
    const settings = 'ui: { enabled: true }\naudit: { enabled: true }\n';
    await writeFile(join(folder, 'gateway.yaml'), settings);
  });
  afterAll(() => rm(folder, { recursive: true }));

  function tokensCommand(...words: readonly string[]): Promise<Ended> {
    return runCli(redis, ['--config', join(folder, 'gateway.yaml'), 'ui', 'tokens', ...words]);
  }

  it('creates a token that opens the API, lists it without its value, and revokes it', async () => {
    const tokens = createApiTokens({ client: redis.client, deadlineMs: 5_000 });
    const create = ['create', '--name', 'laptop', '--role', 'operator', '--expires-in', '7d'];
    const made = await tokensCommand(...create, '--as', 'Jane', '--reason', 'new laptop');
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^gwapi_[\w-]{43}\n$/)]);
    const secret = made.stdout.trim();
    expect(made.stderr).toMatch(/created the token laptop \([0-9a-f]{16}\): operator, until 20/);
    expect(made.stderr).not.toContain(secret);
    expect(await tokens.verify(secret)).toMatchObject({ name: 'laptop', role: 'operator' });

    const listed = await tokensCommand('list', '--output', 'json');
    const [token] = (JSON.parse(listed.stdout) as { tokens: { id: string; expires_at: string }[] }).tokens;
    expect(token).toMatchObject({ name: 'laptop', role: 'operator', owner: null, created_by: 'Jane' });
    const lifeMs = Date.parse(token?.expires_at ?? '') - Date.now();
    expect(Math.abs(lifeMs - 7 * 86_400_000)).toBeLessThan(60_000);
    expect((await tokensCommand('list')).stdout).toMatch(/laptop {2}operator {2}Jane/);

    const revoked = await tokensCommand('revoke', token?.id ?? '');
    expect([revoked.code, revoked.stdout]).toEqual([0, 'The token laptop is revoked.\n']);
    expect(await tokens.verify(secret)).toBeUndefined();
    const trail = JSON.stringify(await redis.client.xrange('gateway:audit', '-', '+'));
    expect(trail).toMatch(/tokens create.*new laptop.*tokens revoke/);
    expect(trail).not.toContain(secret);
  });

  it.each([
    [['create', '--name', '', '--expires-in', '7d'], 2, /name must have 1 to 128/],
    [['create', '--name', 'x', '--expires-in', '400d'], 2, /at most 366d/],
    [
      ['create', '--name', 'x', '--role', 'admin', '--owner', 'bob'],
      2,
      /with an owner must have the role viewer/,
    ],
    [['create', '--name', 'x', '--role', 'root'], 2, /admin/],
    [['revoke', 'deadbeef'], 1, /unknown token id "deadbeef"/],
  ])('refuses %o, and creates nothing', async (words, code, why) => {
    const ended = await tokensCommand(...words);
    expect([ended.code, ended.stdout]).toEqual([code, '']);
    expect(ended.stderr).toMatch(why);
    expect(await createApiTokens({ client: redis.client, deadlineMs: 5_000 }).list()).toEqual([]);
  });
});
