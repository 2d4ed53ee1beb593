import { applyEdits } from '../json/edit.ts';
import type { Parsed } from '../pipeline/exchange.ts';
import { HEADER, HEADER_PREFIX } from '../headers.ts';
import type { Upstream } from '../routing/upstreams.ts';
import { signSigV4 } from '../signing/sigv4.ts';
import type { StreamContext } from './context.ts';
import type { ProcessingResponse } from './proto.ts';
import { forwardRequest } from './respond.ts';

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

const NOTHING = Buffer.alloc(0);

/** `x-goog-`: a field mask can leave usage out of an answer, and others encode it. */
const STRIPPED_PREFIXES = [HEADER_PREFIX, 'x-forwarded-', 'x-envoy-', 'proxy-', 'x-amz-', 'x-goog-'];
/** Of those prefixes: what Envoy's re-routing needs (its route strips it), and two of Google's that change nothing. */
const SPARED: ReadonlySet<string> = new Set([
  'x-forwarded-proto',
  'x-forwarded-for',
  'x-goog-api-client',
  'x-goog-user-project',
]);

/**
 * The last step of a request: the edits are applied once, the one credential is set, everything of the client's
 * that may not travel is taken out, and the request gate's verdict is given.
 * @param masked the body with the proxy key overwritten, where it held one
 */
export function forward(
  context: StreamContext,
  exchange: Parsed,
  phase: 'request_headers' | 'request_body',
  masked?: Buffer,
): ProcessingResponse {
  const { target } = context;
  if (target === undefined) throw new Error('a request is forwarded before it was routed');
  const edited = exchange.edits.length > 0 ? applyEdits(exchange.body, exchange.edits) : masked;
  const path = target.upstream.basePath + exchange.path + exchange.query;
  const set: [string, string][] = [
    [':path', path],
    [':authority', target.upstream.authority],
    [HEADER.upstream, target.upstream.cluster],
    ...credentialHeaders(exchange, target.upstream, path, edited ?? exchange.body),
  ];
  if (edited !== undefined) set.push(['content-length', String(edited.length)]);
  const setNames = new Set(set.map(([name]) => name));
  const remove = [...exchange.headers.keys()].filter((name) => isStripped(name) && !setNames.has(name));
  context.progress = 'forwarded';
  exchange.body = NOTHING;
  exchange.json = {};
  exchange.facts.prompt = undefined;
  return forwardRequest(phase, { set, remove }, edited);
}

function isStripped(name: string): boolean {
  if (SPARED.has(name)) return false;
  // An underscore reads as a hyphen to some servers, and would bring a stripped header back.
  return (
    STRIPPED.has(name) || name.includes('_') || STRIPPED_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}

function credentialHeaders(
  exchange: Parsed,
  upstream: Upstream,
  path: string,
  body: Buffer,
): [string, string][] {
  if (exchange.providerKey === undefined) return [];
  const credential = exchange.provider.credential(exchange.providerKey);
  if (credential.kind === 'header') return [[credential.name, credential.value]];
  return Object.entries(
    signSigV4({ credential, method: exchange.method, authority: upstream.authority, path, body }),
  );
}
