import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { renderEnvoy } from '../../src/envoy/render.ts';
import { startEnvoy, type EnvoyProcess } from '../../src/runtime/envoy-process.ts';
import { createRunDirectory, type RunDirectory } from '../../src/runtime/run-directory.ts';
import { createTestCa, type TestCa } from '../support/certs.ts';
import type { TransportName } from '../../src/extproc/server.ts';
import { startImposter, type Imposter, type Misbehaviour } from '../support/imposter.ts';
import { envoyPath } from '../support/parts.ts';
import { freePort } from '../support/ports.ts';

/**
 * docs/architecture.md#failing-closed: a sidecar that closes cleanly makes Envoy let the rest through, whatever it is
 * told. Behind the very configuration that `gateway serve` renders, nothing uninspected may reach the provider or the
 * client.
 */
const PROMPT = 'UNINSPECTED-PROMPT';
const SECRET = 'UNINSPECTED-SECRET';
const EVENT = `data: {"text":"${SECRET}"}\n\n`;

const KINDS = ['get', 'json', 'chunked', 'sse'] as const;
/** Ways to ask for an answer without a body. */
const BODYLESS = ['empty', 'no_content'] as const;
type Kind = (typeof KINDS)[number] | (typeof BODYLESS)[number] | 'head' | 'trailers';
const WITH_BODY: readonly Kind[] = ['json', 'chunked', 'sse'];

interface Rig {
  readonly port: number;
  readonly imposter: Imposter;
  /** Bodies that the provider received. */
  readonly received: string[];
  stop(): Promise<void>;
}

type Answer = (url: string, body: string, reply: ReplyWriter) => Promise<void>;

