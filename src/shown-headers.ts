import { HEADER_PREFIX } from './headers.ts';

/** Headers shown from every source: framing, date, and instructions for clients and proxies. */
const OF_EVERY_ANSWER = [
  'allow',
  'cache-control',
  'content-length',
  'content-type',
  'date',
  'retry-after',
  'x-accel-buffering',
];

/** All headers shown to MCP clients (docs/mcp-web.md). */
const OF_SERVERS: ReadonlySet<string> = new Set([
  ...OF_EVERY_ANSWER,
  'mcp-session-id',
  'mcp-protocol-version',
]);

/** Provider headers that SDKs read or show, by full name (docs/routing.md). */
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

/** Provider headers that SDKs read or show, by prefix. */
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

/** Prefixes that must not pass: the gateway's own, and an AWS prefix that hides `www-authenticate`. */
const REFUSED_FAMILIES = [HEADER_PREFIX, 'x-amzn-remapped-'];

/** With other directives, a shared cache in front of the gateway could serve one key's answer to another. */
const LIMITS_CACHES: ReadonlySet<string> = new Set([
  'no-cache',
  'no-store',
  'no-transform',
  'private',
  'must-revalidate',
  'max-age=0',
]);

// A cache, because providers send the same names with every answer.
const known = new Map<string, boolean>();
const MAX_KNOWN = 256;

export type AnswerSource = 'provider' | 'mcp';

/**
 * Reports whether an answer header (lower-case name) may reach the client. Uses an allowlist, because other headers
 * could make clients follow a URL, keep a cookie or obey a rule under the gateway's own origin.
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
