import { PROVIDER_NAMES, providers, type ProviderName } from '../providers/registry.ts';
import type { Api, ExecVariables } from '../providers/descriptor.ts';
import type { Environment } from '../config/environment.ts';

/** Address of one run's forwarder, and the key that it accepts. */
export interface ForwarderPlace {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** URL with the key in its path, for programs that prefer a stored key to the variable. */
  readonly keyedUrl: string;
  readonly key: string;
}

/** Variables to set; undefined removes a variable. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Takes precedence over the provider's own variables, which other programs may need. */
export const PROVIDER_KEY_VARIABLE = 'GATEWAY_PROVIDER_KEY';

export const SECRET_VARIABLES: readonly string[] = [
  'GATEWAY_PROXY_KEY',
  PROVIDER_KEY_VARIABLE,
  ...new Set(Object.values(providers).flatMap(({ exec }) => exec.keys)),
];

/** Returns the provider's own key from the environment. For Bedrock it may be `ACCESS:SECRET[:TOKEN]`. */
export function findProviderKey(provider: ProviderName, env: Environment): string | undefined {
  const own = env[PROVIDER_KEY_VARIABLE] ?? '';
  if (own !== '') return own;
  const { keys, keyIn } = execOf(provider);
  const value = (name: string): string => env[name] ?? '';
  return keyIn === undefined ? keys.map(value).find((key) => key !== '') : keyIn(value);
}

function execOf(provider: ProviderName): ExecVariables {
  return providers[provider].exec;
}

export function keyVariables(provider: ProviderName): readonly string[] {
  return [...execOf(provider).keys, PROVIDER_KEY_VARIABLE];
}

/**
 * Returns the variables that direct a program to the forwarder: the provider's own, and OpenAI's if the provider
 * supports OpenAI's API.
 * @param keyed whether the URLs contain the key
 */
export function providerVariables(provider: ProviderName, place: ForwarderPlace, keyed = false): Variables {
  const { keys, addresses = {}, keyedAddresses = {}, detours = [], keyed: keysOf } = execOf(provider);
  const url = keyed ? place.keyedUrl : place.url;
  const openai = basePath('openai', provider);
  return {
    ...Object.fromEntries([...keys, ...detours].map((name) => [name, undefined])),
    ...(openai !== undefined && {
      OPENAI_API_KEY: place.key,
      OPENAI_BASE_URL: url + openai,
      OPENAI_API_BASE: url + openai,
    }),
    ...addressesAt(`${url}/${provider}`, addresses),
    ...addressesAt(`${place.keyedUrl}/${provider}`, keyedAddresses),
    ...(keysOf?.(place.key) ?? Object.fromEntries(keys.map((name) => [name, place.key]))),
  };
}

function addressesAt(base: string, paths: Readonly<Record<string, string>>): Variables {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, base + path]));
}

/** Returns a provider's base path for clients of an API, or undefined if the provider does not support the API. */
export function basePath(api: Api, provider: ProviderName): string | undefined {
  const path = providers[provider].basePaths[api];
  return path === undefined ? undefined : `/${provider}${path}`;
}

export function speakersOf(api: Api): readonly ProviderName[] {
  return PROVIDER_NAMES.filter((name) => basePath(api, name) !== undefined);
}
