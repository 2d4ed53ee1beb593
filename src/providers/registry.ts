import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { bedrock } from './bedrock.ts';
import { cohere } from './cohere.ts';
import { deepseek } from './deepseek.ts';
import type { Descriptor } from './descriptor.ts';
import { fireworks } from './fireworks.ts';
import { gemini } from './gemini.ts';
import { groq } from './groq.ts';
import { mistral } from './mistral.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import { together } from './together.ts';
import { vllm } from './vllm.ts';
import { xai } from './xai.ts';

/** All providers, in the order used in messages and pages. */
const all = {
  openai,
  anthropic,
  gemini,
  bedrock,
  azure,
  mistral,
  groq,
  cohere,
  deepseek,
  together,
  ollama,
  fireworks,
  xai,
  vllm,
  openrouter,
};

export type ProviderName = keyof typeof all;

export type Provider = Descriptor<ProviderName>;

/** Providers by name. A key that differs from its descriptor's name does not compile. */
export const providers: { readonly [Name in ProviderName]: Descriptor<Name> } = all;

export const PROVIDER_NAMES = Object.keys(providers) as readonly ProviderName[];

export function fromProviders<Derived>(
  make: (provider: Provider) => Derived,
): Readonly<Record<ProviderName, Derived>> {
  const entries = Object.values<Provider>(providers).map((provider) => [provider.name, make(provider)]);
  return Object.fromEntries(entries) as Record<ProviderName, Derived>;
}
