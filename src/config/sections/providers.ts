import * as z from 'zod';
import { type ProviderName, PROVIDER_NAMES } from '../../providers/provider.ts';
import { baseUrl, filePath, section, authority, duration } from '../fields.ts';
import { hostedToolsSettings } from '../../checks/hosted-tools/config.ts';
import { remoteContentSettings } from '../../checks/remote-content/config.ts';

const provider = section({
  /** Unset: the provider's public API. */
  base_url: baseUrl.optional(),
  /** PEM bundle to verify upstream TLS, instead of the system's. */
  ca_file: filePath.optional(),
}).prefault({});

const azure = section({
  /** URL of the resource, `https://<name>.openai.azure.com`. Required to use azure. */
  base_url: baseUrl.optional(),
  ca_file: filePath.optional(),
  /** Maps deployment names to model names, for prices and allowed models. */
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

/** Matches a method and a path with its provider: `POST /openai/v1/audio/*`. */
export const UNKNOWN_ENDPOINT_PATTERN = new RegExp(
  `^(GET|POST) (/(?:${PROVIDER_NAMES.join('|')})(?:/[A-Za-z0-9_~@:.*-]+)+)$`,
);

const unknownEndpoint = z.string().regex(UNKNOWN_ENDPOINT_PATTERN, {
  error:
    'must be a method and a path with its provider, such as `POST /openai/v1/audio/*`; `*` matches one segment, a final `**` any number',
});

/** Endpoints and features that may pass to the providers (docs/routing.md). */
export const proxy = section({
  /** Limits the wait for response headers, the silence between chunks, and the total time of an unstreamed answer. */
  upstream_timeout: duration('300s'),
  /** Endpoints that the gateway cannot inspect: none, all of hosted providers, or a list of patterns. */
  unknown_endpoints: z
    .union([z.enum(['deny', 'allow']), z.array(unknownEndpoint)], {
      error: 'must be deny, allow, or a list of patterns such as `POST /openai/v1/audio/*`',
    })
    .default('deny'),
  ...hostedToolsSettings,
  ...remoteContentSettings,
  /** Transparent egress: maps host names to providers. If set, only these hosts are served. */
  authorities: z.record(authority, z.enum(PROVIDER_NAMES)).default({}),
}).prefault({});
