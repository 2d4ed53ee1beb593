import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { credentials, Metadata, type ClientDuplexStream } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, vi } from 'vitest';

import type { ConfigInput } from '../../src/config/schema.ts';
import { startDemoProvider } from '../../src/demo/provider.ts';
import { createTestCa, type TestCa } from '../support/certs.ts';
import { loadServices } from '../support/ext-proc-client.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { envoyPath, gatewayProgram } from '../support/parts.ts';
import { freePortRow } from '../support/ports.ts';

const root = join(import.meta.dirname, '..', '..');

/**
 * `envoy.managed: false`: what compose and a mesh run, with the same program, rendered configuration and
 * entry point of Envoy's container, as plain processes.
 */
describe('an external Envoy', () => {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function startBoth(
    extproc: (directory: string, ca: TestCa) => Promise<NonNullable<ConfigInput['server']>['extproc']>,
  ): Promise<{ gateway: TestGateway; envoy: ChildProcess; ca: TestCa }> {
    const directory = await mkdtemp(join(tmpdir(), 'gw-test-ext-'));
    closers.push(() => rm(directory, { recursive: true, force: true }));
    const ca = await createTestCa();
    closers.push(() => Promise.resolve(ca.close()));
    const provider = await startDemoProvider(100);
    closers.push(() => provider.close());
    const { certFile, keyFile } = await ca.issue('gateway');
    const gateway = await startGateway({
      workers: 2,
      config: {
        server: {
          tls: { cert_file: certFile, key_file: keyFile },
          extproc: await extproc(directory, ca),
        },
        providers: { openai: { base_url: provider.baseUrl } },
        envoy: { managed: false },
      },
    });
    closers.push(() => gateway.stop());
    const configFile = join(directory, 'envoy.yaml');
    await writeFile(configFile, await render(gateway.configFile, directory));
    const envoy = spawn('bash', [join(root, 'deploy/kubernetes/run-envoy.sh')], {
      stdio: 'ignore',
      env: {
        ...process.env,
        ENVOY: await envoyPath(),
        ENVOY_CONFIG: configFile,
        ENVOY_ADMIN_SOCKET: join(directory, 'envoy-admin.sock'),
      },
    });
    closers.push(async () => {
      if (envoy.exitCode !== null) return;
      const ended = new Promise((resolve) => envoy.once('exit', resolve));
      envoy.kill('SIGTERM');
      await ended;
    });
    return { gateway, envoy, ca };
  }

  async function render(configFile: string, runDirectory: string): Promise<string> {
    const args = ['--config', configFile, 'envoy', 'render', '--run-dir', runDirectory];
    return (await promisify(execFile)(process.execPath, [await gatewayProgram(), ...args])).stdout;
  }

  /** Sends a chat call over TLS; resolves with what arrived, whether whole or cut. */
  const chat = (
    gateway: TestGateway,
    ca: TestCa,
    rawKey: string,
    stream: boolean,
  ): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        `${gateway.baseUrl}/openai/v1/chat/completions`,
        {
          method: 'POST',
          agent: new Agent({ ca: ca.ca }),
          headers: {
            authorization: `Bearer ${rawKey}`,
            'x-gateway-provider-key': 'sk-test',
            'content-type': 'application/json',
          },
        },
        (answer) => {
          let text = '';
          answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
          answer.on('close', () => {
            resolve({ status: answer.statusCode ?? 0, text });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(
        JSON.stringify({ model: 'gpt-4o', stream, messages: [{ role: 'user', content: 'Hello!' }] }),
      );
    });

  const variants: Record<string, Parameters<typeof startBoth>[0]> = {
    'a shared unix socket': (directory) => Promise.resolve({ address: `unix:${directory}/extproc.sock` }),
    'TCP with mutual TLS': async (_directory, ca) => {
      const { certFile, keyFile } = await ca.issue('extproc');
      return {
        address: `127.0.0.1:${String(await freePortRow(2))}`,
        tls: { cert_file: certFile, key_file: keyFile, ca_file: ca.caFile },
      };
    },
    'loopback TCP with a token': async () => ({
      address: `127.0.0.1:${String(await freePortRow(2))}`,
      token: 'sixteen-characters-or-more',
    }),
  };

  it.each(Object.keys(variants))('is served over %s', async (name) => {
    const variant = variants[name];
    if (variant === undefined) throw new Error(name);
    const { gateway, ca } = await startBoth(variant);
    expect(await gateway.readiness()).toMatchObject({ ready: true, envoy: 'external' });
    const { rawKey } = await gateway.createKey();
    await vi.waitFor(
      async () => {
        expect(await chat(gateway, ca, rawKey, false)).toMatchObject({ status: 200 });
      },
      { timeout: 15_000, interval: 100 },
    );
    expect((await chat(gateway, ca, rawKey, true)).text).toContain('[DONE]');
  });

  it('refuses callers on loopback TCP without a token or with a wrong one', async () => {
    const token = 'sixteen-characters-or-more';
    const port = await freePortRow(1);
    const gateway = await startGateway({
      workers: 1,
      config: {
        server: { extproc: { address: `127.0.0.1:${String(port)}`, token } },
        envoy: { managed: false },
      },
    });
    closers.push(() => gateway.stop());
    const { processor } = loadServices();
    const client = new processor(`127.0.0.1:${String(port)}`, credentials.createInsecure());
    closers.push(() => Promise.resolve(client.close()));

    /** Answered with a phase, or not answered. */
    async function isServed(shown: string | undefined): Promise<boolean> {
      const metadata = new Metadata();
      if (shown !== undefined) metadata.set('x-gateway-token', shown);
      const call = (
        client as unknown as Record<'Process', (metadata: Metadata) => ClientDuplexStream<object, object>>
      ).Process(metadata);
      const answer = new Promise<boolean>((resolve) => {
        call.on('data', () => {
          resolve(true);
        });
        call.on('error', () => {
          resolve(false);
        });
      });
      call.write({
        request_headers: {
          headers: { headers: [{ key: ':path', raw_value: Buffer.from('/openai/v1/models') }] },
          end_of_stream: true,
        },
      });
      const isAnswered = await answer;
      call.cancel();
      return isAnswered;
    }

    expect(await isServed(token)).toBe(true);
    for (const shown of [undefined, token.slice(1), token.toUpperCase(), `${token}0`]) {
      expect(await isServed(shown)).toBe(false);
    }
  });

  it('finishes a stream in flight when its container is stopped, before the sidecar stops', async () => {
    const { gateway, envoy, ca } = await startBoth((directory) =>
      Promise.resolve({ address: `unix:${directory}/extproc.sock` }),
    );
    const { rawKey } = await gateway.createKey();
    await vi.waitFor(
      async () => {
        expect(await chat(gateway, ca, rawKey, false)).toMatchObject({ status: 200 });
      },
      { timeout: 15_000, interval: 100 },
    );
    const ended = new Promise((resolve) => envoy.once('exit', resolve));
    const stream = chat(gateway, ca, rawKey, true);
    await delay(300);
    envoy.kill('SIGTERM');
    expect((await stream).text).toContain('[DONE]');
    await ended;
    await expect(chat(gateway, ca, rawKey, false)).rejects.toThrow(/ECONNREFUSED/);
    expect(await gateway.stop()).toBe(0);
  });
});
