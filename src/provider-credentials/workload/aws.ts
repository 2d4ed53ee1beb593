import { fromTokenFile } from '@aws-sdk/credential-provider-web-identity';
import { isPlainAfar } from '../../config/address.ts';
import type { Environment } from '../../config/environment.ts';
import { boundedFetch } from './ask.ts';
import { fromContainer, fromInstance, isInContainer } from './aws-metadata.ts';
import { Refused, REQUEST_MS, type Grant } from './grant.ts';

/**
 * Asks for credentials as AWS's SDKs do: by the web identity of a pod (STS), from the agent of the container (ECS, EKS
 * Pod Identity), or from the instance's metadata (IMDSv2).
 */
export function createAwsGrant(environment: Environment): Grant {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file = '', AWS_ROLE_ARN: role = '' } = environment;
  if (file !== '' && role !== '') return byWebIdentity(environment, file, role);
  return isInContainer(environment) ? () => fromContainer(environment) : () => fromInstance(environment);
}

/** A VPC may have an endpoint of its own for STS. */
const STS_ENDPOINTS = ['AWS_ENDPOINT_URL_STS', 'AWS_ENDPOINT_URL'] as const;

function byWebIdentity(environment: Environment, webIdentityTokenFile: string, roleArn: string): Grant {
  const clientConfig = { maxAttempts: 1, requestHandler: bounded };
  const provide = fromTokenFile({ webIdentityTokenFile, roleArn, clientConfig });
  return async () => {
    for (const variable of STS_ENDPOINTS) {
      const { [variable]: endpoint = '' } = environment;
      if (endpoint !== '' && (!URL.canParse(endpoint) || isPlainAfar(endpoint)))
        throw new Refused(`${variable} is not https`);
    }
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await provide();
    const parts = [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])];
    return { value: parts.join(':'), endsAt: expiration?.getTime() };
  };
}

/** A request of the SDK. */
interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Sends the SDK's requests with a bound on the time and on the answer's size, which its own handler lacks. */
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
