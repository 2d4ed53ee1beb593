import { applyEditsInTurns } from '../../json/edit.ts';
import { HEADER } from '../../headers.ts';
import { isMirrored, mirroredAfter } from '../../mcp/mirrored.ts';
import { isCarried } from '../../pipeline/carried.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JsonObject } from '../../providers/provider.ts';
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
  /** Whether a client header travels on. */
  readonly passes: (name: string) => boolean;
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
  for (const [name, value] of trace?.upstreamHeaders ?? []) {
    if (exchange.withheldHeaders?.has(name) !== true) set.set(name, value);
  }
  const remove: string[] = [];
  for (const name of exchange.headers.keys()) if (!sent.passes(name) && !set.has(name)) remove.push(name);
  context.state = { ...state, at: 'forwarded' };
  exchange.body = NOTHING;
  exchange.json = {};
  exchange.facts.prompt = undefined;
  exchange.facts.judged = undefined;
  exchange.facts.judgedAgain = undefined;
  return forwardRequest(phase, { set, remove }, edited);
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
  return { set, passes: (name) => isSent(exchange, name) };
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
    passes: (name) =>
      // Without a body there is nothing to repeat. MCP names headers after arguments, underscores and all.
      isMirrored(name) ? request.mcp !== undefined && !mirrored.has(name) : isSent(exchange, name),
  };
}

function credentialHeaders(exchange: Parsed, authority: string, path: string, body: Buffer): HeaderList {
  if (exchange.providerKey === undefined) return [];
  const credential = exchange.provider.credential(exchange.providerKey);
  if (credential.kind === 'header') return [[credential.name, credential.value]];
  return Object.entries(signSigV4({ credential, method: exchange.method, authority, path, body }));
}

/** Framing, and Envoy's own: it reads some of them when it routes again, and its route takes those out. */
const ENVOYS: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-request-id',
]);

/** True for a client header that may travel on: a list of those that may, since no list of the others is complete. */
function isSent(exchange: Parsed, name: string): boolean {
  if (ENVOYS.has(name)) return true;
  return isCarried(exchange, name) && exchange.withheldHeaders?.has(name) !== true;
}
