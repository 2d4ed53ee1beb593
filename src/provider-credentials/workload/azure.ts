import * as client from 'openid-client';
import * as z from 'zod';
import { isPlainRemote } from '../../config/address.ts';
import type { Environment } from '../../config/environment.ts';
import { readSecretFile, SourceError } from '../source.ts';
import {
  askJson,
  boundedFetch,
  identityEndpoint,
  isLinkLocal,
  REQUEST_MS,
  type Grant,
  type Granted,
} from './ask.ts';

/** Azure OpenAI and other AI services. */
const RESOURCE = 'https://cognitiveservices.azure.com';
const PUBLIC_CLOUD = 'https://login.microsoftonline.com/';
const INSTANCE_METADATA = 'http://169.254.169.254';
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Gets access tokens from Entra ID with a pod's federated token (AKS), from the agent of App Service or Container Apps,
 * or from the instance metadata service (IMDS).
 */
export function createAzureGrant(environment: Environment): Grant {
  const { AZURE_FEDERATED_TOKEN_FILE: file = '', IDENTITY_ENDPOINT: agent = '' } = environment;
  if (file !== '') return federated(environment, file);
  return agent === '' ? fromInstance(environment) : fromAgent(environment, agent);
}

function federated(environment: Environment, file: string): Grant {
  const { AZURE_TENANT_ID: tenant = '', AZURE_CLIENT_ID: clientId = '' } = environment;
  const authority = environment['AZURE_AUTHORITY_HOST'] ?? PUBLIC_CLOUD;
  return async () => {
    if (tenant === '' || clientId === '') throw new SourceError('set AZURE_TENANT_ID and AZURE_CLIENT_ID');
    const issuer = new URL(`${encodeURIComponent(tenant)}/v2.0`, authority).href;
    if (isPlainRemote(issuer)) throw new SourceError('AZURE_AUTHORITY_HOST is not https');
    const tokenEndpoint = new URL(`${encodeURIComponent(tenant)}/oauth2/v2.0/token`, authority).href;
    const configuration = new client.Configuration(
      { issuer, token_endpoint: tokenEndpoint },
      clientId,
      undefined,
      client.None(),
    );
    configuration.timeout = REQUEST_MS / 1_000;
    configuration[client.customFetch] = (url, options) =>
      boundedFetch(url, { ...options, body: options.body ?? null });
    if (issuer.startsWith('http:')) client.allowInsecureRequests(configuration);
    const { access_token: value, expires_in: seconds } = await client.clientCredentialsGrant(configuration, {
      scope: `${RESOURCE}/.default`,
      client_assertion_type: ASSERTION_TYPE,
      // Read for each token, because Kubernetes renews the file.
      client_assertion: (await readSecretFile(file)).trim(),
    });
    return { value, endsAt: seconds === undefined ? undefined : Date.now() + seconds * 1_000 };
  };
}

function fromAgent(environment: Environment, agent: string): Grant {
  const headers = { 'x-identity-header': environment['IDENTITY_HEADER'] ?? '' };
  return async () => asked(endpointIn('IDENTITY_ENDPOINT', agent), environment, '2019-08-01', headers);
}

function fromInstance(environment: Environment): Grant {
  const { AZURE_POD_IDENTITY_AUTHORITY_HOST: host = INSTANCE_METADATA } = environment;
  return async () => {
    const base = endpointIn('AZURE_POD_IDENTITY_AUTHORITY_HOST', host);
    const url = new URL('/metadata/identity/oauth2/token', base);
    return asked(url, environment, '2018-02-01', { metadata: 'true' });
  };
}

/** Azure's agents listen on this machine (localhost, 127.0.0.1) or at 169.254.x.x. */
function endpointIn(variable: string, address: string): URL {
  return identityEndpoint(variable, address, isLinkLocal, 'at 169.254.x.x');
}

/** Azure sends numbers as strings. */
const answer = z.object({
  access_token: z.string().min(1).max(65_536),
  expires_on: z.coerce.number().positive(),
});

async function asked(
  url: URL,
  { AZURE_CLIENT_ID: clientId = '' }: Environment,
  version: string,
  headers: Readonly<Record<string, string>>,
): Promise<Granted> {
  url.searchParams.set('api-version', version);
  url.searchParams.set('resource', RESOURCE);
  if (clientId !== '') url.searchParams.set('client_id', clientId);
  const { access_token: value, expires_on: seconds } = await askJson(url, answer, { headers });
  return { value, endsAt: seconds * 1_000 };
}
