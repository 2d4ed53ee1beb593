import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { messageOf } from '../../../src/errors.ts';
import type { CredentialSettings } from '../../../src/config/sections/credentials.ts';
import { followCredentials } from '../../../src/provider-credentials/follow.ts';
import { openSource } from '../../../src/provider-credentials/read-source.ts';
import type { ReadValue } from '../../../src/provider-credentials/source.ts';
import type { Cloud } from '../../../src/provider-credentials/workload/identity.ts';
import {
  awsCredentials,
  CLOUD_SECRET,
  startCloudServer,
  WORKLOAD,
  type CloudServer,
} from '../../support/cloud-server.ts';

/** docs/provider-credentials.md, "Workload identity", against servers that answer as documented by the clouds. */

let folder: string;
let cloud: CloudServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gw-test-workload-'));
  writeFileSync(join(folder, 'jwt'), WORKLOAD.jwt);
  writeFileSync(join(folder, 'other.jwt'), `${WORKLOAD.jwt}.other`);
  cloud = await startCloudServer();
});
afterAll(async () => {
  await cloud.close();
  rmSync(folder, { recursive: true });
});
afterEach(() => {
  vi.unstubAllEnvs();
  Object.assign(cloud, { isDown: false, isCut: false, isHuge: false, isSilent: false, lifeMs: 3_600_000 });
  cloud.requests.length = 0;
});

interface Place {
  readonly cloud: Cloud;
  readonly environment: () => Record<string, string>;
  /** The value of the credentials with this number. */
  readonly value: (nth: number) => string;
  readonly request: string;
}

const aws = (nth: number): string => Object.values(awsCredentials(nth)).join(':');
const entra = (nth: number): string => `eyJhbGciOiJSUzI1NiJ9.${CLOUD_SECRET}.${String(nth)}`;
const NOWHERE = {
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_REGION: 'eu-west-1',
};
const IN_A_POD = { AZURE_TENANT_ID: WORKLOAD.tenant, AZURE_CLIENT_ID: WORKLOAD.client };

const PLACES: Readonly<Record<string, Place>> = {
  'a pod with a web identity (STS)': {
    cloud: 'aws',
    environment: () => ({
      ...NOWHERE,
      AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'jwt'),
      AWS_ROLE_ARN: WORKLOAD.role,
      AWS_ENDPOINT_URL_STS: cloud.address,
    }),
    value: aws,
    request: 'POST /',
  },
  'an AWS container': {
    cloud: 'aws',
    environment: () => ({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${cloud.address}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: WORKLOAD.agentToken,
    }),
    value: aws,
    request: 'GET /container',
  },
  'an EC2 instance': {
    cloud: 'aws',
    environment: () => ({ ...NOWHERE, AWS_EC2_METADATA_SERVICE_ENDPOINT: cloud.address }),
    value: aws,
    request: 'GET /latest/meta-data/iam/security-credentials/gateway-role',
  },
  'an AKS pod': {
    cloud: 'azure',
    environment: () => ({
      ...IN_A_POD,
      AZURE_FEDERATED_TOKEN_FILE: join(folder, 'jwt'),
      AZURE_AUTHORITY_HOST: `${cloud.address}/`,
    }),
    value: entra,
    request: `POST /${WORKLOAD.tenant}/oauth2/v2.0/token`,
  },
  'an Azure container app': {
    cloud: 'azure',
    environment: () => ({
      IDENTITY_ENDPOINT: `${cloud.address}/msi/token`,
      IDENTITY_HEADER: WORKLOAD.agentToken,
    }),
    value: entra,
    request: 'GET /msi/token',
  },
  'an Azure VM': {
    cloud: 'azure',
    environment: () => ({ AZURE_POD_IDENTITY_AUTHORITY_HOST: cloud.address }),
    value: entra,
    request: 'GET /metadata/identity/oauth2/token',
  },
  'a Google Cloud machine': {
    cloud: 'gcp',
    environment: () => ({ GCE_METADATA_HOST: cloud.host }),
    value: (nth) => `ya29.${CLOUD_SECRET}.${String(nth)}`,
    request: 'GET /computeMetadata/v1/instance/service-accounts/default/token',
  },
  'a workload that Google Cloud knows by its JWT': {
    cloud: 'gcp',
    environment: googleFederation,
    value: (nth) => `ya29.${CLOUD_SECRET}.${String(nth)}`,
    request: 'POST /v1/token',
  },
};

/** A workload elsewhere. */
function googleFederation(): Record<string, string> {
  const file = join(folder, 'federation.json');
  const settings = {
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/oidc',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${cloud.address}/v1/token`,
    credential_source: { file: join(folder, 'jwt') },
  };
  writeFileSync(file, JSON.stringify(settings));
  return { GOOGLE_APPLICATION_CREDENTIALS: file };
}

