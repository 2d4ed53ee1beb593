import type { IncomingMessage, ServerResponse } from 'node:http';

import { ERROR_STATUS, errorBody, type ErrorType } from '../errors.ts';
import { createServer, type Listening, listenOn } from '../node-http.ts';
import type { ReloadState } from '../runtime/reload.ts';
import type { Readiness } from './readiness.ts';

export interface AdminOptions {
  readonly host: string;
  /** 0 to pick a free port. */
  readonly port: number;
  readonly readiness: () => Readiness;
  /** From `gatewayIdentity`, to distinguish gateways. */
  readonly identity?: () => string;
  /** Undefined if gateway.yaml is not watched. */
  readonly reload?: () => ReloadState | undefined;
  /** Returns the gateway's metrics as Prometheus text. */
  readonly metrics: () => Promise<string>;
  /** JWK Set to verify receipts and upstream signatures; undefined for a shared key, or if signatures are off. */
  readonly publicKeys?: () => object | undefined;
}

/** The read-only admin listener: metrics, health and public keys (docs/serving.md#listeners). */
export type AdminServer = Listening;

type Handler = (response: ServerResponse) => Promise<void> | void;

/** Rejects if the address cannot be bound. */
export async function startAdmin(options: AdminOptions): Promise<AdminServer> {
  const pages: Record<string, Handler> = {
    '/metrics': async (response) => {
      const text = await options.metrics();
      replyWith(response, 200, 'text/plain; version=0.0.4; charset=utf-8', text);
    },
    // Any answer shows that the process is alive.
    '/healthz': (response) => replyWith(response, 200, 'application/json', JSON.stringify({ status: 'ok' })),
    '/readyz': (response) => {
      const readiness = options.readiness();
      replyWith(
        response,
        readiness.ready ? 200 : 503,
        'application/json',
        JSON.stringify({
          ...readiness,
          identity: options.identity?.(),
          config: configState(options.reload?.()),
        }),
      );
    },
  };
  function pageAt(path: string): Handler | undefined {
    if (path !== '/.well-known/jwks.json') return Object.hasOwn(pages, path) ? pages[path] : undefined;
    const publicKeys = options.publicKeys?.();
    if (publicKeys === undefined) return undefined;
    return (response) => replyWith(response, 200, 'application/jwk-set+json', JSON.stringify(publicKeys));
  }
  const server = createServer((request, response) => {
    answerAdmin(pageAt, request, response).catch(() =>
      replyError(response, 'gateway_unavailable', 'the gateway state is currently unavailable'),
    );
  });
  // Connections that scrapers keep open must not delay the shutdown.
  server.keepAliveTimeout = 5_000;
  return listenOn(server, options, 'server.admin_host, admin_port');
}

async function answerAdmin(
  pageAt: (path: string) => Handler | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const page = pageAt(path);
  if (page === undefined) {
    replyError(response, 'not_found', 'not found: the admin listener has /metrics, /healthz and /readyz');
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    replyError(response, 'method_not_allowed', 'method not allowed: use GET');
    return;
  }
  await page(response);
}

function configState(state: ReloadState | undefined): object | undefined {
  if (state === undefined) return undefined;
  return { in_force: state.notInForce === undefined, reason: state.notInForce, keys: state.keys };
}

function replyError(response: ServerResponse, type: ErrorType, message: string): void {
  replyWith(response, ERROR_STATUS[type], 'application/json', errorBody(type, message));
}

function replyWith(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.statusCode = status;
  response.setHeader('content-type', contentType);
  response.setHeader('cache-control', 'no-store');
  response.end(body);
}
