import { stringify } from 'yaml';

import type { Api } from '../providers/descriptor.ts';
import { providers, type Provider, type ProviderName } from '../providers/registry.ts';
import { basePath, providerVariables, type ForwarderPlace, type Variables } from './provider-variables.ts';

/** Settings, in addition to the provider's variables, that make a program use only the forwarder. */
export interface Wiring {
  readonly env?: Variables;
  /** Inserted before the user's arguments. Must not contain keys: all users of the machine can read arguments. */
  readonly args?: readonly string[];
  /** Contents of files in the run's private folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface AgentRun {
  readonly provider: ProviderName;
  readonly place: ForwarderPlace;
  /** Value of `--model-override`. */
  readonly model: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  file(name: string): string;
}

/** A program that exec recognizes by the name of its executable. */
export interface KnownAgent {
  /** Used if `GATEWAY_PROVIDER` is not set. */
  readonly provider: ProviderName;
  /** The only API that the program supports. Absent if the program has a client for each provider. */
  readonly speaks?: Api;
  wire(run: AgentRun): Wiring;
}

const claude: KnownAgent = {
  provider: 'anthropic',
  speaks: 'anthropic',
  wire: ({ provider, place }) => ({
    env: {
      ANTHROPIC_BASE_URL: place.url + apiPath('anthropic', provider),
      // With ANTHROPIC_API_KEY, Claude Code would ask the user for confirmation.
      ANTHROPIC_AUTH_TOKEN: place.key,
      ANTHROPIC_API_KEY: undefined,
      CLAUDE_CODE_OAUTH_TOKEN: undefined,
      CLAUDE_CODE_USE_BEDROCK: undefined,
      CLAUDE_CODE_USE_VERTEX: undefined,
      CLAUDE_CODE_USE_FOUNDRY: undefined,
    },
  }),
};

/** Reads only its key from the environment; the base URL is a setting. */
const codex: KnownAgent = {
  provider: 'openai',
  speaks: 'openai',
  wire: ({ provider, place }) => {
    const settings = {
      name: 'gateway',
      base_url: place.url + apiPath('openai', provider),
      wire_api: 'responses',
      env_key: 'OPENAI_API_KEY',
    };
    const table = Object.entries(settings).map(([name, value]) => [
      '-c',
      `model_providers.gateway.${name}=${JSON.stringify(value)}`,
    ]);
    return { args: ['-c', 'model_provider="gateway"', ...table.flat()] };
  },
};

/** After a sign-in with Google, Gemini CLI uses another URL unless system settings select the API key. */
const gemini: KnownAgent = {
  provider: 'gemini',
  speaks: 'gemini',
  wire: ({ env, file }) => {
    const settings = 'gemini-settings.json';
    const auth = { security: { auth: { selectedType: 'gemini-api-key' } } };
    return {
      env: {
        GOOGLE_API_KEY: undefined,
        ...(env['GEMINI_CLI_SYSTEM_SETTINGS_PATH'] === undefined && {
          GEMINI_CLI_SYSTEM_SETTINGS_PATH: file(settings),
        }),
      },
      files: { [settings]: JSON.stringify(auth) },
    };
  },
};

/** A stored key overrides the variable, so the URL contains the forwarder's key. */
const qwen: KnownAgent = {
  provider: 'openai',
  speaks: 'openai',
  wire: ({ provider, place, model }) => ({
    env: {
      OPENAI_BASE_URL: place.keyedUrl + apiPath('openai', provider),
      OPENAI_API_KEY: place.key,
      ...(model !== undefined && { OPENAI_MODEL: model }),
    },
    args: ['--auth-type', 'openai'],
  }),
};

/** Settings files, and keys in `.env`, override all variables except aider's own. */
const aider: KnownAgent = {
  provider: 'openai',
  wire: ({ provider, place }) => {
    const variables = providerVariables(provider, place, true);
    const base = variables['OPENAI_API_BASE'];
    return { env: { ...variables, ...(base !== undefined && { AIDER_OPENAI_API_BASE: base }) } };
  },
};

const llm: KnownAgent = {
  provider: 'openai',
  wire: ({ provider, place }) => ({ env: providerVariables(provider, place, true) }),
};

/** The AI SDK expects the API version in the base URL, and has different names for some providers. */
const opencode: KnownAgent = {
  provider: 'openai',
  wire: ({ provider, place, env }) => {
    const name = provider === 'gemini' ? 'google' : provider;
    const base = { anthropic: '/anthropic/v1', gemini: '/gemini/v1beta', cohere: '/cohere/v2' };
    const path = Object.hasOwn(base, provider)
      ? base[provider as keyof typeof base]
      : apiPath('openai', provider);
    const options = { baseURL: place.keyedUrl + path, apiKey: place.key };
    const content = withMembers(env['OPENCODE_CONFIG_CONTENT'], ['provider', name, 'options'], options);
    return { env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(content) } };
  },
};