async function open({ cloud: name, environment }: Pick<Place, 'cloud' | 'environment'>) {
  const variables = environment();
  // The SDKs read the environment of the process, which is that of `gateway serve`.
  for (const [variable, value] of Object.entries(variables)) vi.stubEnv(variable, value);
  return openSource({ workload_identity: name, ttl: 900_000 as never }, variables);
}

const failureOf = (reading: Promise<ReadValue>): Promise<string> =>
  reading.then(({ value }) => `read ${value}`, messageOf);

describe.each(Object.entries(PLACES))('%s', (_name, place) => {
  it('yields credentials, and new ones on the next read', async () => {
    const source = await open(place);
    for (let reads = 0; reads < 2; reads += 1) {
      const before = cloud.given();
      const { value, againInMs } = await source.read();
      expect(value).toBe(place.value(cloud.given()));
      expect(cloud.given()).toBe(before + 1);
      expect(cloud.requests.at(-1)).toBe(place.request);
      // Two thirds of an hour.
      expect(againInMs).toBeGreaterThan(2_300_000);
      expect(againInMs).toBeLessThanOrEqual(2_400_000);
    }
  });

  it('quotes nothing from the cloud’s error', async () => {
    const source = await open(place);
    cloud.isDown = true;
    const message = await failureOf(source.read());
    expect(message).toMatch(
      new RegExp(`^the workload identity of ${place.cloud} provides no credential \\(`),
    );
    expect(message).not.toContain(CLOUD_SECRET);
    cloud.isDown = false;
    expect((await source.read()).value).toBe(place.value(cloud.given()));
  });
});

