import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { onLoopback } from './loopback.ts';

/** The expected JWT, tenant, role and client of a workload. */
export const WORKLOAD = {
  jwt: 'eyJhbGciOiJSUzI1NiJ9.b2YtYS1wb2Q.c2lnbmF0dXJl',
  role: 'arn:aws:iam::123456789012:role/gateway',
  tenant: '72f988bf-86f1-41af-91ab-2d7cd011db47',
  client: '0b7c1c9e-5d0f-4c57-9d3a-2f1a5a1f0c11',
  agentToken: 'agent-token-3kD9',
} as const;

/**
 * Endpoints at which clouds issue credentials to workloads, as in their documentation: AWS STS, the agent of
 * AWS containers, EC2's metadata (IMDSv2); Entra ID's token endpoint, the agent of App Service, Azure's metadata; the
 * metadata of Google Cloud.
 */
export interface CloudServer {
  readonly address: string;
  readonly host: string;
  /** Answered requests: `POST /sts`. */
  readonly requests: string[];
  /** Lifetime of credentials. */
  lifeMs: number;
  /** Answers 503 to everything, and quotes a secret. */
  isDown: boolean;
  /** Sends only the first half of each answer, as if it were whole. */
  isCut: boolean;
  /** Fills each answer with 1 MiB of spaces. */
  isHuge: boolean;
  /** Stops answering. */
  isSilent: boolean;
  /** The number of the last credentials, which is part of them. */
  readonly given: () => number;
  /** Open connections. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

export const CLOUD_SECRET = 'cloud-secret-Vq8sT2';

/** The parts of the AWS credentials with this number. */
export function awsCredentials(nth: number) {
  const digits = String(nth).padStart(6, '0');
  return {
    accessKeyId: `ASIACLOUDCLOUD${digits}`,
    secretAccessKey: `${CLOUD_SECRET}/for+the+requests/${digits}/`,
    sessionToken: `session-${String(nth)}==`,
  };
}

interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly form: URLSearchParams;
  readonly header: (name: string) => string | undefined;
}

type Answer = readonly [status: number, body: object | string];
const REFUSED: Answer = [403, { error: 'forbidden' }];

