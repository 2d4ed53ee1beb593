import * as z from 'zod';
import { type ProviderName, PROVIDER_NAMES } from '../../providers/provider.ts';
import { baseUrl, filePath, section, authority, duration } from '../fields.ts';
import { hostedToolsSettings } from '../../checks/hosted-tools/config.ts';
import { remoteContentSettings } from '../../checks/remote-content/config.ts';

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

/** `POST /openai/v1/audio/*`: a method, a provider and its path. */
export const UNKNOWN_ENDPOINT_PATTERN = new RegExp(
  `^(GET|POST) (/(?:${PROVIDER_NAMES.join('|')})(?:/[A-Za-z0-9_~@:.*-]+)+)$`,
);

const unknownEndpoint = z.string().regex(UNKNOWN_ENDPOINT_PATTERN, {
  error:
    'must be a method and a path with its provider, such as `POST /openai/v1/audio/*`; `*` is one segment, `**` at the end any',
});

/** What passes to the providers (docs/routing.md). */
export const proxy = section({
  /** Bounds the wait for an answer's headers, the silence between chunks, and the whole of an unstreamed answer. */
  upstream_timeout: duration('300s'),
  /** Endpoints that the gateway cannot read: none, all of providers that are not self-hosted, or those of a list. */
  unknown_endpoints: z
    .union([z.enum(['deny', 'allow']), z.array(unknownEndpoint)], {
      error: 'must be deny, allow, or a list of patterns such as `POST /openai/v1/audio/*`',
    })
    .default('deny'),
  ...hostedToolsSettings,
  ...remoteContentSettings,
  /** Transparent egress: whom clients ask by host -> provider. Where there are any, nothing else is served. */
  authorities: z.record(authority, z.enum(PROVIDER_NAMES)).default({}),
}).prefault({});
