import { Compute, GoogleAuth } from 'google-auth-library';
import type { Environment } from '../../config/environment.ts';
import { Refused, type Grant } from './grant.ts';

const SCOPES = [
  'https://www.googleapis.com/auth/cloud-platform',
  'https://www.googleapis.com/auth/generative-language.retriever',
];

/**
 * Asks for access tokens: with the file in GOOGLE_APPLICATION_CREDENTIALS, such as that of a workload identity
 * federation, or from the metadata server of GCE, GKE and Cloud Run.
 */
export function createGcpGrant({ GOOGLE_APPLICATION_CREDENTIALS: keyFilename = '' }: Environment): Grant {
  return async () => {
    // A client keeps its token until shortly before it ends, even if the provider refuses it, so each grant has its own.
    const client =
      keyFilename === ''
        ? new Compute({ scopes: SCOPES })
        : await new GoogleAuth({ scopes: SCOPES, keyFilename }).getClient();
    const { token } = await client.getAccessToken();
    if (typeof token !== 'string' || token === '') throw new Refused('Google gave no access token');
    return { value: token, endsAt: client.credentials.expiry_date ?? undefined };
  };
}
