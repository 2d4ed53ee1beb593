import type { ProviderName } from '../providers/provider.ts';
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

interface ProviderVariables {
  /** Where people keep its key, the most usual name first. */
  readonly keys: readonly string[];
  /** What its own clients read their address from, and the path that they want after it. */
  readonly addresses?: Readonly<Record<string, string>>;
  /** The same for clients that send no key of ours: it stands in the address. */
  readonly keyedAddresses?: Readonly<Record<string, string>>;
  /** Would send its clients somewhere else. */
  readonly detours?: readonly string[];
}

const VARIABLES: Readonly<Record<ProviderName, ProviderVariables>> = {
  openai: {
    keys: ['OPENAI_API_KEY'],
  },
  anthropic: {
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    addresses: { ANTHROPIC_BASE_URL: '/anthropic', ANTHROPIC_API_BASE: '/anthropic' },
    detours: ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
  },
  gemini: {
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    addresses: { GOOGLE_GEMINI_BASE_URL: '/gemini' },
    detours: ['GOOGLE_GENAI_USE_GCA', 'GOOGLE_GENAI_USE_VERTEXAI'],
  },
  bedrock: {
    keys: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
    keyedAddresses: { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: '/bedrock' },
  },
  azure: {
    keys: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
    addresses: { AZURE_OPENAI_ENDPOINT: '/azure', AZURE_API_BASE: '/azure' },
  },
  mistral: { keys: ['MISTRAL_API_KEY'], addresses: { MISTRAL_API_BASE: '/mistral/v1' } },
  groq: { keys: ['GROQ_API_KEY'], addresses: { GROQ_BASE_URL: '/groq', GROQ_API_BASE: '/groq/v1' } },
  cohere: { keys: ['CO_API_KEY', 'COHERE_API_KEY'], addresses: { CO_API_URL: '/cohere' } },
  deepseek: {
    keys: ['DEEPSEEK_API_KEY'],
    addresses: { DEEPSEEK_BASE_URL: '/deepseek', DEEPSEEK_API_BASE: '/deepseek/v1' },
  },
  together: {
    keys: ['TOGETHER_API_KEY', 'TOGETHERAI_API_KEY'],
    addresses: { TOGETHER_BASE_URL: '/together/v1' },
  },
  ollama: {
    keys: ['OLLAMA_API_KEY'],
    keyedAddresses: { OLLAMA_HOST: '/ollama', OLLAMA_API_BASE: '/ollama' },
  },
  fireworks: {
    keys: ['FIREWORKS_API_KEY', 'FIREWORKS_AI_API_KEY'],
    addresses: { FIREWORKS_BASE_URL: '/fireworks/v1', FIREWORKS_API_BASE: '/fireworks/v1' },
  },
  xai: { keys: ['XAI_API_KEY'], addresses: { XAI_BASE_URL: '/xai/v1', XAI_API_BASE: '/xai/v1' } },
  vllm: { keys: ['VLLM_API_KEY'], addresses: { VLLM_API_BASE: '/vllm/v1' } },
  openrouter: {
    keys: ['OPENROUTER_API_KEY'],
    addresses: { OPENROUTER_BASE_URL: '/openrouter/v1', OPENROUTER_API_BASE: '/openrouter/v1' },
  },
};

/** Wins over the provider's own variables, which another program may need. */
export const PROVIDER_KEY_VARIABLE = 'GATEWAY_PROVIDER_KEY';

/** Every variable that may hold a key of the gateway's or of a provider's. */
export const SECRET_VARIABLES: readonly string[] = [
  'GATEWAY_PROXY_KEY',
  PROVIDER_KEY_VARIABLE,
  ...new Set(Object.values(VARIABLES).flatMap(({ keys }) => keys)),
];

/** The provider's own key as the environment has it; Bedrock's as `ACCESS:SECRET[:TOKEN]` where it is no bearer token. */
export function findProviderKey(provider: ProviderName, env: Environment): string | undefined {
  const own = env[PROVIDER_KEY_VARIABLE] ?? '';
  if (own !== '') return own;
  if (provider === 'bedrock') return bedrockKey(env);
  return VARIABLES[provider].keys.map((name) => env[name] ?? '').find((value) => value !== '');
}

function bedrockKey(env: Environment): string | undefined {
  const bearer = env['AWS_BEARER_TOKEN_BEDROCK'] ?? '';
  if (bearer !== '') return bearer;
  const parts = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'].map(
    (name) => env[name] ?? '',
  );
  return parts[0] === '' || parts[1] === '' ? undefined : parts.filter((part) => part !== '').join(':');
}

/** The names that an error tells where no key is found. */
export function keyVariables(provider: ProviderName): readonly string[] {
  return [...VARIABLES[provider].keys, PROVIDER_KEY_VARIABLE];
}

/**
 * What sends a program to the forwarder that reads no settings but its environment: the provider's own variables, and
 * OpenAI's where the provider speaks its API.
 * @param keyed true where the key is to stand in the addresses
 */
export function providerVariables(provider: ProviderName, place: ForwarderPlace, keyed = false): Variables {
  const { keys, addresses = {}, keyedAddresses = {}, detours = [] } = VARIABLES[provider];
  const url = keyed ? place.keyedUrl : place.url;
  const openai = basePath('openai', provider);
  return {
    ...Object.fromEntries([...keys, ...detours].map((name) => [name, undefined])),
    ...(openai !== undefined && {
      OPENAI_API_KEY: place.key,
      OPENAI_BASE_URL: url + openai,
      OPENAI_API_BASE: url + openai,
    }),
    ...Object.fromEntries(Object.entries(addresses).map(([name, path]) => [name, url + path])),
    ...Object.fromEntries(
      Object.entries(keyedAddresses).map(([name, path]) => [name, place.keyedUrl + path]),
    ),
    ...(provider === 'bedrock'
      ? { AWS_BEARER_TOKEN_BEDROCK: place.key, AWS_ACCESS_KEY_ID: 'unused', AWS_SECRET_ACCESS_KEY: 'unused' }
      : dummies(provider, place)),
  };
}

/** Clients of Anthropic would send two headers for two names. */
function dummies(provider: ProviderName, { key }: ForwarderPlace): Variables {
  const { keys } = VARIABLES[provider];
  if (provider === 'anthropic') return { ANTHROPIC_API_KEY: key };
  return Object.fromEntries(keys.map((name) => [name, key]));
}
