import { afterAll, beforeAll, expect, it } from 'vitest';
import { createReadOrderStore } from '../../src/provider-credentials/read-orders-store.ts';
import {
  awsCredentials,
  CLOUD_SECRET,
  startCloudServer,
  WORKLOAD,
  type CloudServer,
} from '../support/cloud-server.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { signatureFault } from '../support/fake-provider/verify-sigv4.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send } from '../support/http.ts';

/** docs/provider-credentials.md, "Workload identity": no client and no file holds a provider key. */

const PATHS = {
  bedrock: '/bedrock/openai/v1/chat/completions',
  azure: '/azure/openai/v1/chat/completions',
  gemini: '/gemini/v1beta/openai/chat/completions',
} as const;

/** Requests to the clouds' metadata services. */
const ASKED = [
  'GET /container',
  'GET /metadata/identity/oauth2/token',
  'GET /computeMetadata/v1/instance/service-accounts/default/token',
];

let cloud: CloudServer;
let provider: FakeProvider;
let gateway: TestGateway;
let rawKey: string;

beforeAll(async () => {
  [cloud, provider] = await Promise.all([startCloudServer(), createFakeProvider()]);
  // Renewed after two thirds of it.
  cloud.lifeMs = 9_000;
  gateway = await startGateway({
    env: {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${cloud.address}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: WORKLOAD.agentToken,
      AZURE_POD_IDENTITY_AUTHORITY_HOST: cloud.address,
      GCE_METADATA_HOST: cloud.host,
    },
    config: {
      providers: {
        bedrock: { base_url: provider.url },
        azure: { base_url: provider.url },
        gemini: { base_url: provider.url },
      },
      credentials: {
        bedrock: { provider: 'bedrock', from: { workload_identity: 'aws' } },
        azure: { provider: 'azure', from: { workload_identity: 'azure' } },
        gemini: { provider: 'gemini', from: { workload_identity: 'gcp' } },
      },
      proxy: { client_keys: 'deny' },
    },
  });
  ({ rawKey } = await gateway.createKey({
    provider: 'bedrock',
    allowedProviders: ['bedrock', 'azure', 'gemini'],
    credentials: ['bedrock', 'azure', 'gemini'],
  }));
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([cloud.close(), provider.close()]);
});

/** Returns the headers of the request at the provider. */
async function askedWith(name: keyof typeof PATHS) {
  const { status, body } = await send(gateway.baseUrl, {
    path: PATHS[name],
    body: JSON.stringify({ model: 'gpt-4o', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }),
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
  });
  expect([status, body]).toEqual([200, expect.any(String)]);
  return provider.requests.findLast(({ path }) => PATHS[name].endsWith(path));
}

async function authorization(name: keyof typeof PATHS): Promise<string> {
  return String((await askedWith(name))?.headers['authorization']);
}

it('signs requests to Bedrock with the credentials of the container', async () => {
  const asked = await askedWith('bedrock');
  const [, nth] = /Credential=ASIACLOUDCLOUD(\d+)\//.exec(asked?.headers['authorization'] ?? '') ?? [];
  expect(asked && signatureFault(asked, awsCredentials(Number(nth)))).toBeUndefined();
  expect(asked?.headers['x-amz-security-token']).toBe(awsCredentials(Number(nth)).sessionToken);
});

it('calls Azure and Gemini with an access token, and with the next one before it expires', async () => {
  const both = () => Promise.all([authorization('azure'), authorization('gemini')]);
  const [azure, gemini] = await both();
  expect(azure).toMatch(new RegExp(`^Bearer eyJhbGciOiJSUzI1NiJ9\\.${CLOUD_SECRET}\\.\\d+$`));
  expect(gemini).toMatch(new RegExp(`^Bearer ya29\\.${CLOUD_SECRET}\\.\\d+$`));
  await expect
    .poll(async () => (await both()).map((now, nth) => now === [azure, gemini][nth]), {
      timeout: 15_000,
      interval: 500,
    })
    .toEqual([false, false]);
});

it('keeps the last credentials while the cloud is unreachable, and reports it without them', async () => {
  const failing = async (): Promise<number> =>
    [...(await gateway.metrics()).matchAll(/^gateway_credential_failing\{credential="\w+"\} 1$/gm)].length;
  const orders = createReadOrderStore({ client: gateway.redis.client, deadlineMs: 2_500 });
  const readAgain = () => Promise.all(Object.keys(PATHS).map((name) => orders.order(name)));
  // They must not expire while the cloud is unreachable.
  cloud.lifeMs = 3_600_000;
  cloud.requests.length = 0;
  await readAgain();
  await expect
    .poll(() => cloud.requests, { timeout: 20_000, interval: 100 })
    .toEqual(expect.arrayContaining(ASKED));
  cloud.isDown = true;
  await readAgain();
  await expect.poll(failing, { timeout: 20_000, interval: 500 }).toBe(3);
  for (const name of ['bedrock', 'azure', 'gemini'] as const) await askedWith(name);
  expect(gateway.logs()).toContain('the workload identity of azure provides no credential');
  cloud.isDown = false;
  await expect.poll(failing, { timeout: 20_000, interval: 500 }).toBe(0);
  expect(`${gateway.logs()}${await gateway.metrics()}`).not.toContain(CLOUD_SECRET);
});
