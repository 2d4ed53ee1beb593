import { providers, type ProviderName } from '../providers/registry.ts';
import type { ExecVariables } from '../providers/descriptor.ts';
import { basePath } from './bases.ts';
import type { Environment } from '../config/environment.ts';

/** Where the forwarder of one run listens, and the key that opens it. */
export interface ForwarderPlace {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** The same with the key in its path, for programs that keep a key of their own which wins over the variable. */
  readonly keyedUrl: string;
  readonly key: string;
}

/** Variables to be set; undefined takes one out. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Wins over the provider's own variables, which another program may need. */
export const PROVIDER_KEY_VARIABLE = 'GATEWAY_PROVIDER_KEY';

/** Every variable that may hold a key of the gateway's or of a provider's. */
export const SECRET_VARIABLES: readonly string[] = [
  'GATEWAY_PROXY_KEY',
  PROVIDER_KEY_VARIABLE,
  ...new Set(Object.values(providers).flatMap(({ exec }) => exec.keys)),
];

/** Returns the provider's own key from the environment. Bedrock's may be `ACCESS:SECRET[:TOKEN]`. */
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

/** The names that an error tells where no key is found. */
export function keyVariables(provider: ProviderName): readonly string[] {
  return [...execOf(provider).keys, PROVIDER_KEY_VARIABLE];
}

/**
 * What sends a program to the forwarder that reads no settings but its environment: the provider's own variables, and
 * OpenAI's where the provider speaks its API.
 * @param keyed true where the key is to stand in the addresses
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
