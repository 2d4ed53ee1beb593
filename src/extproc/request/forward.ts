import { applyEditsInTurns } from '../../json/edit.ts';
import { HEADER } from '../../headers.ts';
import { isMirrored, mirroredAfter } from '../../mcp/mirrored.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { McpUpstream, ProviderUpstream } from '../../routing/upstreams.ts';
import type { Signer } from '../../signing/signer.ts';
import type { StreamContext } from '../context.ts';
import type { At } from '../state.ts';
import type { HeaderList, ProcessingResponse } from '../wire/messages.ts';
import { sendAttempts } from './attempts.ts';
import {
  contentType,
  credentialHeaders,
  emptyForwarded,
  idempotencyHeaders,
  requestChanges,
  isSent,
  noteServed,
} from './sent-headers.ts';
import { forwardRequest } from '../reply/respond.ts';

type RequestPhase = 'request_headers' | 'request_body';

interface Sent {
  readonly set: HeaderList;
  readonly passes: (name: string) => boolean;
}

/**
 * Last step of a request: applies the edits, sets the upstream's credentials, removes headers that must not be
 * forwarded, and returns the request gate's verdict.
 * @param masked the body with the proxy key overwritten, if it contained one
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
  const fallbacks = (state.fallbacks ?? []).filter((fallback) =>
    exchange.fallbacks?.includes(fallback.exchange),
  );
  if (fallbacks.length > 0) return sendAttempts(context, { ...state, fallbacks }, masked);
  // Without fallbacks, the target's own edits may change the shared body.
  exchange.edits.push(...(exchange.ownEdits ?? []));
  if (signer !== undefined) return signAndSend(context, state, phase, { masked, signer });
  if (exchange.edits.length === 0) return send(context, state, phase, masked);
  return applyEditsInTurns(exchange.body, exchange.edits).then((body) => send(context, state, phase, body));
}

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

/** @param edited undefined if the body is unchanged */
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
  const changes = requestChanges(context, exchange, set, sent.passes);
  context.state = { ...state, at: 'forwarded' };
  noteServed(exchange);
  emptyForwarded(exchange);
  return forwardRequest(phase, changes, edited);
}

function toProvider(exchange: Parsed, upstream: ProviderUpstream, body: Buffer): Sent {
  const path = upstream.basePath + exchange.path + exchange.query;
  const set: HeaderList = [
    [':path', path],
    ...idempotencyHeaders(exchange),
    ...credentialHeaders(exchange, upstream.authority, path, body),
  ];
  return { set, passes: (name) => isSent(exchange, name) };
}

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
      // Requests without a body mirror nothing. Mirrored header names may contain underscores, because MCP derives them
      // from argument names.
      isMirrored(name) ? request.mcp !== undefined && !mirrored.has(name) : isSent(exchange, name),
  };
}
