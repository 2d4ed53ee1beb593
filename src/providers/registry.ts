import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { bedrock } from './bedrock.ts';
import { cohere } from './cohere.ts';
import { deepseek } from './deepseek.ts';
import { fireworks } from './fireworks.ts';
import { gemini } from './gemini.ts';
import { groq } from './groq.ts';
import { mistral } from './mistral.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import type { Provider, ProviderName } from './provider.ts';
import { together } from './together.ts';
import { vllm } from './vllm.ts';
import { xai } from './xai.ts';

/** Providers by name. A missing one does not compile. */
export const providers: Readonly<Record<ProviderName, Provider>> = {
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
