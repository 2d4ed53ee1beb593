import type { KeyRecord } from '../auth/key-record.ts';
import type { Config } from '../config/schema.ts';
import { GatewayError, retryAfter } from '../errors.ts';
import type { Provider } from '../providers/registry.ts';
import type { CredentialValues } from './follow.ts';

/** Sent as `Retry-After`. Sources are reread within seconds. */
const RETRY_MS = 5_000;
/** Delay before a renewed value that the provider refused is tried again. */
const RETRY_RENEWED_MS = 30_000;

export interface ChosenCredential {
  /** Undefined if the provider needs no key and the client sent no key. */
  readonly providerKey: string | undefined;
  /** Name of the gateway's credential; undefined if the client's key is used. */
  readonly heldCredential?: string;
}

export interface ProviderCredentials {
  /**
   * Chooses the gateway's credential or the client's key. Does not use the key if the credential cannot be read.
   * @param clientKey the client's provider key
   * @throws GatewayError invalid_request, credential_unavailable
   */
  choose(key: KeyRecord, provider: Provider, clientKey: string | undefined): ChosenCredential;
  /** @throws GatewayError credential_unavailable */
  held(name: string): ChosenCredential;
  /** Records whether a provider refused a gateway credential. */
  answered(name: string, value: string, isRefused: boolean): void;
  renew(values: CredentialValues): void;
}

export interface ProviderCredentialsOptions {
  readonly config: Pick<Config, 'credentials' | 'proxy'>;
  readonly values: CredentialValues;
  readonly onAnswered: (name: string, isRefused: boolean) => void;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** A renewed value that the provider has not accepted yet. */
interface Renewed {
  readonly before: string;
  /** `before` is used until then. */
  retryAt: number;
}

export function createProviderCredentials(options: ProviderCredentialsOptions): ProviderCredentials {
  const { credentials, proxy } = options.config;
  const { onAnswered, now = () => performance.now() } = options;
  let { values } = options;
  const renewed = new Map<string, Renewed>();

  function nameFor({ credentials: names = [] }: KeyRecord, provider: string): string | undefined {
    return (
      names.find((name) => credentials[name]?.provider === provider) ??
      // An unknown name may be for this provider, so a client's key must not replace it.
      names.find((name) => credentials[name] === undefined)
    );
  }

  function valueOf(name: string): string {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined)
      throw unavailable(`the gateway cannot read the provider credential ${name}`, name);
    const unproven = renewed.get(name);
    return unproven !== undefined && now() < unproven.retryAt ? unproven.before : value;
  }

  return {
    choose(key, provider, clientKey) {
      if (clientKey !== undefined && proxy.client_keys === 'deny') throw clientKeyDenied();
      const name = nameFor(key, provider.name);
      const isClients = name === undefined || (clientKey !== undefined && proxy.client_keys === 'prefer');
      if (!isClients) return { providerKey: valueOf(name), heldCredential: name };
      if (clientKey === undefined && provider.needsKey) throw missing(provider.name, proxy.client_keys);
      return { providerKey: clientKey };
    },
    held: (name) => ({ providerKey: valueOf(name), heldCredential: name }),
    answered(name, value, isRefused) {
      onAnswered(name, isRefused);
      const unproven = renewed.get(name);
      if (unproven === undefined || value !== values[name]) return;
      if (isRefused) unproven.retryAt = now() + RETRY_RENEWED_MS;
      else renewed.delete(name);
    },
    renew(next) {
      for (const name of new Set([...Object.keys(values), ...renewed.keys()])) {
        const before = renewed.get(name)?.before ?? values[name];
        if (next[name] === undefined || before === undefined || next[name] === before) renewed.delete(name);
        else if (next[name] !== values[name]) renewed.set(name, { before, retryAt: 0 });
      }
      values = next;
    },
  };
}

function clientKeyDenied(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'this gateway manages the provider keys: send only your proxy key, without a provider key',
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

/** Replaces the answer of a provider that refused a credential, because the answer may quote the credential. */
export function credentialRefused(name: string): GatewayError {
  return unavailable(`the provider refused the gateway's credential ${name}`, name);
}

function unavailable(what: string, name: string): GatewayError {
  return new GatewayError('credential_unavailable', `${what}: try again later, or inform the operator`, {
    note: `credential ${name}`,
    headers: retryAfter('credential_unavailable', RETRY_MS),
  });
}
