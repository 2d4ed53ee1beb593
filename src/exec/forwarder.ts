import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import type { Agent, IncomingMessage, ServerResponse } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { AddressInfo } from 'node:net';

import { errorBody, GatewayError, messageOf } from '../errors.ts';
import { Agent as HttpAgent, createServer } from '../node-http.ts';
import type { ProviderName } from '../providers/registry.ts';
import { assertPlainPath } from '../routing/path.ts';
import { forwardToGateway, type ForwardTarget, CREDENTIAL_HEADERS } from './forward.ts';
import type { GatewayAddress } from './gateway-address.ts';
import { pathWithModel, type ModelChoice } from './model-choice.ts';
import type { ForwarderPlace } from './provider-variables.ts';

export interface ForwarderOptions {
  readonly gateway: GatewayAddress;
  readonly provider: ProviderName;
  readonly proxyKey: string;
  readonly providerKey: string | undefined;
  readonly sessionId: string;
  readonly models: ModelChoice;
}

/** A proxy between one program and the gateway. Adds the keys, which the program does not get. */
export interface Forwarder {
  readonly place: ForwarderPlace;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 512;
/** Longer than clients keep idle connections, so that the forwarder does not close one that is about to be used. */
const KEEP_ALIVE_MS = 120_000;
/** Limits the reuse of idle connections, which a draining gateway may be closing. */
const IDLE_MS = 15_000;

/** Listens on a free port on 127.0.0.1, and serves clients that present the key of this run. */
export async function startForwarder(options: ForwarderOptions): Promise<Forwarder> {
  // OpenAI's key prefix, which some programs require.
  const key = `sk-exec-${randomBytes(32).toString('base64url')}`;
  const isKey = comparer(key);
  const agent = agentFor(options.gateway);
  const server = createServer((request, response) => {
    handleRequest(request, response, options, { agent, isKey }).catch((failure: unknown) => {
      replyRefusal(response, failure);
      // Without this, a client that is still sending would see a broken connection instead of the answer.
      request.resume();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    place: { url, keyedUrl: `${url}/${key}`, key },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}

function agentFor({ url, tls }: GatewayAddress): Agent {
  const options = { keepAlive: true, timeout: IDLE_MS };
  return url.protocol === 'https:' ? new HttpsAgent({ ...options, ...tls }) : new HttpAgent(options);
}

/** Returns a function that compares a presented key with `key` in constant time. */
function comparer(key: string): (presented: string) => boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const own = digest(key);
  return (presented) => timingSafeEqual(own, digest(presented));
}

interface Tools {
  readonly agent: Agent;
  readonly isKey: (presented: string) => boolean;
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: ForwarderOptions,
  { agent, isKey }: Tools,
): Promise<void> {
  const requested = readRequestUrl(request.url ?? '/', isKey);
  if (!requested.keyed && !presentsKey(request, isKey)) {
    throw new GatewayError('invalid_key', 'only the program started by gateway exec may use this address');
  }
  if (request.headers.upgrade !== undefined && /websocket/i.test(request.headers.upgrade)) {
    throw new GatewayError('upgrade_not_supported', 'WebSockets are not forwarded; use HTTP');
  }
  const target = targetOf(requested, options);
  await forwardToGateway(request, response, { ...options, agent, target });
}

interface RequestUrl {
  /** Without the run's key. */
  readonly path: string;
  /** Starts with a question mark, or is empty. */
  readonly query: string;
  readonly keyed: boolean;
}

function readRequestUrl(url: string, isKey: (presented: string) => boolean): RequestUrl {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const parameters = (mark < 0 ? '' : url.slice(mark + 1)).split('&').filter((parameter) => parameter !== '');
  const others = parameters.filter(
    (parameter) => !(parameter.startsWith('key=') && isKey(parameter.slice('key='.length))),
  );
  const query = others.length === 0 ? '' : `?${others.join('&')}`;
  const [, first = '', ...rest] = path.split('/');
  return isKey(first)
    ? { path: `/${rest.join('/')}`, query, keyed: true }
    : { path, query, keyed: others.length < parameters.length };
}

function presentsKey({ headers }: IncomingMessage, isKey: (presented: string) => boolean): boolean {
  return CREDENTIAL_HEADERS.some((name) => {
    const value = headers[name];
    return typeof value === 'string' && isKey(value.replace(/^Bearer +/i, ''));
  });
}

const MCP = /^\/mcp\/[^/]/;

/**
 * Returns the target at the gateway: the run's provider or an MCP server. Refuses dot segments, because Envoy resolves
 * them before the gateway routes the request, which could send the provider's key elsewhere.
 * @throws GatewayError not_found, invalid_request
 */
function targetOf(
  { path, query }: RequestUrl,
  { gateway, provider, models }: ForwarderOptions,
): ForwardTarget {
  const base = gateway.url.pathname.replace(/\/$/, '');
  assertPlainPath(path, provider === 'bedrock');
  if (MCP.test(path)) return { path: base + path + query, kind: 'mcp', namesModel: false };
  if (!path.startsWith(`/${provider}/`)) {
    throw new GatewayError(
      'not_found',
      `this run is for ${provider}: its paths must begin with /${provider}/`,
    );
  }
  const chosen = pathWithModel(provider, path, models);
  return { path: base + chosen.path + query, kind: 'model', namesModel: chosen.namesModel };
}

/** Replies like the gateway, or aborts an answer that has begun. */
function replyRefusal(response: ServerResponse, failure: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const known =
    failure instanceof GatewayError ? failure : new GatewayError('gateway_unavailable', messageOf(failure));
  const body = errorBody(known.type, known.message);
  response.writeHead(known.status, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  });
  response.end(body);
}