interface ReplyWriter {
  /** Also in our name, as no provider may. */
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

async function startProvider(
  ca: TestCa | undefined,
  received: string[],
): Promise<{ port: number; close(): void }> {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}

/** Which of the configuration's upstreams stands behind: a provider, or an MCP server, which the system's CAs verify. */
type Upstream = 'provider_openai' | 'mcp_files';

async function startRig(
  ca: TestCa | undefined,
  cluster: Upstream,
  transport: TransportName,
  rewrite: (rendered: string) => string = (rendered) => rendered,
): Promise<Rig> {
  const received: string[] = [];
  const provider = await startProvider(ca, received);
  const run: RunDirectory = await createRunDirectory(process.env);
  const port = await freePort();
  const authority = `127.0.0.1:${provider.port}`;
  const url = `${ca === undefined ? 'http' : 'https'}://${authority}`;
  const configFile = run.file('gateway.yaml');
  writeFileSync(
    configFile,
    JSON.stringify({
      server: { host: '127.0.0.1', port },
      redis: { read_timeout: '50ms' },
      proxy: { upstream_timeout: '5s' },
      ...(cluster === 'mcp_files'
        ? { mcp: { enabled: true, servers: [{ name: 'files', url }] } }
        : { providers: { openai: { base_url: url, ...(ca !== undefined && { ca_file: ca.caFile }) } } }),
    }),
  );
  const { config } = loadConfig({ path: configFile, env: { SERVER_INSECURE_DEV: 'true' } });
  const sidecar = run.file('sidecar.sock');
  const imposter = await startImposter(sidecar, { cluster, authority }, transport);
  const envoyFile = run.file('envoy.yaml');
  const adminSocketPath = run.file('admin.sock');
  const rendered = renderEnvoy(config, {
    sidecars: [{ kind: 'unix', path: sidecar }],
    adminSocketPath,
    systemCaFile: ca?.caFile ?? '/etc/ssl/certs/ca-certificates.crt',
    accessLogPath: '/dev/null',
  });
  // Hung is hung after a second, too.
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
      provider.close();
      await run.remove();
    },
  };
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends one request; a cut connection is status 0 with what came before the cut. */
async function send(port: number, kind: Kind): Promise<Reply> {
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

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Our JSON, the request's id, and nothing of what the provider sent. */
function expectDenied({ status, headers, body }: Reply, upstream: Upstream = 'provider_openai'): void {
  expect([status, body]).toEqual([503, expect.stringContaining('"type":"gateway_unavailable"')]);
  const ofJsonRpc = upstream === 'mcp_files' ? ['id', 'jsonrpc'] : [];
  expect(Object.keys(JSON.parse(body) as object).sort()).toEqual(['error', ...ofJsonRpc, 'type']);
  expect(headers['content-type']).toBe('application/json');
  expect(headers['x-gateway-request-id']).toMatch(UUID);
  expect(headers['x-gateway-error-type']).toBe('gateway_unavailable');
  expect(JSON.stringify(headers)).not.toContain(SECRET);
}

const REQUEST_SIDE: readonly Misbehaviour[] = (['request_headers', 'request_body'] as const).flatMap((at) =>
  (['close', 'route', 'error', 'hang', 'empty'] as const).map((way) => ({ at, way, answers: false })),
);
const RESPONSE_SIDE: readonly Misbehaviour[] = (['response_headers', 'response_body'] as const).flatMap(
  (at) => (['close', 'error', 'hang', 'empty'] as const).map((way) => ({ at, way, answers: false })),
);

describe.each([
  ['lean', 'a plain HTTP/1.1 provider', false, 'provider_openai'],
  ['grpc-js', 'a plain HTTP/1.1 provider', false, 'provider_openai'],
  ['lean', 'a TLS HTTP/2 provider', true, 'provider_openai'],
  ['lean', 'a TLS HTTP/2 server of MCP', true, 'mcp_files'],
] as const)(
  'behind the rendered Envoy, over %s, with %s, an imposter sidecar',
  (transport, _name, tls, cluster) => {
    let ca: TestCa | undefined;
    let rig: Rig;
    beforeAll(async () => {
      ca = tls ? await createTestCa() : undefined;
      rig = await startRig(ca, cluster, transport);
    });
    afterAll(async () => {
      await rig.stop();
      ca?.close();
    });

    it('that behaves lets every kind of request through, so that the other tests can fail', async () => {
      rig.imposter.misbehave(undefined);
      for (const kind of KINDS) {
        const reply = await send(rig.port, kind);
        expect(reply.status, kind).toBe(200);
        expect(reply.body, kind).toContain(SECRET);
      }
      expect((await send(rig.port, 'sse')).body).toBe(EVENT.repeat(6));
    });

    it.each(REQUEST_SIDE)('that does "$way" at $at lets nothing reach the provider', async (misbehaviour) => {
      const kinds = misbehaviour.at === 'request_body' ? WITH_BODY : KINDS;
      await expectNothingForwarded(misbehaviour, kinds);
    });

    it('that answers the headers and then closes lets no body follow', async () => {
      await expectNothingForwarded({ at: 'request_headers', way: 'close', answers: true }, WITH_BODY);
    });

    it.each(RESPONSE_SIDE)(
      'that does "$way" at $at lets no answer reach the client',
      async (misbehaviour) => {
        rig.imposter.misbehave(misbehaviour);
        // The chunks of a stream have a test of their own.
        const kinds = KINDS.filter((kind) => kind !== 'sse' || misbehaviour.at !== 'response_body');
        for (const reply of await Promise.all(kinds.map((kind) => send(rig.port, kind))))
          expectDenied(reply, cluster);
      },
    );

    it.each(BODYLESS)(
      'that closes at the headers of an answer with the body "%s" is told of in one',
      async (kind) => {
        rig.imposter.misbehave({ at: 'response_headers', way: 'close', answers: false });
        expectDenied(await send(rig.port, kind), cluster);
      },
    );

    it('that closes at the headers of an answer with nothing but trailers lets none of them out', async () => {
      rig.imposter.misbehave({ at: 'response_headers', way: 'close', answers: false });
      const { status, headers, body } = await send(rig.port, 'trailers');
      expect([status, headers['x-say']]).toEqual([503, undefined]);
      expect(headers['x-gateway-request-id']).toMatch(UUID);
      expect(body).not.toContain(SECRET);
      rig.imposter.misbehave(undefined);
      expect((await send(rig.port, 'get')).status).toBe(200);
    });

    it('that forwards a HEAD lets nothing reach the provider', async () => {
      rig.received.length = 0;
      rig.imposter.misbehave(undefined);
      const { status, headers, body } = await send(rig.port, 'head');
      expect([status, headers['content-type'], body]).toEqual([503, 'application/json', '']);
      expect(headers['x-gateway-request-id']).toMatch(UUID);
      expect(rig.received).toEqual([]);
    });

    it('that answers the response headers and then closes lets no answer reach the client', async () => {
      rig.imposter.misbehave({ at: 'response_headers', way: 'close', answers: true });
      for (const { body } of await Promise.all(KINDS.map((kind) => send(rig.port, kind)))) {
        expect(body).not.toContain(SECRET);
      }
    });

    it.each([1, 2, 4])(
      'that closes at chunk %i of a stream lets out what it emitted and no byte more',
      async (n) => {
        for (const answers of [false, true]) {
          for (const way of ['close', 'error', 'empty'] as const) {
            rig.imposter.misbehave({ at: `chunk ${n}`, way, answers });
            const { body } = await send(rig.port, 'sse');
            const passed = body.split(SECRET).length - 1;
            const emitted = Math.ceil(rig.imposter.emittedBytes() / EVENT.length);
            expect(passed, `${way} ${String(answers)}`).toBeLessThanOrEqual(emitted);
          }
        }
      },
    );

    async function expectNothingForwarded(misbehaviour: Misbehaviour, kinds: readonly Kind[]): Promise<void> {
      rig.received.length = 0;
      rig.imposter.misbehave(misbehaviour);
      for (const reply of await Promise.all(kinds.map((kind) => send(rig.port, kind)))) expectDenied(reply);
      expect(rig.received).toEqual([]);
    }
  },
);

describe('an Envoy that takes its heap to be full', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig(undefined, 'provider_openai', 'lean', (rendered) => {
      const full = rendered.replace(/(stop_accepting_requests\n(?:.*\n){3} *value: )[\d.]+$/m, '$10');
      expect(full).not.toBe(rendered);
      return full;
    });
    // It looks at its heap twenty times a second.
    await vi.waitFor(async () => expect((await send(rig.port, 'get')).status).toBe(503));
    rig.received.length = 0;
  });
  afterAll(() => rig.stop());

  it('answers new requests with our 503, under an id of its own', async () => {
    for (const kind of KINDS) {
      const reply = await send(rig.port, kind);
      expectDenied(reply);
      expect(reply.body).toContain('overloaded');
    }
    expect(rig.received).toEqual([]);
  });
});
