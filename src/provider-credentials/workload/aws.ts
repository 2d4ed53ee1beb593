import * as z from 'zod';
import { fromTokenFile } from '@aws-sdk/credential-provider-web-identity';
import { isPlainRemote } from '../../config/address.ts';
import type { Environment } from '../../config/environment.ts';
import { SourceError, readSecretFile } from '../source.ts';
import {
  boundedFetch,
  REQUEST_MS,
  type Grant,
  askJson,
  askText,
  identityEndpoint,
  type Granted,
} from './ask.ts';

/** Like AWS SDKs, uses a pod's web identity (STS), the container agent or the instance metadata service. */
export function createAwsGrant(environment: Environment): Grant {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file = '', AWS_ROLE_ARN: role = '' } = environment;
  if (file !== '' && role !== '') return byWebIdentity(environment, file, role);
  return isInContainer(environment) ? () => fromContainer(environment) : () => fromInstance(environment);
}

/** A VPC may have its own STS endpoint. */
const STS_ENDPOINTS = ['AWS_ENDPOINT_URL_STS', 'AWS_ENDPOINT_URL'] as const;

function byWebIdentity(environment: Environment, webIdentityTokenFile: string, roleArn: string): Grant {
  const clientConfig = { maxAttempts: 1, requestHandler: bounded };
  const provide = fromTokenFile({ webIdentityTokenFile, roleArn, clientConfig });
  return async () => {
    for (const variable of STS_ENDPOINTS) {
      const { [variable]: endpoint = '' } = environment;
      if (endpoint !== '' && (!URL.canParse(endpoint) || isPlainRemote(endpoint)))
        throw new SourceError(`${variable} is not https`);
    }
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await provide();
    const parts = [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])];
    return { value: parts.join(':'), endsAt: expiration?.getTime() };
  };
}

interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Limits the time and the answer size of the SDK's requests; its own handler does not. */
const bounded = {
  async handle({ method, protocol, hostname, port, path, headers: all, body }: SdkRequest) {
    const { host: _host, 'content-length': _length, ...headers } = all;
    const at = port === undefined ? hostname : `${hostname}:${String(port)}`;
    const reply = await boundedFetch(`${protocol}//${at}${path}`, {
      method,
      headers,
      body: typeof body === 'string' ? body : null,
      signal: AbortSignal.timeout(REQUEST_MS),
      redirect: 'manual',
    });
    const response = {
      statusCode: reply.status,
      headers: Object.fromEntries(reply.headers),
      body: new Uint8Array(await reply.arrayBuffer()),
    };
    return { response };
  },
  updateHttpClientConfig: (): void => undefined,
  httpHandlerConfigs: () => ({}),
};

/** Hosts of the ECS and EKS agents (docs.aws.amazon.com, container credential provider). */
const AGENTS: ReadonlySet<string> = new Set(['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]']);
const ECS_AGENT = 'http://169.254.170.2';
const INSTANCE_V4 = 'http://169.254.169.254';
const INSTANCE_V6 = 'http://[fd00:ec2::254]';
const INSTANCE: ReadonlySet<string> = new Set(['169.254.169.254', '[fd00:ec2::254]']);
const ROLES = '/latest/meta-data/iam/security-credentials/';
const TOKEN_SECONDS = '300';

const part = z.string().min(1).max(65_536);
const credentials = z.object({
  AccessKeyId: part,
  SecretAccessKey: part,
  Token: part,
  Expiration: z.string().max(64).optional(),
});

function isInContainer(environment: Environment): boolean {
  return agentOf(environment) !== undefined;
}

function agentOf(environment: Environment): readonly [variable: string, address: string] | undefined {
  const {
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative = '',
    AWS_CONTAINER_CREDENTIALS_FULL_URI: full = '',
  } = environment;
  if (relative !== '') return ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI', ECS_AGENT + relative];
  return full === '' ? undefined : ['AWS_CONTAINER_CREDENTIALS_FULL_URI', full];
}

async function fromContainer(environment: Environment): Promise<Granted> {
  const [variable, address] = agentOf(environment) ?? ['AWS_CONTAINER_CREDENTIALS_FULL_URI', ''];
  const url = identityEndpoint(
    variable,
    address,
    (host) => AGENTS.has(host),
    'at 169.254.170.2, 169.254.170.23 or [fd00:ec2::23]',
  );
  const authorization = await agentToken(environment);
  return asGranted(
    await askJson(url, credentials, { headers: authorization === '' ? {} : { authorization } }),
  );
}

/** The file, which EKS renews, takes precedence. */
async function agentToken(environment: Environment): Promise<string> {
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file = '', AWS_CONTAINER_AUTHORIZATION_TOKEN: token = '' } =
    environment;
  return file === '' ? token : (await readSecretFile(file)).trim();
}

/** Asks the instance metadata service (IMDSv2). */
async function fromInstance(environment: Environment): Promise<Granted> {
  const byMode =
    environment['AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE']?.toLowerCase() === 'ipv6'
      ? INSTANCE_V6
      : INSTANCE_V4;
  const { AWS_EC2_METADATA_SERVICE_ENDPOINT: set = '' } = environment;
  const base = identityEndpoint(
    'AWS_EC2_METADATA_SERVICE_ENDPOINT',
    set === '' ? byMode : set,
    (host) => INSTANCE.has(host),
    'at 169.254.169.254 or [fd00:ec2::254]',
  );
  const token = await askText(new URL('/latest/api/token', base), {
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': TOKEN_SECONDS },
  });
  const headers = { 'x-aws-ec2-metadata-token': token.trim() };
  const [role = ''] = (await askText(new URL(ROLES, base), { headers })).trim().split('\n');
  if (role === '') throw new SourceError(`${base.host} has no role for this instance`);
  const url = new URL(ROLES + encodeURIComponent(role.trim()), base);
  return asGranted(await askJson(url, credentials, { headers }));
}

function asGranted({
  AccessKeyId,
  SecretAccessKey,
  Token,
  Expiration,
}: z.infer<typeof credentials>): Granted {
  return {
    value: [AccessKeyId, SecretAccessKey, Token].join(':'),
    endsAt: Expiration === undefined ? undefined : Date.parse(Expiration),
  };
}
