import { GoogleAuth, type AuthClient } from 'google-auth-library';
import * as z from 'zod';
import type { Environment } from '../../config/environment.ts';
import { SourceError } from '../source.ts';
import {
  askJson,
  identityEndpoint,
  isLinkLocal,
  MAX_ANSWER_BYTES,
  REQUEST_MS,
  type Grant,
  type Granted,
} from './ask.ts';

const SCOPES = [
  'https://www.googleapis.com/auth/cloud-platform',
  'https://www.googleapis.com/auth/generative-language.retriever',
];

/** No retries, because the source is read again later. `size` also limits answers without a declared length. */
const transporterOptions = {
  timeout: REQUEST_MS,
  size: MAX_ANSWER_BYTES,
  retryConfig: { retry: 0 },
};

const METADATA = 'http://169.254.169.254';
const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata.google.internal',
  'metadata.google.internal.',
  '[fd20:ce::254]',
]);
const TOKEN_PATH = '/computeMetadata/v1/instance/service-accounts/default/token';

const answer = z.object({
  access_token: z.string().min(1).max(65_536),
  expires_in: z.number().positive(),
});

/**
 * Gets access tokens with the file in GOOGLE_APPLICATION_CREDENTIALS, for example for workload identity federation, or
 * from the metadata server of GCE, GKE and Cloud Run.
 */
export function createGcpGrant(environment: Environment): Grant {
  const { GOOGLE_APPLICATION_CREDENTIALS: keyFilename = '' } = environment;
  return keyFilename === '' ? () => fromMetadata(environment) : () => fromFile(keyFilename);
}

/** Like Google's libraries, prefers `GCE_METADATA_IP` and uses http for a plain host. */
async function fromMetadata(environment: Environment): Promise<Granted> {
  const variable = (environment['GCE_METADATA_IP'] ?? '') === '' ? 'GCE_METADATA_HOST' : 'GCE_METADATA_IP';
  const { [variable]: set = '' } = environment;
  const host = set === '' ? METADATA : set;
  const base = identityEndpoint(
    variable,
    /^https?:\/\//.test(host) ? host : `http://${host}`,
    (name) => isLinkLocal(name) || METADATA_NAMES.has(name),
    'at 169.254.x.x, metadata.google.internal or [fd20:ce::254]',
  );
  const url = new URL(TOKEN_PATH, base);
  url.searchParams.set('scopes', SCOPES.join(','));
  const headers = { 'metadata-flavor': 'Google' };
  const { access_token: value, expires_in: seconds } = await askJson(url, answer, { headers });
  return { value, endsAt: Date.now() + seconds * 1_000 };
}

async function fromFile(keyFilename: string): Promise<Granted> {
  const clientOptions = { transporterOptions };
  // Each grant needs a new client, because a client keeps its token until shortly before expiry, even if the provider
  // refuses it.
  const client = await new GoogleAuth({ scopes: SCOPES, keyFilename, clientOptions }).getClient();
  // The library does not apply these limits to its token exchange client.
  const exchange = (client as { stsCredential?: Pick<AuthClient, 'transporter'> }).stsCredential;
  if (exchange !== undefined) Object.assign(exchange.transporter.defaults, transporterOptions);
  const { token } = await client.getAccessToken();
  if (typeof token !== 'string' || token === '') throw new SourceError('Google returned no access token');
  return { value: token, endsAt: client.credentials.expiry_date ?? undefined };
}