const goose: KnownAgent = {
  provider: 'openai',
  wire: ({ provider, place }) => {
    if (provider === 'anthropic') {
      return { env: { GOOSE_PROVIDER: 'anthropic', ANTHROPIC_HOST: `${place.url}/anthropic` } };
    }
    if (provider === 'gemini') {
      return { env: { GOOSE_PROVIDER: 'google', GOOGLE_HOST: `${place.url}/gemini` } };
    }
    return {
      env: {
        GOOSE_PROVIDER: 'openai',
        OPENAI_HOST: place.url,
        OPENAI_BASE_PATH: `${apiPath('openai', provider).slice(1)}/chat/completions`,
      },
    };
  },
};

const crush: KnownAgent = {
  provider: 'openai',
  wire: ({ provider, place }) => {
    const path =
      basePath('anthropic', provider) ?? basePath('gemini', provider) ?? apiPath('openai', provider);
    return { env: { [`${provider.toUpperCase()}_API_ENDPOINT`]: place.url + path } };
  },
};

/** Reads its base URL only from a settings file. */
const cline: KnownAgent = {
  provider: 'openai',
  speaks: 'openai',
  wire: ({ provider, place, model, file }) => {
    const name = 'cline-providers.json';
    const settings = {
      provider: 'openai-compatible',
      apiKey: place.key,
      model: overrideModel(provider, model),
      baseUrl: place.url + apiPath('openai', provider),
    };
    const providers = {
      version: 1,
      lastUsedProvider: 'openai-compatible',
      modes: {},
      providers: {
        'openai-compatible': { settings, updatedAt: new Date().toISOString(), tokenSource: 'manual' },
      },
    };
    return {
      env: { CLINE_PROVIDER_SETTINGS_PATH: file(name) },
      files: { [name]: JSON.stringify(providers) },
    };
  },
};

/** Reads its base URL only from the file in `--config`, which the user may have set. */
const continueCli: KnownAgent = {
  provider: 'openai',
  speaks: 'openai',
  wire: ({ provider, place, model, args, file }) => {
    if (args.some((arg) => arg === '--config' || arg.startsWith('--config='))) return {};
    const name = 'continue.yaml';
    const modelName = overrideModel(provider, model);
    const config = {
      name: 'Gateway',
      version: '1.0.0',
      schema: 'v1',
      models: [
        {
          name: modelName,
          provider: 'openai',
          model: modelName,
          apiBase: place.url + apiPath('openai', provider),
          apiKey: place.key,
          roles: ['chat'],
          capabilities: ['tool_use'],
        },
      ],
    };
    return { args: ['--config', file(name)], files: { [name]: stringify(config) } };
  },
};

const deepseek: KnownAgent = { provider: 'deepseek', speaks: 'openai', wire: () => ({}) };

const AGENTS: ReadonlyMap<string, KnownAgent> = new Map([
  ['claude', claude],
  ['codex', codex],
  ['gemini', gemini],
  ['qwen', qwen],
  ['aider', aider],
  ['llm', llm],
  ['opencode', opencode],
  ['goose', goose],
  ['crush', crush],
  ['cline', cline],
  ['cn', continueCli],
  ['continue', continueCli],
  ['deepseek', deepseek],
]);

export const AGENT_NAMES: readonly string[] = [...AGENTS.keys()];

/** Looks up the executable of a command, ignoring folder, letter case and file extension. */
export function knownAgent(command: string): KnownAgent | undefined {
  const name = command.split(/[/\\]/).at(-1) ?? '';
  return AGENTS.get(name.toLowerCase().replace(/\.(exe|cmd|ps1|js|mjs|cjs|py)$/, ''));
}

function apiPath(api: Api, provider: ProviderName): string {
  const path = basePath(api, provider);
  if (path === undefined) throw new Error(`${provider} has no base path for ${api} clients`);
  return path;
}

function overrideModel(provider: ProviderName, override: string | undefined): string {
  const model = override ?? (providers[provider] as Provider).exec.model;
  if (model !== undefined) return model;
  throw new Error(`set --model-override to a ${provider} model: this program needs one`);
}

type Members = Readonly<Record<string, unknown>>;

/** Adds members, at a path, to JSON settings that the user may have set. */
function withMembers(json: string | undefined, path: readonly string[], members: Members): Members {
  function into(value: unknown, [step, ...rest]: readonly string[]): Members {
    const own = typeof value === 'object' && value !== null ? (value as Members) : {};
    return step === undefined ? { ...own, ...members } : { ...own, [step]: into(own[step], rest) };
  }
  return into(parsedSettings(json), path);
}

function parsedSettings(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? '{}');
  } catch (cause) {
    throw new Error('OPENCODE_CONFIG_CONTENT is not JSON: correct or unset it', { cause });
  }
}