export async function startCloudServer(): Promise<CloudServer> {
  let given = 0;
  const server = createServer((request, response) => {
    void (async () => {
      const asked = await askedOf(request);
      if (cloud.isSilent) return;
      const [status, body] = cloud.isDown
        ? ([503, { message: CLOUD_SECRET }] as const)
        : (answers[`${asked.method} ${asked.url.pathname}`]?.(asked) ?? ([404, 'not found'] as const));
      if (status === 200) cloud.requests.push(`${asked.method} ${asked.url.pathname}`);
      const isText = typeof body === 'string';
      response.writeHead(status, {
        'content-type': isText ? (body.startsWith('<') ? 'text/xml' : 'text/plain') : 'application/json',
        'metadata-flavor': 'Google',
      });
      const filling = cloud.isHuge ? ' '.repeat(1_048_576) : '';
      const sent = (isText ? body : JSON.stringify(body)) + filling;
      response.end(cloud.isCut ? sent.slice(0, sent.length / 2) : sent);
    })();
  });
  const { addr: host, url, close } = await onLoopback(server);
  const cloud: CloudServer = {
    address: url,
    host,
    requests: [],
    lifeMs: 3_600_000,
    isDown: false,
    isCut: false,
    isHuge: false,
    isSilent: false,
    given: () => given,
    connections: promisify(server.getConnections.bind(server)),
    close,
  };
  const endsAt = (): Date => new Date(Date.now() + cloud.lifeMs);
  function aws(): object {
    const { accessKeyId, secretAccessKey, sessionToken } = awsCredentials(++given);
    return {
      Code: 'Success',
      Type: 'AWS-HMAC',
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      Token: sessionToken,
      Expiration: endsAt().toISOString(),
      LastUpdated: new Date().toISOString(),
    };
  }
  const azure = (more: object): object => ({
    access_token: `eyJhbGciOiJSUzI1NiJ9.${CLOUD_SECRET}.${String(++given)}`,
    token_type: 'Bearer',
    ...more,
  });
  const googleToken = (): object => ({
    access_token: `ya29.${CLOUD_SECRET}.${String(++given)}`,
    expires_in: Math.floor(cloud.lifeMs / 1_000),
    token_type: 'Bearer',
  });
  const expiresOn = (): string => String(Math.floor(endsAt().getTime() / 1_000));
  const isForAi = (url: URL): boolean =>
    url.searchParams.get('resource') === 'https://cognitiveservices.azure.com';
  const answers: Readonly<Record<string, (asked: Asked) => Answer>> = {
    'POST /': ({ form }) => {
      const isRight =
        form.get('Action') === 'AssumeRoleWithWebIdentity' &&
        form.get('Version') === '2011-06-15' &&
        form.get('RoleArn') === WORKLOAD.role &&
        form.get('WebIdentityToken') === WORKLOAD.jwt;
      given += 1;
      return isRight
        ? [200, assumedRole(given, endsAt())]
        : [400, denied(form.get('WebIdentityToken') ?? '')];
    },
    'GET /container': ({ header }) =>
      header('authorization') === WORKLOAD.agentToken ? [200, aws()] : REFUSED,
    'PUT /latest/api/token': ({ header }) =>
      header('x-aws-ec2-metadata-token-ttl-seconds') === undefined ? REFUSED : [200, 'imds-token'],
    'GET /latest/meta-data/iam/security-credentials/': ({ header }) =>
      header('x-aws-ec2-metadata-token') === 'imds-token' ? [200, 'gateway-role'] : [401, ''],
    'GET /latest/meta-data/iam/security-credentials/gateway-role': ({ header }) =>
      header('x-aws-ec2-metadata-token') === 'imds-token' ? [200, aws()] : [401, ''],
    [`POST /${WORKLOAD.tenant}/oauth2/v2.0/token`]: ({ form }) => {
      const isRight =
        form.get('grant_type') === 'client_credentials' &&
        form.get('client_id') === WORKLOAD.client &&
        form.get('scope') === 'https://cognitiveservices.azure.com/.default' &&
        form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' &&
        form.get('client_assertion') === WORKLOAD.jwt;
      const refusal = { error: 'invalid_client', error_description: form.get('client_assertion') };
      return isRight ? [200, azure({ expires_in: Math.floor(cloud.lifeMs / 1_000) })] : [401, refusal];
    },
    'GET /msi/token': ({ url, header }) =>
      header('x-identity-header') === WORKLOAD.agentToken &&
      url.searchParams.get('api-version') === '2019-08-01' &&
      isForAi(url)
        ? [200, azure({ expires_on: expiresOn() })]
        : REFUSED,
    'GET /metadata/identity/oauth2/token': ({ url, header }) =>
      header('metadata') === 'true' && url.searchParams.get('api-version') === '2018-02-01' && isForAi(url)
        ? [200, azure({ expires_on: expiresOn(), expires_in: '3599' })]
        : REFUSED,
    'POST /v1/token': ({ form }) => {
      const isRight =
        form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:token-exchange' &&
        form.get('subject_token') === WORKLOAD.jwt;
      return isRight ? [200, googleToken()] : [401, { error: 'invalid_grant' }];
    },
    'GET /computeMetadata/v1/instance/service-accounts/default/token': ({ header }) =>
      google(header, googleToken),
  };
  return cloud;
}

async function askedOf(request: IncomingMessage): Promise<Asked> {
  const body = await text(request);
  return {
    method: request.method ?? '',
    url: new URL(request.url ?? '/', 'http://cloud'),
    form: new URLSearchParams(body),
    header: (name) => request.headers[name]?.toString(),
  };
}

function google(header: Asked['header'], body: () => object | string): Answer {
  return header('metadata-flavor') === 'Google' ? [200, body()] : REFUSED;
}

/** Returns an answer in STS's format (API version 2011-06-15). */
function assumedRole(nth: number, endsAt: Date): string {
  const { accessKeyId, secretAccessKey, sessionToken } = awsCredentials(nth);
  return `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <AssumedRoleUser><Arn>${WORKLOAD.role}/gateway</Arn><AssumedRoleId>AROACLOUD:gateway</AssumedRoleId></AssumedRoleUser>
    <Credentials>
      <AccessKeyId>${accessKeyId}</AccessKeyId>
      <SecretAccessKey>${secretAccessKey}</SecretAccessKey>
      <SessionToken>${sessionToken}</SessionToken>
      <Expiration>${endsAt.toISOString()}</Expiration>
    </Credentials>
  </AssumeRoleWithWebIdentityResult>
  <ResponseMetadata><RequestId>ad4156e9-bce1-11e2-82e6-6b6efEXAMPLE</RequestId></ResponseMetadata>
</AssumeRoleWithWebIdentityResponse>`;
}

function denied(quoted: string): string {
  return `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>InvalidIdentityToken</Code><Message>bad token ${quoted}</Message></Error><RequestId>1</RequestId></ErrorResponse>`;
}
