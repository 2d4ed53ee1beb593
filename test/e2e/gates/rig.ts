import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { renderEnvoy } from '../../../src/envoy/render.ts';
import { startEnvoy, type EnvoyProcess } from '../../../src/runtime/envoy-process.ts';
import { createRunDirectory, type RunDirectory } from '../../../src/runtime/run-directory.ts';
import type { TestCa } from '../../support/certs.ts';
import type { TransportName } from '../../../src/extproc/server.ts';
import { startImposter, type Imposter } from '../../support/imposter.ts';
import { envoyPath } from '../../support/parts.ts';
import { freePort } from '../../support/ports.ts';
import { onLoopback, type Loopback } from '../../support/loopback.ts';

/**
 * docs/architecture.md#failing-closed: if a sidecar closes its stream cleanly, Envoy passes everything else unchecked,
 * whatever its configuration says. With the configuration that `gateway serve` renders, nothing uninspected may reach
 * the provider or the client.
 */
const PROMPT = 'UNINSPECTED-PROMPT';
export const SECRET = 'UNINSPECTED-SECRET';
export const EVENT = `data: {"text":"${SECRET}"}\n\n`;

export const KINDS = ['get', 'json', 'chunked', 'sse'] as const;
/** Ways to request an answer without a body. */
export const BODYLESS = ['empty', 'no_content'] as const;
export type Kind = (typeof KINDS)[number] | (typeof BODYLESS)[number] | 'head' | 'trailers';
export const WITH_BODY: readonly Kind[] = ['json', 'chunked', 'sse'];

export interface Rig {
  readonly port: number;
  readonly imposter: Imposter;
  /** Bodies that the provider received. */
  readonly received: string[];
  stop(): Promise<void>;
}

type Answer = (url: string, body: string, reply: ReplyWriter) => Promise<void>;

interface ReplyWriter {
  /** Also in the gateway's name, which no provider may use. */
  head(status: number, type: string): void;
  write(text: string): void;
  end(text?: string): void;
  /** Trailers without a body. */
  endWithTrailers(): void;
}

/** GET and JSON answers hold the secret; a path with `sse` streams it six times, 20 ms apart. */
const answer: Answer = async (_url, body, reply) => {
  if (body.includes('trailers')) {
    reply.head(200, 'application/json');
    reply.endWithTrailers();
    return;
  }
  if (BODYLESS.some((kind) => body.includes(kind))) {
    reply.head(body.includes('no_content') ? 204 : 200, 'application/json');
    reply.end();
    return;
  }
  if (!body.includes('sse')) {
    reply.head(200, 'application/json');
    reply.end(JSON.stringify({ text: SECRET }));
    return;
  }
  reply.head(200, 'text/event-stream');
  for (let n = 0; n < 6; n++) {
    reply.write(EVENT);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  reply.end();
};

async function startProvider(ca: TestCa | undefined, received: string[]): Promise<Loopback> {
  async function handle(
    request: IncomingMessage | Http2ServerRequest,
    response: Pick<Http2ServerResponse, 'writeHead' | 'end' | 'on' | 'addTrailers'> & {
      write(text: string): unknown;
    },
  ): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    received.push(`${request.method ?? ''} ${body}`);
    response.on('error', () => undefined);
    await answer(request.url ?? '', body, {
      head: (status, type) =>
        response.writeHead(status, { 'content-type': type, 'x-gateway-request-id': SECRET, 'x-say': SECRET }),
      write: (text) => response.write(text),
      end: (text) => (text === undefined ? response.end() : response.end(text)),
      endWithTrailers: () => {
        response.addTrailers({ 'x-late': SECRET });
        response.end();
      },
    });
  }
  const identity = await ca?.issue('provider');
  const server =
    identity === undefined
      ? createHttpServer(
          (request, response) => void handle(request, response as never).catch(() => undefined),
        )
      : createSecureServer({ cert: identity.cert, key: identity.key }, (request, response) => {
          void handle(request, response as never).catch(() => undefined);
        });
  return onLoopback(server);
}

/** Which of the configuration's upstreams is used: a provider, or an MCP server, verified with the system's CAs. */
export type Upstream = 'provider_openai' | 'mcp_files' | 'attempts';

const TWO_TARGETS = {
  smart: [
    { provider: 'groq', model: 'one' },
    { provider: 'openai', model: 'other', on: ['connect'] },
  ],
};

/** First an unreachable target, then the provider. */
function plansOf(unreachable: string, authority: string): readonly (readonly [string, string])[] {
  const path = 'path=%2Fv1%2Fx';
  return [
    ['x-gw-plan-1', `cluster=provider_groq&authority=${unreachable}&${path}&again=connect`],
    ['x-gw-plan-2', `cluster=provider_openai&authority=${authority}&${path}&again=`],
  ];
}

