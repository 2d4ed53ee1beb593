import { fromTokenFile } from '@aws-sdk/credential-provider-web-identity';
import { isPlainRemote } from '../../config/address.ts';
import type { Environment } from '../../config/environment.ts';
import { SourceError } from '../source.ts';
import { boundedFetch, REQUEST_MS, type Grant } from './ask.ts';
import { fromContainer, fromInstance, isInContainer } from './aws-metadata.ts';

/** Follows AWS's SDKs: web identity of a pod (STS), agent of the container, or metadata of the instance. */
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
