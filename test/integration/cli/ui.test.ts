import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { createPagePassword } from '../../../src/operator/sign-in/password-store.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(() => redis.close());

function setPassword(input: string): Promise<{ code: number; stdout: string; stderr: string }> {
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

it('sets the password of the page from standard input, and says if the page is off', async () => {
  const password = createPagePassword({ client: redis.client, deadlineMs: 5_000 });
  const { code, stdout, stderr } = await setPassword('a long enough one\nrest\n');
  expect(stderr).toBe('gateway: the page is off: set ui.enabled in the configuration\n');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/is set/)]);
  expect(stdout + stderr).not.toContain('long enough');
  expect(await password.check('a long enough one')).toBe('right');
});

it('refuses a short one, and keeps the one before', async () => {
  const password = createPagePassword({ client: redis.client, deadlineMs: 5_000 });
  await password.set('a long enough one');
  const { code, stderr } = await setPassword('short\n');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/12 to 1024 characters/)]);
  expect(await password.check('a long enough one')).toBe('right');
});