export async function startRig(
  ca: TestCa | undefined,
  cluster: Upstream,
  transport: TransportName,
  rewrite: (rendered: string) => string = (rendered) => rendered,
): Promise<Rig> {
  const received: string[] = [];
  const provider = await startProvider(ca, received);
  const run: RunDirectory = await createRunDirectory(process.env);
  const port = await freePort();
  const { url, addr: authority } = provider;
  const unreachable = `127.0.0.1:${String(await freePort())}`;
  const configFile = run.file('gateway.yaml');
  writeFileSync(
    configFile,
    JSON.stringify({
      server: { host: '127.0.0.1', port },
      redis: { read_timeout: '50ms' },
      proxy: { upstream_timeout: '5s' },
      ...(cluster === 'mcp_files'
        ? { mcp: { enabled: true, servers: [{ name: 'files', url }] } }
        : {
            providers: {
              openai: { base_url: url, ...(ca !== undefined && { ca_file: ca.caFile }) },
              groq: { base_url: `http://${unreachable}` },
            },
            ...(cluster === 'attempts' && { models: TWO_TARGETS }),
          }),
    }),
  );
  const { config } = loadConfig({ path: configFile, env: { SERVER_INSECURE_DEV: 'true' } });
  const sidecar = run.file('sidecar.sock');
  const imposter = await startImposter(
    sidecar,
    { cluster, authority, more: cluster === 'attempts' ? plansOf(unreachable, authority) : [] },
    transport,
  );
  const envoyFile = run.file('envoy.yaml');
  const adminSocketPath = run.file('admin.sock');
  const rendered = renderEnvoy(config, {
    sidecars: [{ kind: 'unix', path: sidecar }],
    adminSocketPath,
    systemCaFile: ca?.caFile ?? '/etc/ssl/certs/ca-certificates.crt',
    accessLogPath: '/dev/null',
  });
  // A hung worker still hangs after a second.
  const hasty = rendered.replace(/^(?<key> *message_timeout: ).*$/m, '$<key>1s');
  expect(hasty).not.toBe(rendered);
  writeFileSync(envoyFile, rewrite(hasty));
  const lines: string[] = [];
  const envoy: EnvoyProcess = startEnvoy({
    binary: await envoyPath(),
    configFile: envoyFile,
    adminSocketPath,
    concurrency: 1,
    onLine: (line) => lines.push(line),
  });
  await envoy.waitUntilLive(20_000);
  return {
    port,
    imposter,
    received,
    stop: async () => {
      await envoy.stop();
      imposter.stop();
      await provider.close();
      await run.remove();
    },
  };
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends one request; a cut connection is status 0 with what arrived before the cut. */
export async function send(port: number, kind: Kind): Promise<Reply> {
  const isPost = kind !== 'get' && kind !== 'head';
  const body = isPost ? JSON.stringify({ prompt: PROMPT, kind }) : undefined;
  const headers: Record<string, string> = {
    authorization: 'Bearer gw-key',
    'content-type': 'application/json',
  };
  if (body !== undefined && kind !== 'chunked') headers['content-length'] = String(body.length);
  return new Promise((resolve) => {
    let text = '';
    let head: Pick<Reply, 'status' | 'headers'> = { status: 0, headers: {} };
    const cut = (): void => resolve({ ...head, status: 0, body: text });
    const method = isPost ? 'POST' : kind.toUpperCase();
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path: '/openai/v1/x', headers },
      (response) => {
        head = { status: response.statusCode ?? 0, headers: response.headers };
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ ...head, body: text }));
        response.on('error', cut);
      },
    );
    request.on('error', cut);
    request.setTimeout(15_000, () => request.destroy());
    request.end(body);
  });
}

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Expects our JSON, the request's id, and nothing that the provider sent. */
export function expectDenied({ status, headers, body }: Reply, upstream: Upstream = 'provider_openai'): void {
  expect([status, body]).toEqual([503, expect.stringContaining('"type":"gateway_unavailable"')]);
  const ofJsonRpc = upstream === 'mcp_files' ? ['id', 'jsonrpc'] : [];
  expect(Object.keys(JSON.parse(body) as object).sort()).toEqual(['error', ...ofJsonRpc, 'type']);
  expect(headers['content-type']).toBe('application/json');
  expect(headers['x-gateway-request-id']).toMatch(UUID);
  expect(headers['x-gateway-error-type']).toBe('gateway_unavailable');
  expect(JSON.stringify(headers)).not.toContain(SECRET);
}
