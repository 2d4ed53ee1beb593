import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import { createServer, type Listening, listenOn } from '../node-http.ts';
import type { Logger } from '../telemetry/logger.ts';
import { ApiError, checked, internalProblem, knownProblem, type ProblemAnswer } from './api/problem.ts';
import { findRoute, Reply, StreamReply, type Method, type Route, type RouteTable } from './api/route.ts';
import { readJson, refuseOtherHosts, refuseOtherSites, refuseWrongToken, SECURITY_HEADERS } from './guard.ts';
import type { Identified, Identify } from './sign-in/identify.ts';
import { hasRole } from './sign-in/roles.ts';
import type { StaticFile } from './static-files.ts';

/** PEM-encoded. */
export interface ListenerTls {
  readonly cert: string;
  readonly key: string;
}

export interface ListenerOptions {
  readonly host: string;
  /** 0 to pick a free port. */
  readonly port: number;
  readonly tls: ListenerTls | undefined;
  readonly origins: () => ReadonlySet<string>;
  readonly routes: RouteTable;
  readonly files: ReadonlyMap<string, StaticFile>;
  readonly identify: Identify;
  readonly log: Logger;
}

export interface Listener extends Listening {
  renewTls(tls: ListenerTls): void;
}

const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 } as const;
const MAX_CONNECTIONS = 512;
const MAX_HEADERS = 100;

/** Starts the operator page listener. Rejects if the address cannot be bound. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { tls } = options;
  const onRequest: RequestListener = (incoming, response) => {
    void answer(options, incoming, response);
  };
  const server = tls === undefined ? createServer(onRequest) : await tlsServer(tls, onRequest);
  Object.assign(server, LIMITS);
  server.maxConnections = MAX_CONNECTIONS;
  server.maxHeadersCount = MAX_HEADERS;
  return {
    ...(await listenOn(server, options, 'ui.host, ui.port')),
    renewTls: (renewed) => {
      if ('setSecureContext' in server) server.setSecureContext(renewed);
    },
  };
}

async function tlsServer(tls: ListenerTls, onRequest: RequestListener): Promise<Server | TlsServer> {
  const https = await import('node:https');
  return https.createServer({ ...tls, minVersion: 'TLSv1.2' }, onRequest);
}

async function answer(
  options: ListenerOptions,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (value) response.setHeader(name, value);
  try {
    await answerChecked(options, incoming, response);
  } catch (thrown) {
    const known = knownProblem(thrown);
    if (known === undefined) options.log.error({ err: thrown }, 'the operator page failed');
    sendProblem(response, known ?? internalProblem());
  } finally {
    // Node would parse unread bytes of the body as the next request.
    if (!incoming.complete) incoming.destroy();
  }
}

async function answerChecked(
  options: ListenerOptions,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const origins = options.origins();
  refuseOtherHosts(incoming, origins);
  const [path = '', search = ''] = (incoming.url ?? '').split(/\?(.*)/s, 2);
  if (!path.startsWith('/api/')) {
    sendFile(options.files.get(path), incoming, response);
    return;
  }
  const { route, params } = findRoute(options.routes, incoming.method ?? '', path);
  refuseOtherSites(incoming, origins, route.navigable === true);
  const address = incoming.socket.remoteAddress ?? '';
  const identified = await admitted(route, options.identify, incoming, address);
  const query = route.query && checked(route.query, parsedQuery(search), 'query');
  const given = hasBody(route.method) ? await readJson(incoming) : undefined;
  const body = route.body && checked(route.body, given, 'body');
  const result = await route.handle({ params, query, body, address, identified, incoming });
  send(route, result, response);
}

function hasBody(method: Method): boolean {
  return method !== 'GET';
}

/** @throws ApiError if the caller may not use the route */
async function admitted(
  route: Route,
  identify: Identify,
  incoming: IncomingMessage,
  address: string,
): Promise<Identified | undefined> {
  const { role } = route;
  if (role === 'anyone') return undefined;
  const identified = await identify(incoming, address);
  if (identified === undefined)
    throw new ApiError('not_signed_in', 'you are not signed in, or your session has ended: sign in');
  const { who, csrf } = identified;
  if (!hasRole(who.role, role))
    throw new ApiError('forbidden', `this needs the role ${role}; your role is ${who.role}`);
  if (who.owner !== undefined && !route.owners)
    throw new ApiError(
      'forbidden',
      'this shows keys of all owners, but you may see only the keys of one owner',
    );
  if (csrf !== undefined && route.method !== 'GET') refuseWrongToken(incoming, csrf);
  return identified;
}

/** @throws ApiError for a repeated parameter */
function parsedQuery(search: string): Record<string, string> {
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(search)) {
    if (name in query) throw new ApiError('invalid_request', `query: ${name} is given twice`);
    query[name] = value;
  }
  return { ...query };
}

function send(route: Route, result: unknown, response: ServerResponse): void {
  if (result instanceof StreamReply) {
    result.write(response);
    return;
  }
  const { status, headers, body } = result instanceof Reply ? result : new Reply(200, {}, result as object);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  if (body === undefined) {
    response.end();
    return;
  }
  // Drops members that the schema does not define.
  const shown = route.answer === undefined ? body : route.answer.parse(body);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(shown));
}

function sendProblem(response: ServerResponse, { problem, headers }: ProblemAnswer): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = problem.status;
  response.setHeader('content-type', 'application/problem+json');
  response.end(JSON.stringify(problem));
}

/** @throws ApiError for an unknown path */
function sendFile(
  file: StaticFile | undefined,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): void {
  if (file === undefined) throw new ApiError('not_found', 'unknown path');
  if (method !== 'GET' && method !== 'HEAD')
    throw new ApiError('method_not_allowed', 'use GET', { headers: { allow: 'GET, HEAD' } });
  response.setHeader('content-type', file.type);
  response.setHeader('vary', 'accept-encoding');
  const takesBrotli = /(?:^|[\s,])br(?:$|[\s,;])/.test(String(headers['accept-encoding'] ?? ''));
  const content = takesBrotli ? file.brotli : file.plain;
  if (takesBrotli) response.setHeader('content-encoding', 'br');
  response.setHeader('content-length', content.length);
  response.end(method === 'HEAD' ? undefined : content);
}
