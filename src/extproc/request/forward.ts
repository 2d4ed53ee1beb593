import { applyEditsInTurns } from '../../json/edit.ts';
import { HEADER, HEADER_PREFIX } from '../../headers.ts';
import { isMirrored, mirroredAfter } from '../../mcp/mirrored.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JsonObject } from '../../providers/provider.ts';
import type { Target } from '../../routing/target.ts';
import type { McpUpstream, ProviderUpstream } from '../../routing/upstreams.ts';
import type { Signer } from '../../signing/signer.ts';
import { signSigV4 } from '../../signing/sigv4.ts';
import type { StreamContext } from '../context.ts';
import type { At } from '../state.ts';
import type { HeaderList, ProcessingResponse } from '../wire/messages.ts';
import { bodyForm, isJson, JSON_TYPE } from './request-form.ts';
import { forwardRequest } from '../reply/respond.ts';

const NOTHING = Buffer.alloc(0);

type RequestPhase = 'request_headers' | 'request_body';

/** What one kind of upstream is sent beside the body. */
interface Sent {
  readonly set: HeaderList;
  readonly isRemoved: (name: string) => boolean;
}

/**
 * The last step of a request: the edits are applied once, the upstream's own credentials are set, everything of the
 * client's that may not travel is taken out, and the request gate's verdict is given.
 * @param masked the body with the proxy key overwritten, where it held one
 */
export function forward(
  context: StreamContext,
  state: At<'parsed'>,
  phase: RequestPhase,
  masked?: Buffer,
): ProcessingResponse | Promise<ProcessingResponse> {
  const { audited } = context.services;
  return audited === undefined
    ? sendEdited(context, state, phase, masked)
    : audited
        .forwarding(state.exchange, context.knownLosses)
        .then(() => sendEdited(context, state, phase, masked));
}

function sendEdited(
  context: StreamContext,
  state: At<'parsed'>,
  phase: RequestPhase,
  masked: Buffer | undefined,
): ProcessingResponse | Promise<ProcessingResponse> {
  const { signer } = context.services;
  const { exchange } = state;
  if (signer !== undefined) return signAndSend(context, state, phase, { masked, signer });
  if (exchange.edits.length === 0) return send(context, state, phase, masked);
  return applyEditsInTurns(exchange.body, exchange.edits).then((body) => send(context, state, phase, body));
}

/** The signature is of what goes upstream, so it comes after every edit. */
async function signAndSend(
  context: StreamContext,
  state: At<'parsed'>,
  phase: RequestPhase,
  { masked, signer }: { readonly masked: Buffer | undefined; readonly signer: Signer },
): Promise<ProcessingResponse> {
  const { exchange } = state;
  const edited =
    exchange.edits.length === 0 ? masked : await applyEditsInTurns(exchange.body, exchange.edits);
  const body = edited ?? exchange.body;
  const signature = await signer.request(body, exchange.requestId);
  context.signed = {
    ...context.signed,
    upstreamDigest: signer.digest(body),
    policySet: exchange.facts.judged?.set.digest,
  };
  return send(context, state, phase, edited, signature);
}

/** @param edited undefined where the body goes out as it came */
function send(
  context: StreamContext,
  state: At<'parsed'>,
  phase: RequestPhase,
  edited: Buffer | undefined,
  signature?: string,
): ProcessingResponse {
  const { exchange, target } = state;
  const { upstream } = target;
  const sent =
    target.kind === 'mcp'
      ? toServer(exchange, target.upstream, edited)
      : toProvider(exchange, target.upstream, edited ?? exchange.body);
  const set = new Map([
    [':authority', upstream.authority],
    [HEADER.upstream, upstream.cluster],
    ...contentType(exchange),
    ...sent.set,
    ...(edited === undefined ? [] : ([['content-length', String(edited.length)]] as const)),
    ...(signature === undefined ? [] : ([[HEADER.signature, signature]] as const)),
  ]);
  const { trace } = context;
  if (trace !== undefined) for (const [name, value] of trace.upstreamHeaders) set.set(name, value);
  const isRemoved = (name: string): boolean =>
    sent.isRemoved(name) || (trace !== undefined && isTraceHeader(name));
  const remove: string[] = [];
  for (const name of exchange.headers.keys()) if (isRemoved(name) && !set.has(name)) remove.push(name);
  context.state = { ...state, at: 'forwarded' };
  exchange.body = NOTHING;
  exchange.json = {};
  exchange.facts.prompt = undefined;
  exchange.facts.judged = undefined;
  exchange.facts.judgedAgain = undefined;
  return forwardRequest(phase, { set, remove }, edited);
}

/** A client's own go no further: what is sent says whose child the upstream's span is. */
function isTraceHeader(name: string): boolean {
  return name === 'traceparent' || name === 'tracestate';
}

/** What was read as JSON is sent as JSON, so that nobody behind us reads it as something else. */
function contentType({ endpoint, headers, method }: Parsed): HeaderList {
  const told = headers.get('content-type');
  const isUntold = method === 'POST' && !isJson(told) && bodyForm(told, endpoint) === 'json';
  return isUntold ? [['content-type', JSON_TYPE]] : [];
}

function toProvider(exchange: Parsed, upstream: ProviderUpstream, body: Buffer): Sent {
  const path = upstream.basePath + exchange.path + exchange.query;
  const set: HeaderList = [[':path', path], ...credentialHeaders(exchange, upstream.authority, path, body)];
  return { set, isRemoved: isStripped };
}

/** The server's own address, whatever the client's was, and the headers that it is configured with. */
function toServer(exchange: Parsed, upstream: McpUpstream, edited: Buffer | undefined): Sent {
  const { headers, json, request } = exchange;
  const isEdited = edited !== undefined && exchange.edits.length > 0;
  const mirrored = isEdited
    ? mirroredAfter(headers, json, () => JSON.parse(edited.toString()) as JsonObject)
    : new Map<string, string | undefined>();
  const rewritten = [...mirrored].flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    set: [[':path', upstream.path], ...rewritten, ...upstream.headers],
    isRemoved: (name) =>
      // Without a body there is nothing to repeat. MCP names headers after arguments, underscores and all.
      isMirrored(name)
        ? request.mcp === undefined || mirrored.has(name)
        : isStripped(name) || tellsOfPage(name),
  };
}

/** What a browser tells of its page was judged here; a server that judged it again would take the gateway's address for the page's own. */
function tellsOfPage(name: string): boolean {
  return name === 'origin' || name === 'referer' || name.startsWith('sec-');
}

function credentialHeaders(exchange: Parsed, authority: string, path: string, body: Buffer): HeaderList {
  if (exchange.providerKey === undefined) return [];
  const credential = exchange.provider.credential(exchange.providerKey);
  if (credential.kind === 'header') return [[credential.name, credential.value]];
  return Object.entries(signSigV4({ credential, method: exchange.method, authority, path, body }));
}

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

/** Whether a client header may go upstream; of MCP's own, those that repeat the body may be set anew. */
export function mayTravel(name: string, kind: Target['kind']): boolean {
  if (kind === 'mcp') return isMirrored(name) || !(isStripped(name) || tellsOfPage(name));
  return !isStripped(name);
}

/** True for a client header that may not travel on. */
function isStripped(name: string): boolean {
  if (SPARED.has(name)) return false;
  // An underscore reads as a hyphen to some servers, and would bring a stripped header back.
  return (
    STRIPPED.has(name) || name.includes('_') || STRIPPED_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}
