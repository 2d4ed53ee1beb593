import { X509Certificate } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';

import { createPagePassword } from '../../../src/operator/sign-in/password-store.ts';
import type { Overview } from '../../../src/operator/api/schemas/traffic.ts';
import { createTestCa, type Identity, type TestCa } from '../../support/certs.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { freePort } from '../../support/ports.ts';
import { descendants } from '../../support/processes.ts';

const PASSWORD = 'correct horse battery';

let ca: TestCa;
let files: Identity;
let port: number;
let gateway: TestGateway;

beforeAll(async () => {
  ca = await createTestCa();
  files = await ca.issue('page');
  port = await freePort();
  gateway = await startGateway({
    config: {
      ui: { enabled: true, port, tls: { cert_file: files.certFile, key_file: files.keyFile } },
      audit: { enabled: true, stdout: false },
      policy: { enabled: true, presets: ['safety'] },
    },
  });
  await createPagePassword({ client: gateway.redis.client, deadlineMs: 5_000 }).set(PASSWORD);
});
afterAll(async () => {
  await gateway.stop();
  ca.close();
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly type: string | undefined;
  readonly cookie: string;
  readonly certificate: string;
}

function ask(
  path: string,
  options: { readonly body?: object; readonly cookie?: string } = {},
): Promise<Answer> {
  const body = options.body && JSON.stringify(options.body);
  const headers = {
    ...(options.cookie !== undefined && { cookie: options.cookie }),
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
  };
  const method = body === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path, method, headers, ca: ca.ca, agent: false },
      (response) => {
        const { raw } = (response.socket as TLSSocket).getPeerCertificate();
        text(response).then((written) => {
          resolve({
            status: response.statusCode ?? 0,
            text: written,
            type: response.headers['content-type'],
            cookie: response.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
            certificate: new X509Certificate(raw).fingerprint256,
          });
        }, reject);
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

async function signIn(): Promise<string> {
  const { status, cookie } = await ask('/api/sign-in', { body: { password: PASSWORD } });
  expect(status).toBe(204);
  return cookie;
}

function statusOf(path: string, cookie: string): Promise<number> {
  return ask(path, { cookie }).then(
    ({ status }) => status,
    () => 0,
  );
}

function pageProcess() {
  return descendants(gateway.pid).find(({ command }) => /operator\/process\.(ts|js)/.test(command));
}

describe('the process of the page', () => {
  it('serves the built page over TLS, beside the workers', async () => {
    expect(pageProcess()).toBeDefined();
    const page = await ask('/');
    expect(page.type).toBe('text/html; charset=utf-8');
    const [, script = ''] = /src="([^"]+\.js)"/.exec(page.text) ?? [];
    expect((await ask(script)).type).toMatch(/javascript/);
  });

  it('shows what the gateway reports', async () => {
    const cookie = await signIn();
    await expect
      .poll(async () => (await overview(cookie)).gateways)
      .toMatchObject([
        {
          ready: true,
          workers: { ready: 1, wanted: 1 },
          shadow_mode: false,
          policy: { enabled: true, digest: expect.stringMatching(/^sha256:/), broken: null },
        },
      ]);
  });

  it('is restarted when it dies; no session is lost, and the gateway stays ready', async () => {
    const cookie = await signIn();
    const before = pageProcess()?.pid ?? 0;
    process.kill(before, 'SIGKILL');
    await expect.poll(() => statusOf('/api/me', cookie)).toBe(200);
    expect(pageProcess()?.pid).not.toBe(before);
    expect((await gateway.readiness()).ready).toBe(true);
  });

  it('uses a renewed certificate', async () => {
    const renewed = await ca.issue('page renewed');
    copyFileSync(renewed.certFile, files.certFile);
    copyFileSync(renewed.keyFile, files.keyFile);
    const wanted = new X509Certificate(renewed.cert).fingerprint256;
    await expect.poll(async () => (await ask('/')).certificate).toBe(wanted);
  });

  it('applies changes of gateway.yaml', async () => {
    const cookie = await signIn();
    const settings = parse(readFileSync(gateway.configFile, 'utf8')) as object;
    writeFileSync(gateway.configFile, stringify({ ...settings, audit: { enabled: false } }));
    await expect
      .poll(() =>
        overview(cookie).then(
          ({ audit }) => audit,
          () => undefined,
        ),
      )
      .toBe(false);
  });

  it('reports that Redis is gone, and continues when it is back', async () => {
    const cookie = await signIn();
    await gateway.redis.stop();
    expect(JSON.parse((await ask('/api/overview', { cookie })).text)).toMatchObject({
      type: 'redis_unavailable',
      status: 503,
    });
    expect((await ask('/')).status).toBe(200);
    await gateway.redis.start();
    // Redis is empty, so the session is gone too.
    await expect.poll(() => statusOf('/api/overview', cookie)).toBe(401);
  });
});

async function overview(cookie: string): Promise<Overview> {
  const { status, text: written } = await ask('/api/overview', { cookie });
  expect(status).toBe(200);
  return JSON.parse(written) as Overview;
}
