import { HEADER_PREFIX } from './headers.ts';

/** Frames and dates an answer, or tells a proxy before the gateway how to hand it on. */
const OF_EVERY_ANSWER = [
  'allow',
  'cache-control',
  'content-length',
  'content-type',
  'date',
  'retry-after',
  'x-accel-buffering',
];

/** What an MCP client needs beside these, and all that it gets (docs/mcp-web.md). */
const OF_SERVERS: ReadonlySet<string> = new Set([
  ...OF_EVERY_ANSWER,
  'mcp-session-id',
  'mcp-protocol-version',
]);

/** What SDKs of providers read or show, by whole name (docs/routing.md). */
const OF_PROVIDERS: ReadonlySet<string> = new Set([
  ...OF_EVERY_ANSWER,
  'accept-ranges',
  'apim-request-id',
  'cf-ray',
  'content-disposition',
  'content-language',
  'content-range',
  'deprecation',
  'mistral-correlation-id',
  'request-id',
  'retry-after-ms',
  'sunset',
  'x-amz-cf-id',
  'x-amz-id-2',
  'x-amz-request-id',
  'x-api-warning',
  'x-azure-ref',
  'x-debug-trace-id',
  'x-ds-trace-id',
  'x-generation-id',
  'x-kong-request-id',
  'x-request-id',
  'x-should-retry',
  'x-zero-data-retention',
]);

/** The same by the beginning of the name. */
const FAMILIES_OF_PROVIDERS = [
  'anthropic-',
  'azure-openai-',
  'azureml-',
  'fireworks-',
  'openai-',
  'ratelimit',
  'x-amzn-',
  'x-endpoint-monthly-call-',
  'x-gemini-',
  'x-groq-',
  'x-ms-',
  'x-openrouter-',
  'x-ratelimit',
  'x-rate-limit',
  'x-together-',
  'x-tokenlimit-',
  'x-trial-endpoint-call-',
];

/** Names within those families, or of the gateway's own, that must not pass: AWS hides `www-authenticate` in one. */
const REFUSED_FAMILIES = [HEADER_PREFIX, 'x-amzn-remapped-'];

/** With any other word a shared cache before the gateway could give one key's answer to another. */
const LIMITS_CACHES: ReadonlySet<string> = new Set([
  'no-cache',
  'no-store',
  'no-transform',
  'private',
  'must-revalidate',
  'max-age=0',
]);

/** Providers send the same names with every answer. */
const known = new Map<string, boolean>();
const MAX_KNOWN = 256;

/** Who an answer comes from. */
export type AnswerSource = 'provider' | 'mcp';

/**
 * Whether a header of an answer (lower-case name) may reach the client. An allowlist: any other header could make its
 * reader follow an address, keep a cookie or obey a rule on behalf of the gateway's own origin.
 */
export function isShown(name: string, value: string, source: AnswerSource): boolean {
  if (name === 'cache-control')
    return value.split(',').every((word) => LIMITS_CACHES.has(word.trim().toLowerCase()));
  if (source === 'mcp') return OF_SERVERS.has(name);
  const remembered = known.get(name);
  if (remembered !== undefined) return remembered;
  const shown = isOfProviders(name);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(name, shown);
  return shown;
}

function isOfProviders(name: string): boolean {
  if (REFUSED_FAMILIES.some((family) => name.startsWith(family))) return false;
  return OF_PROVIDERS.has(name) || FAMILIES_OF_PROVIDERS.some((family) => name.startsWith(family));
}
