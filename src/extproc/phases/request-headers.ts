import { hash } from 'node:crypto';
import type { Identity } from '../../auth/authenticate.ts';
import {
  extractCredentials,
  proxyKeyCarried,
  travellingKeys,
  type Credentials,
  type Travelling,
} from '../../auth/credentials.ts';
import type { KeyRecord } from '../../auth/key-record.ts';
import { namedSession } from '../../conversation/session-name.ts';
import { GatewayError } from '../../errors.ts';
import { HEADER } from '../../headers.ts';
import { corsHeaders, assertOrigin } from '../../mcp/cross-origin.ts';
import { isMirrored } from '../../mcp/mirrored.ts';
import { isCarried, TRACE_STATE } from '../../pipeline/carried.ts';
import type { Admitted, Identified, Parsed } from '../../pipeline/exchange.ts';
import type { Run } from '../../pipeline/run.ts';
import { providers } from '../../providers/registry.ts';
import type { Target } from '../../routing/target.ts';
import { isLogged, type StreamContext } from '../context.ts';
import { withReceipt } from '../reply/answer-headers.ts';
import { awaitRequestBody, refuse, type PhaseReply } from '../reply/respond.ts';
import { forward } from '../request/forward.ts';
import { assertForm, JSON_TYPE } from '../request/request-form.ts';
import { addressWithoutPort, readRequestHead, type RequestHead } from '../request/request-head.ts';
import { isForBrowsers, surfaceOf } from '../request/surface.ts';
import { answerWithoutKey } from '../request/without-key.ts';
import type { At } from '../state.ts';
import type { ProcessingRequest } from '../wire/messages.ts';

const NO_BODY = Buffer.alloc(0);

/**
 * Checks the credentials before the rest of the request, so that a client without a valid key learns nothing about the
 * other checks.
 */
export async function onRequestHeaders(
  context: StreamContext,
  message: ProcessingRequest,
): Promise<PhaseReply> {
  const head = readRequestHead(message.headers);
  const { credentials, path } = receive(context, head, message);
  const keyless = answerWithoutKey(context, head);
  if (keyless !== undefined) return keyless;
  const { admission } = context.services;
  admission.admit(context.caller);
  const run = context.services.newRun();
  const identity = await identify(context, run, credentials.proxyKeys, head);
  if (context.caller !== undefined) admission.served(context.caller);
  const admitted: Admitted = {
    requestId: head.requestId,
    startedAt: context.startedAt,
    method: head.method,
    clientAddress: context.clientAddress,
    headers: head.headers,
    ...identity,
    patience: context.patience,
    responseHeaders: new Map([[HEADER.requestId, head.requestId], ...context.crossOrigin]),
  };
  context.state = { at: 'admitted', exchange: admitted };
  // If only a JWT was sent, its key is known only now.
  if (credentials.proxyKeys.length === 0) context.place?.claimKey(identity.key.keyHash);
  const limited = await run.admit(admitted);
  if (limited !== undefined) return limited;
  if (credentials.proxyKeys.length > 1) throw twoKeys('proxy keys: send only one');

  if (path === undefined) throw unknownAuthority();
  const hasBody = !message.endOfStream;
  const target = context.services.route(head.method, path, credentials.query);
  if (target.kind === 'mcp') {
    assertOrigin(head.headers.get('origin'), head.authority, context.services.settings.allowedOrigins);
  }
  assertOneHost(head.authority);
  assertForm(head, target.endpoint, hasBody, target.maxRequestBytes);

  const { ownRefusal, ...served } = servedBy(
    context,
    target,
    identity.key,
    providerKeysOf(context, credentials),
  );
  const exchange: Identified = {
    ...admitted,
    path: target.path,
    query: target.query,
    endpoint: target.endpoint,
    ...traceStateOf(context),
    ...served,
  };
  const rawKey = credentials.proxyKeys[0] ?? '';
  context.state = { at: 'identified', exchange, run, target, rawKey, ownRefusal, unreadId: null };
  const candidates = travellingKeys(forwardedParts(exchange, target.kind, credentials.query));
  if (candidates.length > 0 && (await context.services.knowsAnyKey(candidates))) throw proxyKeyCarried();
  const denial = await run.requestHeaders(exchange);
  if (denial !== undefined) return denial;
  const own = hasBody ? undefined : ownAnswer(context, exchange, run, ownRefusal !== undefined);
  if (own !== undefined) return own;
  if (!hasBody && ownRefusal !== undefined) throw ownRefusal;
  return hasBody ? awaitRequestBody() : judgeWithoutBody(context, context.state);
}

/** Answers requests about names in `models`, and lists these names if the provider cannot be called. */
function ownAnswer(
  context: StreamContext,
  exchange: Identified,
  run: Run,
  isRefused: boolean,
): PhaseReply | undefined {
  const { aliases } = context.services;
  if (exchange.method !== 'GET' || exchange.endpoint.operation !== 'models') return undefined;
  const answer = aliases?.model(exchange) ?? (isRefused ? aliases?.list(exchange) : undefined);
  if (answer === undefined) return undefined;
  context.state = { at: 'listed', exchange, run };
  context.status = 200;
  const headers = withReceipt(context, 200, [['content-type', JSON_TYPE], ...exchange.responseHeaders]);
  return refuse({ status: 200, body: JSON.stringify(answer) }, headers, isLogged(context));
}

/**
 * Returns the parts of the request, except the body, that are sent upstream. MCP servers get neither path nor query.
 * @param query as received, because a key in it is reported even if the parameter is removed
 */
