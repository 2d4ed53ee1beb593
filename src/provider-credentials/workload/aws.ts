import type { Environment } from '../../config/environment.ts';
import { REQUEST_MS, type Grant } from './grant.ts';

/** As the SDK's providers give them. */
interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly expiration?: Date;
  /** The true end where the SDK has put it off. */
  readonly originalExpiration?: Date;
}

const silent = (): void => undefined;
/** The SDK prints failures to read metadata, which may quote it. */
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

/**
 * Asks for credentials as AWS's SDKs do: by the web identity of a pod (STS), from the agent of the container (ECS, EKS
 * Pod Identity), or from the instance's metadata (IMDSv2).
 */
export async function createAwsGrant(environment: Environment): Promise<Grant> {
  const provide = await providerOf(environment);
  return async () => {
    const { accessKeyId, secretAccessKey, sessionToken, expiration, originalExpiration } = await provide();
    const parts = [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])];
    return { value: parts.join(':'), endsAt: (originalExpiration ?? expiration)?.getTime() };
  };
}

async function providerOf(environment: Environment): Promise<() => Promise<AwsCredentials>> {
  const has = (name: string): boolean => (environment[name] ?? '') !== '';
  const { AWS_WEB_IDENTITY_TOKEN_FILE: webIdentityTokenFile = '', AWS_ROLE_ARN: roleArn = '' } = environment;
  if (webIdentityTokenFile !== '' && roleArn !== '') {
    const { fromTokenFile } = await import('@aws-sdk/credential-provider-web-identity');
    const requestHandler = {
      connectionTimeout: REQUEST_MS,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true,
    };
    const clientConfig = { maxAttempts: 1, requestHandler };
    const provide = fromTokenFile({ webIdentityTokenFile, roleArn, clientConfig });
    return () => provide();
  }
  if (has('AWS_CONTAINER_CREDENTIALS_FULL_URI') || has('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI')) {
    const { fromHttp } = await import('@aws-sdk/credential-provider-http');
    return fromHttp({});
  }
  const { fromInstanceMetadata } = await import('@smithy/credential-provider-imds');
  // A provider that gave credentials once gives them again when it fails, also long after their end.
  return () => fromInstanceMetadata({ logger: SILENT })();
}
