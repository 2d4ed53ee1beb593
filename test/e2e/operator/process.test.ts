import { afterAll, beforeAll, expect, it } from 'vitest';

import { createPagePassword } from '../../../src/operator/sign-in/password-store.ts';
import { createGatewayStore } from '../../../src/operator/gateways/gateway-store.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { freePort } from '../../support/ports.ts';
import { descendants } from '../../support/processes.ts';

const PASSWORD = 'correct horse battery';

let gateway: TestGateway;
let origin: string;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${String(port)}`;
  gateway = await startGateway({
    config: {
      ui: { enabled: true, port },
      audit: { enabled: true, stdout: false },
      policy: { enabled: true, presets: ['safety'] },
    },
  });
  await createPagePassword({ client: gateway.redis.client, deadlineMs: 5_000 }).set(PASSWORD);
});
afterAll(() => gateway.stop());

function pageProcess() {
  return descendants(gateway.pid).find(({ command }) => /operator\/process\.(ts|js)/.test(command));
}

async function signIn(): Promise<string> {
  const body = JSON.stringify({ password: PASSWORD });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${origin}/api/sign-in`, { method: 'POST', headers, body });
  expect(answer.status).toBe(204);
  return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
}

it('serves the built page from a process of its own', async () => {
  expect(pageProcess()).toBeDefined();
  const page = await fetch(`${origin}/`);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const [, script = ''] = /src="([^"]+\.js)"/.exec(await page.text()) ?? [];
  expect((await fetch(origin + script)).headers.get('content-type')).toMatch(/javascript/);
});

it('is restarted when it dies, and no session is lost', async () => {
  const cookie = await signIn();
  const before = pageProcess()?.pid ?? 0;
  process.kill(before, 'SIGKILL');
  await expect
    .poll(() =>
      fetch(`${origin}/api/me`, { headers: { cookie } }).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  expect(pageProcess()?.pid).not.toBe(before);
  expect((await gateway.readiness()).ready).toBe(true);
});

it('shows what the gateway says of itself in Redis', async () => {
  const store = createGatewayStore({ client: gateway.redis.client, deadlineMs: 5_000 });
  await expect
    .poll(() => store.list())
    .toMatchObject([
      {
        ready: true,
        workers: { ready: 1, wanted: 1 },
        policy: { enabled: true, digest: expect.stringMatching(/^sha256:/), broken: null },
        shadow_mode: false,
      },
    ]);
});
