import { HEADER_PREFIX } from '../../headers.ts';

/** Client headers that never go upstream: credentials, identities, and what could reroute a request. */
const STRIPPED: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
  'dpop',
  'baggage',
  'forwarded',
  'via',
  'x-real-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
  'amz-sdk-invocation-id',
  'amz-sdk-request',
]);

/** `x-goog-`: a field mask can leave usage out of an answer, and others encode it. */
const STRIPPED_PREFIXES = [HEADER_PREFIX, 'x-forwarded-', 'x-envoy-', 'proxy-', 'x-amz-', 'x-goog-'];
/** Of those prefixes: what Envoy's re-routing needs (its route strips it), and two of Google's that change nothing. */
const SPARED: ReadonlySet<string> = new Set([
  'x-forwarded-proto',
  'x-forwarded-for',
  'x-goog-api-client',
  'x-goog-user-project',
]);

/** True for a client header that may not travel on. */
export function isStripped(name: string): boolean {
  if (SPARED.has(name)) return false;
  // An underscore reads as a hyphen to some servers, and would bring a stripped header back.
  return (
    STRIPPED.has(name) || name.includes('_') || STRIPPED_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}