function forwardedParts(exchange: Identified, kind: Target['kind'], query: string): Travelling {
  const { path, providerKey, headers, traceState } = exchange;
  const travels = (name: string): boolean =>
    isCarried(exchange, name) ||
    (kind === 'mcp' && isMirrored(name)) ||
    (name === TRACE_STATE && traceState !== undefined);
  return { ...(kind === 'mcp' ? { path: '', query: '' } : { path, query }), providerKey, headers, travels };
}

function traceStateOf({ trace }: StreamContext): Pick<Identified, 'traceState'> {
  return trace?.traceState ? { traceState: trace.traceState } : {};
}

function receive(
  context: StreamContext,
  head: RequestHead,
  { attributes }: ProcessingRequest,
): { readonly credentials: Credentials; readonly path: string | undefined } {
  const { authorityPath, places, settings } = context.services;
  context.state = { at: 'received' };
  context.requestId = head.requestId;
  context.clientAddress = addressWithoutPort(attributes.get('source.address') ?? '');
  const credentials = extractCredentials(head.list, head.target, authorityPath && 'headers');
  const path = authorityPath ? authorityPath(head.authority, credentials.path) : credentials.path;
  const [rawKey] = credentials.proxyKeys;
  if (path !== undefined) context.surface = surfaceOf(path);
  if (isForBrowsers(context.surface)) {
    context.crossOrigin = corsHeaders(head.headers.get('origin'), settings.allowedOrigins);
  }
  context.caller = rawKey ?? tokenOf(context, credentials);
  context.place = places.enter(context.clientAddress);
  if (rawKey !== undefined) context.place.claimKey(rawKey);
  return { credentials, path };
}

async function judgeWithoutBody(context: StreamContext, state: At<'identified'>): Promise<PhaseReply> {
  const { exchange, run, target } = state;
  const request = exchange.endpoint.dialect.request({}, exchange.endpoint);
  const parsed: Parsed = { ...exchange, body: NO_BODY, json: {}, request, edits: [] };
  const judged = { at: 'parsed', exchange: parsed, run, target } as const;
  context.state = judged;
  const { signer } = context.services;
  if (signer !== undefined) context.signed = { requestDigest: signer.digest(NO_BODY) };
  const denial = await run.requestBody(parsed);
  return denial ?? forward(context, judged, 'request_headers');
}

type ServedBy = Pick<Identified, 'provider' | 'providerKey' | 'heldCredential' | 'mcp'> &
  Pick<At<'identified'>, 'ownRefusal'>;

/** MCP servers get none of the client's keys. A missing credential is refused later if the body may name an alias. */
function servedBy(
  { services }: StreamContext,
  target: Target,
  key: KeyRecord,
  [providerKey, another]: readonly string[],
): ServedBy {
  if (target.kind === 'mcp') {
    const provider = providers[key.provider];
    return { provider, providerKey: undefined, mcp: target.mcp, ownRefusal: undefined };
  }
  const { provider } = target.upstream;
  if (another !== undefined) throw twoKeys('provider keys: send only one, in X-Gateway-Provider-Key');
  try {
    const chosen = services.providerCredentials.choose(key, provider, providerKey);
    return { provider, ...chosen, ownRefusal: undefined };
  } catch (cause) {
    const mayBeAlias = providerKey === undefined && services.aliases?.mayName(target) === true;
    if (!mayBeAlias || !(cause instanceof GatewayError)) throw cause;
    return { provider, providerKey: undefined, ownRefusal: cause };
  }
}

function providerKeysOf({ services }: StreamContext, { providerKeys }: Credentials): readonly string[] {
  const { isGatewayToken } = services;
  return isGatewayToken === undefined ? providerKeys : providerKeys.filter((key) => !isGatewayToken(key));
}

/** Returns a digest of the first JWT for this gateway, because tokens are long. */
function tokenOf({ services }: StreamContext, { providerKeys }: Credentials): string | undefined {
  const { isGatewayToken } = services;
  const token = isGatewayToken && providerKeys.find((key) => isGatewayToken(key));
  return token && hash('sha256', token, 'base64');
}

/** If there are several keys, checks the first two, because an unknown key must result in 401, not 400. */
async function identify(
  context: StreamContext,
  run: Run,
  proxyKeys: readonly string[],
  request: RequestHead,
): Promise<Identity> {
  const {
    clientAddress,
    services: { authenticate },
  } = context;
  const sessionId = context.surface.kind === 'provider' ? namedSession(request.headers) : undefined;
  const onKnownKey = (keyHash: string): void => run.prepare({ keyHash, sessionId });
  const identity = await authenticate({ rawKey: proxyKeys[0], clientAddress, onKnownKey, request });
  if (proxyKeys[1] !== undefined) await authenticate({ rawKey: proxyKeys[1], clientAddress });
  return identity;
}

function twoKeys(which: string): GatewayError {
  return new GatewayError('invalid_request', `the request has two different ${which}`);
}

/** Envoy joins several Host headers with commas; a proxy in front may have used any of them (RFC 9112 section 3.2). */
function assertOneHost(authority: string): void {
  if (authority.includes(',')) {
    throw new GatewayError('invalid_request', 'the request has several Host headers: send only one');
  }
}

function unknownAuthority(): GatewayError {
  return new GatewayError(
    'unknown_provider',
    'this gateway does not serve this host: use one of proxy.authorities, or ask the operator to add it',
  );
}
