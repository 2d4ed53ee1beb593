import type { ProviderName } from '../providers/provider.ts';

/** The APIs that programs speak. */
export type Api = 'openai' | 'anthropic' | 'gemini';

/** Where each provider's requests go, after the address, as a client of that API wants its base URL. */
const BASES: Readonly<Record<Api, Readonly<Partial<Record<ProviderName, string>>>>> = {
  openai: {
    openai: '/openai/v1',
    azure: '/azure/openai/v1',
    gemini: '/gemini/v1beta/openai',
    cohere: '/cohere/compatibility/v1',
    deepseek: '/deepseek/v1',
    mistral: '/mistral/v1',
    groq: '/groq/v1',
    together: '/together/v1',
    ollama: '/ollama/v1',
    fireworks: '/fireworks/v1',
    xai: '/xai/v1',
    vllm: '/vllm/v1',
    openrouter: '/openrouter/v1',
  },
  anthropic: { anthropic: '/anthropic', deepseek: '/deepseek/anthropic', openrouter: '/openrouter' },
  gemini: { gemini: '/gemini' },
};

/** The base path of a provider for clients of an API; undefined where it does not speak that. */
export function basePath(api: Api, provider: ProviderName): string | undefined {
  return BASES[api][provider];
}

/** Every provider that speaks an API. */
export function speakersOf(api: Api): readonly ProviderName[] {
  return Object.keys(BASES[api]) as ProviderName[];
}
