import type { KeyRecord } from '../auth/key-record.ts';
import type { Config } from '../config/schema.ts';
import { GatewayError, retryAfter } from '../errors.ts';
import type { Provider } from '../providers/provider.ts';
import type { CredentialValues } from './follow.ts';

/** Sources are read again within seconds. */
const RETRY_MS = 5_000;

/** Chooses the credential with which a provider is asked: the gateway's or the client's. */
export interface ProviderCredentials {
  /**
   * @param clientKey the provider key that the client sent
   * @returns undefined if there is none and the provider needs none
   * @throws GatewayError invalid_request, credential_unavailable; never falls back from one source to another
   */
  choose(key: KeyRecord, provider: Provider, clientKey: string | undefined): string | undefined;
  /** Puts renewed values in force. */
  renew(values: CredentialValues): void;
}

export function createProviderCredentials(
  { credentials, proxy }: Pick<Config, 'credentials' | 'proxy'>,
  initial: CredentialValues,
): ProviderCredentials {
  let values = initial;

  function nameFor({ credentials: names = [] }: KeyRecord, provider: string): string | undefined {
    return (
      names.find((name) => credentials[name]?.provider === provider) ??
      // A name that this gateway does not know may be for this provider: its clients' keys must not stand in.
      names.find((name) => credentials[name] === undefined)
    );
  }

  return {
    choose(key, provider, clientKey) {
      if (clientKey !== undefined && proxy.client_keys === 'deny') throw clientKeyDenied();
      const name = nameFor(key, provider.name);
      const isClients = name === undefined || (clientKey !== undefined && proxy.client_keys === 'prefer');
      if (isClients) {
        if (clientKey === undefined && provider.needsKey) throw missing(provider.name, proxy.client_keys);
        return clientKey;
      }
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) throw unavailable(name);
      return value;
    },
    renew(renewed) {
      values = renewed;
    },
  };
}

function clientKeyDenied(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'this gateway holds the provider keys: send your proxy key alone, without a provider key',
  );
}

function missing(provider: string, clientKeys: Config['proxy']['client_keys']): GatewayError {
  return new GatewayError(
    'invalid_request',
    clientKeys === 'deny'
      ? `your proxy key has no credential for ${provider}: ask the operator for one (gateway keys update --credentials)`
      : `send your ${provider} key in X-Gateway-Provider-Key (or, with the proxy key in the path, in Authorization: Bearer)`,
  );
}

function unavailable(name: string): GatewayError {
  return new GatewayError(
    'credential_unavailable',
    `the gateway cannot read the provider credential ${name}: try again later, or tell the operator`,
    { note: `credential ${name}`, headers: retryAfter('credential_unavailable', RETRY_MS) },
  );
}
