import * as z from 'zod';
import type { ProviderName } from '../../providers/provider.ts';
import { baseUrl, filePath, section } from '../fields.ts';

const provider = section({
  /** Unset: the provider's public API. */
  base_url: baseUrl.optional(),
  /** PEM bundle that upstream TLS verifies against, instead of the system's. */
  ca_file: filePath.optional(),
}).prefault({});

const azure = section({
  /** The resource, `https://<name>.openai.azure.com`: without it azure cannot be reached. */
  base_url: baseUrl.optional(),
  ca_file: filePath.optional(),
  /** Deployment name -> model name, for prices and allowed models. */
  deployments: z.record(z.string().min(1), z.string().min(1)).default({}),
}).prefault({});

/** Upstreams (docs/routing.md#upstreams). */
export const providersSection = section({
  openai: provider,
  anthropic: provider,
  gemini: provider,
  bedrock: provider,
  azure,
  mistral: provider,
  groq: provider,
  cohere: provider,
  deepseek: provider,
  together: provider,
  ollama: provider,
  fireworks: provider,
  xai: provider,
  vllm: provider,
  openrouter: provider,
} satisfies Record<ProviderName, z.ZodType>).prefault({});
