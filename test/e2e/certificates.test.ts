import { execFile, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { ConfigInput } from '../../src/config/schema.ts';
import { createTestCa, type TestCa } from '../support/certs.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { readMetrics } from '../support/metrics.ts';
import { envoyPath, gatewayProgram } from '../support/parts.ts';
import { freePort } from '../support/ports.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';
import { pair, serialAt, serialOf, TlsFolder } from '../support/tls-folder.ts';

/** Certificates are renewed while requests run on new and on kept connections. No request may fail. */
const CLIENTS = 6;

let ca: TestCa;
let stranger: TestCa;
let provider: FakeProvider;
let redis: TestRedis;
let folder: string;
beforeAll(async () => {
  [ca, stranger, provider, redis] = await Promise.all([
    createTestCa(),
    createTestCa(),
    createFakeProvider(),
    startTestRedis(),
  ]);
  folder = mkdtempSync(join(tmpdir(), 'gw-test-renew-'));
});
afterAll(async () => {
  await provider.close();
  await redis.close();
  ca.close();
  stranger.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Denies calls whose prompt contains this word. */
function card(word: string): string {
  const conditions = [{ field: 'prompt_text', op: 'contains', value: word }];
  const rule = { name: 'no-word', match: { type: 'llm_call' }, conditions, action: 'deny' };
  return stringify({ metadata: { name: 'words', version: '1' }, rules: [rule] });
}

function replace(file: string, text: string): void {
  writeFileSync(`${file}.next`, text);
  renameSync(`${file}.next`, file);
}

function ask(gateway: TestGateway, rawKey: string, agent?: Agent, content = 'Hello!'): Promise<Reply> {
  return send(gateway.baseUrl, {
    path: '/openai/v1/chat/completions',
    ca: ca.ca,
    ...(agent === undefined ? {} : { agent }),
    headers: {
      authorization: `Bearer ${rawKey}`,
      'x-gateway-provider-key': 'sk-test',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
  });
}

async function statusOf(gateway: TestGateway, rawKey: string): Promise<number> {
  return (await ask(gateway, rawKey)).status;
}

interface Load {
  /** Resolves after this many more answers. */
  answered(count: number): Promise<void>;
  stop(): Promise<{ asked: number; lost: unknown[] }>;
}

/** Sends requests without a pause until `stop`, and returns every answer that was not 200. */
function underLoad(gateway: TestGateway, rawKey: string): Load {
  const kept = new Agent({ keepAlive: true });
  let isOver = false;
  let asked = 0;
  const lost: unknown[] = [];
  async function client(agent: Agent | undefined): Promise<void> {
    while (!isOver) {
      const { status, body } = await ask(gateway, rawKey, agent);
      asked += 1;
      if (status !== 200) lost.push([status, body]);
    }
  }
  const clients = Array.from({ length: CLIENTS }, (_, nth) => client(nth % 2 === 0 ? kept : undefined));
  return {
    answered: async (count) => {
      const until = asked + count;
      await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThanOrEqual(until);
    },
    stop: async () => {
      isOver = true;
      await Promise.all(clients);
      kept.destroy();
      return { asked, lost };
    },
  };
}

describe('with the gateway’s own Envoy', () => {
  let gateway: TestGateway;
  let listener: TlsFolder;
  let socket: TlsFolder;
  let extprocPort: number;
  let rawKey: string;
  let policies: string;
  beforeAll(async () => {
    policies = join(folder, 'policies');
    mkdirSync(policies);
    writeFileSync(join(policies, 'words.yaml'), card('xylophone'));
    listener = new TlsFolder(join(folder, 'listener'), pair(await ca.issue('first')));
    const extproc = await ca.issue('extproc');
    socket = new TlsFolder(join(folder, 'socket'), { ...pair(extproc), 'ca.crt': ca.ca });
    extprocPort = await freePort();
    gateway = await startGateway({
      redis,
      config: {
        server: {
          tls: { cert_file: listener.file('tls.crt'), key_file: listener.file('tls.key') },
          extproc: {
            address: `127.0.0.1:${String(extprocPort)}`,
            tls: {
              cert_file: socket.file('tls.crt'),
              key_file: socket.file('tls.key'),
              ca_file: socket.file('ca.crt'),
            },
          },
        },
        policy: { enabled: true, policy_dir: policies },
        providers: { openai: { base_url: provider.url } },
      },
    });
    ({ rawKey } = await gateway.createKey());
  });
  afterAll(async () => {
    await gateway.stop();
  });

  it('the listener and the ext_proc socket present renewed certificates, and no request fails', async () => {
    const load = underLoad(gateway, rawKey);
    for (const [way, name] of [
      ['swap', 'second'],
      ['rename', 'third'],
    ] as const) {
      const renewed = await ca.issue(name);
      listener[way](pair(renewed));
      await expect.poll(() => serialAt(gateway.port)).toBe(serialOf(renewed));
      await load.answered(50);
    }
    const [server, probe] = [await stranger.issue('extproc'), await stranger.issue('probe')];
    socket.swap({ ...pair(server), 'ca.crt': stranger.ca });
    await expect.poll(() => serialAt(extprocPort, probe)).toBe(serialOf(server));
    const { asked, lost } = await load.stop();
    expect(lost).toEqual([]);
    expect(asked).toBeGreaterThan(100);
  });

  it('policies and gateway.yaml change together with certificates, and no request fails', async () => {
    const refused = async (word: string): Promise<number> =>
      (await ask(gateway, rawKey, undefined, `Play the ${word}.`)).status;
    expect([await refused('xylophone'), await refused('trombone')]).toEqual([403, 200]);
    const written = parse(readFileSync(gateway.configFile, 'utf8')) as ConfigInput;
    const load = underLoad(gateway, rawKey);
    const renewed = await ca.issue('fourth');
    listener.rename(pair(renewed));
    replace(join(policies, 'words.yaml'), card('trombone'));
    replace(
      gateway.configFile,
      stringify({ ...written, server: { ...written.server, dlp: { enabled: true, requests: 'deny' } } }),
    );
    await expect.poll(() => serialAt(gateway.port)).toBe(serialOf(renewed));
    await expect
      .poll(async () => [await refused('xylophone'), await refused('trombone')])
      .toEqual([200, 403]);
    await expect.poll(async () => (await readMetrics(gateway)).sum('gateway_config_reloads_total')).toBe(1);
    await expect.poll(() => refused('AKIAIOSFODNN7QWERTYU')).toBe(403);
    await load.answered(50);
    const { lost } = await load.stop();
    expect(lost).toEqual([]);
  });

  it('Envoy and a restarted worker connect with the renewed certificates', async () => {
    const [worker] = gateway.workers();
    process.kill(worker?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => gateway.workers().filter(({ pid }) => pid !== worker?.pid).length).toBe(1);
    await gateway.waitUntil(({ ready }) => ready);
    await expect.poll(() => statusOf(gateway, rawKey)).toBe(200);
    const load = underLoad(gateway, rawKey);
    await load.answered(20);
    expect((await load.stop()).lost).toEqual([]);
  });

  it('an unusable renewal leaves the certificate in effect, and is reported until it is fixed', async () => {
    const before = await serialAt(gateway.port);
    const [one, other] = [await ca.issue('one'), await ca.issue('other')];
    const broken = async (): Promise<number | undefined> =>
      (await readMetrics(gateway)).sum('gateway_certificate_broken', {
        certificate: 'server.tls.cert_file',
      });
    expect(await broken()).toBe(0);
    listener.rename({ 'tls.crt': one.cert, 'tls.key': other.key });
    await expect.poll(broken).toBe(1);
    listener.rename({ 'tls.crt': 'not PEM', 'tls.key': one.key });
    const refusals = (): string[] =>
      gateway
        .logs()
        .split('\n')
        .filter((line) => line.includes('the previous one stays in effect'))
        .map((line) => String((JSON.parse(line) as { cause: unknown }).cause));
    await expect
      .poll(refusals)
      .toEqual([
        'is not the key of the first certificate in cert_file',
        'is not PEM: the file contains no certificate',
      ]);
    expect(await serialAt(gateway.port)).toBe(before);
    // A restarted Envoy has only the last good one.
    process.kill(gateway.envoy()?.pid ?? 0, 'SIGKILL');
    await gateway.waitUntil(({ envoy }) => envoy === 'down');
    await gateway.waitUntil(({ ready }) => ready);
    expect(await serialAt(gateway.port)).toBe(before);

    listener.rename(pair(one));
    await expect.poll(() => serialAt(gateway.port)).toBe(serialOf(one));
    expect(await broken()).toBe(0);
    const end = (await readMetrics(gateway)).sum('gateway_certificate_expiry_timestamp_seconds', {
      certificate: 'server.tls.cert_file',
    });
    expect(end).toBe(Date.parse(new X509Certificate(one.cert).validTo) / 1_000);
  });
});

it('an external Envoy follows its SDS files, and no request fails', async () => {
  const listener = new TlsFolder(join(folder, 'elsewhere'), pair(await ca.issue('elsewhere-1')));
  const gateway = await startGateway({
    redis,
    config: {
      server: {
        tls: { cert_file: listener.file('tls.crt'), key_file: listener.file('tls.key') },
        extproc: { address: `unix:${folder}/extproc.sock` },
      },
      providers: { openai: { base_url: provider.url } },
      envoy: { managed: false },
    },
  });
  const configFile = join(folder, 'envoy.yaml');
  const args = ['--config', gateway.configFile, 'envoy', 'render', '--run-dir', folder];
  const { stdout } = await promisify(execFile)(process.execPath, [
    await gatewayProgram(),
    ...args,
    ...['--sds-dir', join(folder, 'sds')],
  ]);
  writeFileSync(configFile, stdout);
  const envoy = spawn(
    await envoyPath(),
    ['-c', configFile, '--log-level', 'error', '--disable-hot-restart', '--concurrency', '1'],
    { stdio: 'ignore' },
  );
  try {
    const { rawKey } = await gateway.createKey();
    await expect.poll(() => statusOf(gateway, rawKey)).toBe(200);
    const load = underLoad(gateway, rawKey);
    for (const [way, name] of [
      ['swap', 'elsewhere-2'],
      ['rename', 'elsewhere-3'],
    ] as const) {
      const renewed = await ca.issue(name);
      listener[way](pair(renewed));
      await expect.poll(() => serialAt(gateway.port)).toBe(serialOf(renewed));
      await load.answered(50);
    }
    const { asked, lost } = await load.stop();
    expect(lost).toEqual([]);
    expect(asked).toBeGreaterThan(100);
  } finally {
    envoy.kill('SIGKILL');
    await gateway.stop();
  }
});