describe('a workload that the cloud does not know', () => {
  it.each(['a pod with a web identity (STS)', 'an AKS pod'])(
    'is refused without its token: %s',
    async (name) => {
      const place = PLACES[name] as Place;
      const other = join(folder, 'other.jwt');
      function environment(): Record<string, string> {
        const variables = place.environment();
        for (const file of ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AZURE_FEDERATED_TOKEN_FILE'])
          if (file in variables) variables[file] = other;
        return variables;
      }
      const message = await failureOf((await open({ ...place, environment })).read());
      expect(message).toMatch(/provides no credential \(\w+\)$/);
      expect(message).not.toContain(WORKLOAD.jwt);
    },
  );

  it.each([
    [{ AZURE_FEDERATED_TOKEN_FILE: '/none' }, 'set AZURE_TENANT_ID and AZURE_CLIENT_ID'],
    [{ ...IN_A_POD, AZURE_FEDERATED_TOKEN_FILE: '/none' }, 'file /none cannot be read (ENOENT)'],
    [
      { ...IN_A_POD, AZURE_FEDERATED_TOKEN_FILE: '/none', AZURE_AUTHORITY_HOST: 'http://login.example/' },
      'AZURE_AUTHORITY_HOST is not https',
    ],
  ])('gets the missing setting named: %o', async (environment, reason) => {
    const source = await open({ cloud: 'azure', environment: () => environment });
    expect(await failureOf(source.read())).toContain(`(${reason})`);
  });
});

describe('a cloud that stops issuing credentials', () => {
  it.each(Object.entries(PLACES))('is a failure, and prints nothing: %s', async (_name, place) => {
    const printed = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const source = await open(place);
    await source.read();
    cloud.isCut = true;
    const message = await failureOf(source.read());
    expect(message).toMatch(
      new RegExp(`^the workload identity of ${place.cloud} provides no credential \\(`),
    );
    expect(message).not.toContain(CLOUD_SECRET);
    expect(printed.mock.calls).toEqual([]);
    printed.mockRestore();
  });
});

it.each(Object.entries(PLACES))('a huge answer is not read to its end: %s', async (_name, place) => {
  const source = await open(place);
  cloud.isHuge = true;
  expect(await failureOf(source.read())).toContain('provides no credential (');
});

describe('an address in the environment', () => {
  const STS = { AWS_WEB_IDENTITY_TOKEN_FILE: '/none', AWS_ROLE_ARN: WORKLOAD.role };
  const addresses: readonly (readonly [
    Cloud,
    string,
    readonly string[],
    Readonly<Record<string, string>>,
  ])[] = [
    [
      'aws',
      'AWS_CONTAINER_CREDENTIALS_FULL_URI',
      ['http://10.0.0.8/x', 'http://169.254.169.254/x', 'ftp://a/', 'x'],
      {},
    ],
    ['aws', 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', ['@agent.example/', '.example.com/'], {}],
    ['aws', 'AWS_EC2_METADATA_SERVICE_ENDPOINT', ['http://metadata.example', 'http://169.254.170.2'], {}],
    ['aws', 'AWS_ENDPOINT_URL_STS', ['http://sts.example'], STS],
    ['aws', 'AWS_ENDPOINT_URL', ['http://sts.example', 'sts'], STS],
    [
      'azure',
      'IDENTITY_ENDPOINT',
      ['http://agent.example/msi/token', 'http://10.1.2.3:8081/', 'http://a:b@127.0.0.1/'],
      {},
    ],
    ['azure', 'AZURE_POD_IDENTITY_AUTHORITY_HOST', ['http://nmi.example'], {}],
    [
      'gcp',
      'GCE_METADATA_HOST',
      ['metadata.example', 'http://10.0.0.1', 'metadata.google.internal.example'],
      {},
    ],
    ['gcp', 'GCE_METADATA_IP', ['10.0.0.1'], {}],
  ];
  it.each(addresses)(
    'of %s in plain text to another machine is not used: %s',
    async (name, variable, all, more) => {
      const asked = vi.spyOn(globalThis, 'fetch');
      for (const address of all) {
        const source = await open({ cloud: name, environment: () => ({ ...more, [variable]: address }) });
        expect(await failureOf(source.read())).toMatch(new RegExp(`\\(${variable} (must be https|is not )`));
      }
      expect(asked).not.toHaveBeenCalled();
      asked.mockRestore();
    },
  );

  const documented: readonly (readonly [Cloud, string, readonly string[]])[] = [
    [
      'aws',
      'AWS_CONTAINER_CREDENTIALS_FULL_URI',
      ['http://169.254.170.23/v1', 'http://[fd00:ec2::23]/v1', 'https://agent.example/'],
    ],
    ['aws', 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', ['/v2/credentials/1']],
    ['aws', 'AWS_EC2_METADATA_SERVICE_ENDPOINT', ['http://[fd00:ec2::254]', '']],
    [
      'azure',
      'IDENTITY_ENDPOINT',
      ['http://localhost:42356/msi/token', 'http://169.254.131.2:8081/msi/token', 'https://agent.example/'],
    ],
    [
      'gcp',
      'GCE_METADATA_HOST',
      ['metadata.google.internal', '169.254.169.252:988', 'localhost:8080', '[fd20:ce::254]', ''],
    ],
  ];
  it.each(documented)('of %s that its cloud documents is used: %s', async (name, variable, all) => {
    const asked = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('not here'));
    for (const address of all) {
      await failureOf((await open({ cloud: name, environment: () => ({ [variable]: address }) })).read());
    }
    expect(asked).toHaveBeenCalledTimes(all.length);
    asked.mockRestore();
  });
});

describe('the expiry of credentials', () => {
  it.each(Object.entries(PLACES))(
    'far in the future does not keep them forever: %s',
    async (_name, place) => {
      const source = await open(place);
      cloud.lifeMs = 1_000 * 31_557_600_000;
      expect((await source.read()).againInMs).toBe(3_600_000);
    },
  );

  it('in the past causes another read soon', async () => {
    const source = await open(PLACES['an EC2 instance'] as Place);
    cloud.lifeMs = -60_000;
    expect((await source.read()).againInMs).toBe(5_000);
  });

  it('ends their use while the cloud issues no others', async () => {
    const { environment } = PLACES['an Azure VM'] as Place;
    const from = { workload_identity: 'azure', ttl: 900_000 } as CredentialSettings['from'];
    const day = 86_400_000 as CredentialSettings['max_age'];
    let aheadMs = 0;
    const ended: string[] = [];
    const followed = await followCredentials({
      credentials: { eu: { provider: 'azure', from, max_age: day } },
      environment: environment(),
      onChanged: () => undefined,
      onSource: () => undefined,
      onEnded: (name) => ended.push(name),
      everyMs: 10,
      now: () => Date.now() + aheadMs,
    });
    cloud.isDown = true;
    aheadMs = 50 * 60_000;
    await vi.waitFor(() => {
      expect(followed.states().get('eu')).toMatchObject({
        failure: expect.any(String) as string,
        usable: true,
      });
    });
    aheadMs = 61 * 60_000;
    await vi.waitFor(() => {
      expect(ended).toEqual(['eu']);
    });
    expect(followed.values()).toEqual({});
    followed.close();
  });
});

it('requests to silent clouds are abandoned, and their connections closed', async () => {
  const sources = [];
  for (const place of Object.values(PLACES)) sources.push(await open(place));
  cloud.isSilent = true;
  const begun = performance.now();
  for (const message of await Promise.all(sources.map((source) => failureOf(source.read()))))
    expect(message).toContain('provides no credential');
  expect(performance.now() - begun).toBeLessThan(11_000);
  await vi.waitFor(async () => {
    expect(await cloud.connections()).toBe(0);
  }, 5_000);
}, 30_000);
