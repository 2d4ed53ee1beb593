import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { RUNTIME } from '../../src/envoy/render.ts';
import type { EnvoyObject } from '../../src/envoy/layout.ts';
import { startEnvoy, type EnvoyProcess } from '../../src/runtime/envoy-process.ts';
import { createTestCa, type Identity, type TestCa } from '../support/certs.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { envoyGatewayListener, withEnvoyFilter, withPatchPolicy } from '../support/mesh-envoy.ts';
import { envoyPath, gatewayProgram } from '../support/parts.ts';
import { freePort } from '../support/ports.ts';

/**
 * The configuration that Istio and Envoy Gateway make of the resources of `gateway envoy render`, run in the real Envoy
 * with the real sidecar beside it, and at the end with a dead sidecar.
 */
let ca: TestCa;
let certificate: Identity;
let provider: FakeProvider;
let gateway: TestGateway;
let directory: string;
let rawKey: string;
let envoys: readonly EnvoyProcess[] = [];
/** By the mesh whose Envoy listens there. */
const ports = { istio: 0, 'envoy-gateway': 0 };

async function render(as: string): Promise<string> {
  const args = ['--config', gateway.configFile, 'envoy', 'render', '--as', as, '--run-dir', directory];
  return (await promisify(execFile)(process.execPath, [await gatewayProgram(), ...args])).stdout;
}

async function start(as: keyof typeof ports): Promise<EnvoyProcess> {
  const adminSocketPath = join(directory, `${as}.sock`);
  const configFile = join(directory, `${as}.yaml`);
  const manifest = await render(as);
  const bootstrap =
    as === 'istio' ? withEnvoyFilter(manifest, adminSocketPath) : patched(manifest, adminSocketPath);
  await writeFile(configFile, stringify(bootstrap));
  const options = { binary: await envoyPath(), configFile, adminSocketPath, concurrency: 1 };
  const envoy = startEnvoy({ ...options, onLine: () => undefined });
  await envoy.waitUntilLive(20_000);
  return envoy;
}

function patched(manifest: string, adminSocketPath: string): EnvoyObject {
  const name = 'ai-firewall-gateway/ai-firewall-gateway/https';
  const { certFile, keyFile } = certificate;
  const listener = envoyGatewayListener(name, ports['envoy-gateway'], certFile, keyFile);
  return withPatchPolicy(manifest, listener, adminSocketPath, RUNTIME);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gw-test-mesh-'));
  ca = await createTestCa();
  certificate = await ca.issue('gateway', ['api.openai.com', '127.0.0.1']);
  provider = await createFakeProvider();
  const { certFile, keyFile } = certificate;
  gateway = await startGateway({
    config: {
      server: {
        tls: { cert_file: certFile, key_file: keyFile },
        extproc: { address: `unix:${directory}/extproc.sock` },
      },
      proxy: { authorities: { 'api.openai.com': 'openai' } },
      providers: { openai: { base_url: provider.url } },
      envoy: { managed: false },
    },
  });
  ({ rawKey } = await gateway.createKey());
  ports.istio = gateway.port;
  ports['envoy-gateway'] = await freePort();
  envoys = await Promise.all([start('istio'), start('envoy-gateway')]);
});
afterAll(async () => {
  await Promise.all(envoys.map((envoy) => envoy.stop()));
  await gateway.stop();
  await provider.close();
  ca.close();
  await rm(directory, { recursive: true, force: true });
});

function ask(as: keyof typeof ports, stream: boolean): Promise<Reply> {
  return send(`https://127.0.0.1:${String(ports[as])}`, {
    path: '/v1/chat/completions',
    ca: ca.ca,
    headers: {
      host: 'api.openai.com',
      authorization: `Bearer ${rawKey}`,
      'x-gateway-provider-key': 'sk-test',
      // The markers that the gates check may not come from a client.
      'x-gateway-upstream': 'provider_openai',
      'x-gw-origin': '1',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: 'gpt-4o', stream, messages: [{ role: 'user', content: 'Hello!' }] }),
  });
}

describe.each(['istio', 'envoy-gateway'] as const)('on the Envoy of %s', (as) => {
  it('a request to the provider’s own host is judged, forwarded and answered, whole and streamed', async () => {
    await vi.waitFor(async () => expect((await ask(as, false)).status).toBe(200));
    const whole = await ask(as, false);
    expect(whole.headers['x-gateway-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(provider.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-test');
    expect((await ask(as, true)).body).toContain('[DONE]');
  });
});

it('with the sidecar dead, requests are refused in both ways, and none is forwarded', async () => {
  const before = provider.requests.length;
  gateway.signal('SIGKILL');
  await gateway.exited;
  for (const as of ['istio', 'envoy-gateway'] as const) {
    const { status, body } = await ask(as, false);
    expect([as, status, JSON.parse(body)]).toEqual([
      as,
      503,
      { error: 'the policy service is unavailable', type: 'gateway_unavailable' },
    ]);
  }
  expect(provider.requests.length).toBe(before);
});
