import { Compute, GoogleAuth, type AuthClient } from 'google-auth-library';
import type { Environment } from '../../config/environment.ts';
import { Refused, REQUEST_MS, type Grant } from './grant.ts';

const SCOPES = [
  'https://www.googleapis.com/auth/cloud-platform',
  'https://www.googleapis.com/auth/generative-language.retriever',
];

/** A failed request is not repeated here: the source is read again. */
const transporterOptions = { timeout: REQUEST_MS, retryConfig: { retry: 0 } };

/**
 * Asks for access tokens: with the file in GOOGLE_APPLICATION_CREDENTIALS, such as that of a workload identity
 * federation, or from the metadata server of GCE, GKE and Cloud Run.
 */
export function createGcpGrant({ GOOGLE_APPLICATION_CREDENTIALS: keyFilename = '' }: Environment): Grant {
  return async () => {
    // A client keeps its token until shortly before it ends, even if the provider refuses it, so each grant has its own.
    const client =
      keyFilename === '' ? new Compute({ scopes: SCOPES, transporterOptions }) : await fromFile(keyFilename);
    const { token } = await client.getAccessToken();
    if (typeof token !== 'string' || token === '') throw new Refused('Google gave no access token');
    return { value: token, endsAt: client.credentials.expiry_date ?? undefined };
  };
}

async function fromFile(keyFilename: string) {
  const clientOptions = { transporterOptions };
  const client = await new GoogleAuth({ scopes: SCOPES, keyFilename, clientOptions }).getClient();
  // The library gives its client for token exchange no options, and so no time limit.
  const exchange = (client as { stsCredential?: Pick<AuthClient, 'transporter'> }).stsCredential;
  if (exchange !== undefined) Object.assign(exchange.transporter.defaults, transporterOptions);
  return client;
}
