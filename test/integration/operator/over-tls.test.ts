import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { createApiTokens } from '../../../src/operator/sign-in/tokens.ts';
import { createTestCa, type TestCa } from '../../support/certs.ts';
import { startTestPage, type TestPage } from '../../support/operator/page.ts';
import { freePort } from '../../support/ports.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { runProgram, type Ended } from '../../support/run-cli.ts';

const CLI = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url));

/** A page behind a proxy that terminates TLS, with a certificate of a private authority. */
describe('gateway --server over TLS', () => {
  let redis: TestRedis;
  let page: TestPage;
  let ca: TestCa;
  let proxy: Server;
  let folder: string;
  let tokenFile: string;
  let server: string;
  /** Request bytes that the proxy has forwarded. */
  let passed = '';

  beforeAll(async () => {
    redis = await startTestRedis();
    ca = await createTestCa();
    const port = await freePort();
    server = `https://localhost:${String(port)}`;
    page = await startTestPage(redis, { ui: { public_url: server } });
    const identity = await ca.issue('proxy', ['localhost']);
    proxy = createServer({ cert: identity.cert, key: identity.key }, (socket) => {
      const upstream = connect(page.port, '127.0.0.1');
      socket.on('data', (chunk: Buffer) => (passed += chunk.toString('latin1')));
      socket.pipe(upstream).pipe(socket);
      for (const one of [socket, upstream]) one.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
    folder = await mkdtemp(join(tmpdir(), 'gw-over-tls-'));
    tokenFile = join(folder, 'token');
    const made = await createApiTokens({ client: redis.client, deadlineMs: 2_500 }).create({
      name: 'laptop',
      role: 'viewer',
      owner: undefined,
      createdBy: 'Ada',
      lifeMs: 600_000,
    });
    await writeFile(tokenFile, made.secret);
    await createKeyStore(redis.client).create({ name: 'planner', provider: 'openai' });
  });
  afterAll(async () => {
    await page.close();
    await new Promise((resolve) => proxy.close(resolve));
    ca.close();
    await redis.close();
    await rm(folder, { recursive: true });
  });

  function keysList(host: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
    const { port } = proxy.address() as AddressInfo;
    const url = `https://${host}:${String(port)}`;
    return runProgram(CLI, ['--server', url, '--token-file', tokenFile, 'keys', 'list'], {
      cwd: folder,
      env,
    });
  }

  it('trusts the authority that NODE_EXTRA_CA_CERTS names', async () => {
    const ended = await keysList('localhost', { NODE_EXTRA_CA_CERTS: ca.caFile });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('planner');
  });

  it('sends no token to a server whose certificate is not trusted, or is for another host', async () => {
    passed = '';
    const stranger = await keysList('localhost');
    expect(stranger.code).toBe(1);
    expect(stranger.stderr).toMatch(/certificate is not trusted here.*NODE_EXTRA_CA_CERTS/);
    const other = await keysList('127.0.0.1', { NODE_EXTRA_CA_CERTS: ca.caFile });
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/cannot be reached/);
    expect(passed).toBe('');
  });
});
