import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, describe, expect, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';

import { loadConfig } from '../../src/config/load.ts';
import { renderEnvoy } from '../../src/envoy/render.ts';
import { readAccount } from '../support/account.ts';
import { createTestCa } from '../support/certs.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type GatewayOptions, type TestGateway, type TestKey } from '../support/gateway.ts';
import { send } from '../support/http.ts';
import { DEBUGGABLE, envoyAllocatedBytes, inspect, residentBytes } from '../support/memory.ts';
import { envoyPath } from '../support/parts.ts';
import { useTestRedis } from '../support/redis.ts';
import { http2Session, streamHttp1, streamHttp2, type StreamSeen } from '../support/streams.ts';
import { expectUnharmed } from '../support/unharmed.ts';
import { onLoopback } from '../support/loopback.ts';

/**
 * Long streams: how Envoy's gRPC client cache, a client that stops reading, and many simultaneous streams
 * affect others. All run at the same time, because each mostly waits.
 */
const CHAT = '/openai/v1/chat/completions';
const MAX_TOKENS = 1_000;
const PRICING = { overrides: { 'gpt-test': { input: 1, output: 10, max_output_tokens: 100_000 } } };
const MB = 1_000_000;

const redis = useTestRedis();
const closers: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(providerUrl: string, options: GatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startGateway({
    redis,
    ...options,
    config: {
      providers: { openai: { base_url: providerUrl } },
      pricing: PRICING,
      ...options.config,
      server: { log_level: 'warn', ...options.config?.server },
    },
  });
  closers.push(() => gateway.stop());
  return gateway;
}

function headersOf({ rawKey }: TestKey): Record<string, string> {
  return {
    authorization: `Bearer ${rawKey}`,
    'x-gateway-provider-key': 'sk-test',
    'content-type': 'application/json',
  };
}

function chatBody(stream: boolean, maxTokens = MAX_TOKENS): string {
  const messages = [{ role: 'user', content: 'Hello' }];
  return JSON.stringify({ model: 'gpt-test', max_tokens: maxTokens, stream, messages });
}

describe.concurrent('a client that stalls in a stream for 70 s and then disconnects', () => {
  const STALL_MS = 70_000;
  /** Envoy's buffers for one stream (16 MiB down, 1 MiB up), and the data held on both sides. */
  const MAX_HELD_BYTES = 64 * MB;

  // Quiet: without other requests, Envoy drops the gRPC client that the stream uses (after 50 s).
  it.each(['busy', 'quiet'] as const)('affects nothing else on a %s gateway', async (kind) => {
    const flood = await startFlood();
    const gateway = await start(flood.url, { env: DEBUGGABLE });
    const key = await gateway.createKey({}, { monthly: 10 });
    const other = await gateway.createKey();
    const envoyPid = gateway.envoy()?.pid ?? 0;
    const workerPid = gateway.workers()[0]?.pid ?? 0;
    await serves(gateway, other);
    const held = await memoryAbove(gateway, workerPid);

    const client = stall(gateway, headersOf(key), chatBody(true));
    const others = kind === 'busy' ? askOften(gateway, other) : undefined;
    await client.stalled;
    await delay(STALL_MS / 2);
    const halfWay = await held();
    await delay(STALL_MS / 2);
    const atEnd = await held();
    // Its lease was renewed all the time: the money is reserved, and not charged.
    expect((await readAccount(redis, key.keyHash)).reserved).toBeGreaterThan(0);
    client.hangUp();
    await vi.waitFor(
      async () => {
        const { spent, reserved } = await readAccount(redis, key.keyHash);
        expect(reserved).toBe(0);
        expect(spent).toBeGreaterThan(0);
      },
      { timeout: 5_000, interval: 50 },
    );
    await flood.gone;
    await delay(500);
    const seen = await others?.stop();
    await serves(gateway, other);

    console.log(
      `${kind}: held after 35 s ${show(halfWay)}, after 70 s ${show(atEnd)}` +
        (seen === undefined ? '' : `; ${String(seen.asked)} others, worst ${seen.worstMs.toFixed(0)} ms`),
    );
    expect(seen?.failures ?? []).toEqual([]);
    if (seen !== undefined) expect(seen.asked).toBeGreaterThan(500);
    for (const bytes of [halfWay.envoy, halfWay.worker, atEnd.envoy, atEnd.worker])
      expect(bytes).toBeLessThan(MAX_HELD_BYTES);
    await expectUnharmed(gateway, envoyPid, workerPid);
  });
});

interface Held {
  readonly envoy: number;
  readonly worker: number;
}

/** The memory of both processes beyond the current one. */
async function memoryAbove(gateway: TestGateway, workerPid: number): Promise<() => Promise<Held>> {
  const worker = await inspect(gateway, workerPid);
  const now = async (): Promise<Held> => ({
    envoy: await envoyAllocatedBytes(gateway),
    worker: await worker.heapAfterGc(),
  });
  const before = await now();
  return async () => {
    const after = await now();
    return { envoy: after.envoy - before.envoy, worker: after.worker - before.worker };
  };
}

function show({ envoy, worker }: Held): string {
  return `Envoy ${(envoy / MB).toFixed(1)} MB, sidecar ${(worker / MB).toFixed(1)} MB`;
}

async function serves(gateway: TestGateway, key: TestKey): Promise<void> {
  const reply = await send(gateway.baseUrl, { path: CHAT, headers: headersOf(key), body: chatBody(false) });
  expect([reply.status, reply.cut]).toEqual([200, false]);
}

/** A client that reads 100 KB of its answer, and then stops reading. */
function stall({ port }: TestGateway, headers: Readonly<Record<string, string>>, body: string) {
  const lines = Object.entries({ host: 'x', 'content-length': String(body.length), ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const socket = connect(port, '127.0.0.1', () =>
    socket.write(`POST ${CHAT} HTTP/1.1\r\n${head}\r\n${body}`),
  );
  socket.on('error', () => undefined);
  const stalled = new Promise<void>((resolve) => {
    let read = 0;
    socket.on('data', (data) => {
      read += data.length;
      if (read < 100_000) return;
      socket.pause();
      resolve();
    });
  });
  return { stalled, hangUp: () => socket.resetAndDestroy() };
}

/** Another client's sequential requests; the slowest one waits for the garbage collections that we force. */
function askOften({ baseUrl }: TestGateway, key: TestKey) {
  const agent = new Agent({ keepAlive: true });
  const failures: unknown[] = [];
  const request = { path: CHAT, headers: headersOf(key), body: chatBody(false), agent };
  let asked = 0;
  let worstMs = 0;
  let stopped = false;
  const asking = (async () => {
    while (!stopped) {
      const sentAt = performance.now();
      const reply = await send(baseUrl, request);
      worstMs = Math.max(worstMs, performance.now() - sentAt);
      asked++;
      if (reply.status !== 200 || reply.cut) failures.push([reply.status, reply.body]);
      await delay(50);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await asking;
      agent.destroy();
      return { asked, failures, worstMs };
    },
  };
}

/** A provider whose streams never end and arrive as fast as they are read. Its whole answers are short. */
async function startFlood(): Promise<{ readonly url: string; readonly gone: Promise<unknown> }> {
  const gone = Promise.withResolvers<undefined>();
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (!text.includes('"stream":true')) {
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[]}');
        return;
      }
      response.on('close', () => gone.resolve(undefined));
      void pour(response);
    });
  });
  const { url, close } = await onLoopback(server);
  closers.push(close);
  return { url, gone: gone.promise };
}

async function pour(response: ServerResponse): Promise<void> {
  const choices = [{ index: 0, delta: { content: 'water '.repeat(5_000) } }];
  const event = `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const closed = once(response, 'close');
  while (!response.destroyed) {
    if (!response.write(event)) await Promise.race([once(response, 'drain'), closed]);
  }
}

describe.concurrent("answers that outlive Envoy's gRPC client cache", () => {
  const CACHE_MS = 5_000;
  const STREAM_MS = 12_000;
  const PIECES = 24;

  it('end properly, whole, cut or abandoned, and Envoy survives', async () => {
    const provider = await newFakeProvider();
    const { gateway, envoy } = await startWithShortCache(provider, CACHE_MS);
    const key = await gateway.createKey({}, { monthly: 10 });
    const request = { baseUrl: gateway.baseUrl, path: CHAT, headers: headersOf(key) };
    provider.behave(({ json }) =>
      json.stream === true
        ? { outputTokens: PIECES, pieceDelayMs: STREAM_MS / PIECES }
        : { bodyDelayMs: STREAM_MS - 2_000 },
    );
    const leave = new AbortController();
    const stream = streamHttp1({ ...request, body: chatBody(true) });
    const answer = send(gateway.baseUrl, { ...request, body: chatBody(false) });
    const left = send(gateway.baseUrl, { ...request, body: chatBody(true), signal: leave.signal });
    setTimeout(() => leave.abort(), STREAM_MS - 1_000);

    expect((await answer).status).toBe(200);
    expect((await left).cut).toBe(true);
    expectWholeStream(await stream, PIECES);
    expect(envoy.exitCode).toBeNull();
    provider.behave({});
    await serves(gateway, key);
    await vi.waitFor(async () => {
      expect((await readAccount(redis, key.keyHash)).reserved).toBe(0);
    });

    // One is still running when Envoy is told to stop.
    provider.behave({ outputTokens: 1_000, pieceDelayMs: 100 });
    const cut = streamHttp1({ ...request, body: chatBody(true) });
    await delay(CACHE_MS + 2_000);
    envoy.kill('SIGTERM');
    const [code, signal] = (await once(envoy, 'exit')) as [number | null, string | null];
    expect([code, signal]).toEqual([0, null]);
    expect((await cut).whole).toBe(false);
    await vi.waitFor(async () => {
      expect((await readAccount(redis, key.keyHash)).reserved).toBe(0);
    });
  });

  /** Our own rendered Envoy with a real sidecar, except for the age at which it drops an unused gRPC client. */
  async function startWithShortCache(
    provider: FakeProvider,
    cacheMs: number,
  ): Promise<{ gateway: TestGateway; envoy: ChildProcess }> {
    const directory = await mkdtemp(join(tmpdir(), 'gw-test-cache-'));
    closers.push(() => rm(directory, { recursive: true, force: true }));
    const path = join(directory, 'sidecar.sock');
    const gateway = await start(provider.url, {
      config: { server: { extproc: { address: `unix:${path}` } }, envoy: { managed: false } },
    });
    const { config } = loadConfig({ path: gateway.configFile, env: { SERVER_INSECURE_DEV: 'true' } });
    const rendered = renderEnvoy(config, {
      sidecars: [{ kind: 'unix', path }],
      adminSocketPath: join(directory, 'admin.sock'),
      systemCaFile: '/etc/ssl/certs/ca-certificates.crt',
      accessLogPath: '/dev/null',
    });
    const patched = {
      ...(parse(rendered) as object),
      grpc_async_client_manager_config: { max_cached_entry_idle_duration: `${String(cacheMs / 1000)}s` },
    };
    const file = join(directory, 'envoy.yaml');
    await writeFile(file, stringify(patched));
    const args = ['-c', file, '--disable-hot-restart', '--log-level', 'error', '--concurrency', '1'];
    const envoy = spawn(await envoyPath(), args, { stdio: ['ignore', 'inherit', 'inherit'] });
    closers.push(() => envoy.kill('SIGKILL'));
    await vi.waitFor(() => send(gateway.baseUrl).then(({ status }) => expect(status).toBe(401)), {
      timeout: 15_000,
      interval: 50,
    });
    return { gateway, envoy };
  }
});

describe.concurrent('200 simultaneous streams of 20 s', () => {
  const STREAMS = 200;
  const SESSIONS = 4;
  const PIECES = 40;
  const STREAM_MS = 20_000;
  /** 10 input tokens at 1 USD, and the output at 10 USD a million. */
  const COST_NANO_USD = 10 * 1_000 + PIECES * 10_000;

  it('all complete, over HTTP/1.1 and HTTP/2', async () => {
    const ca = await createTestCa();
    closers.push(() => ca.close());
    const { certFile, keyFile } = await ca.issue('gateway');
    const provider = await newFakeProvider();
    provider.behave({ outputTokens: PIECES, pieceDelayMs: STREAM_MS / PIECES });
    const gateway = await start(provider.url, {
      config: { server: { tls: { cert_file: certFile, key_file: keyFile } } },
      env: DEBUGGABLE,
    });
    const key = await gateway.createKey({}, { monthly: 1_000 });
    const envoyPid = gateway.envoy()?.pid ?? 0;
    const workerPid = gateway.workers()[0]?.pid ?? 0;
    const worker = await inspect(gateway, workerPid);
    const memory = async (): Promise<number[]> => [
      await worker.heapAfterGc(),
      residentBytes(workerPid),
      await envoyAllocatedBytes(gateway),
    ];
    const before = await memory();

    const request = {
      baseUrl: gateway.baseUrl,
      path: CHAT,
      headers: headersOf(key),
      body: chatBody(true),
      ca: ca.ca,
    };
    const sessions = Array.from({ length: SESSIONS }, () => http2Session(gateway.baseUrl, ca.ca));
    closers.push(() => sessions.forEach((session) => session.destroy()));
    const startedAt = performance.now();
    const streams = Array.from({ length: STREAMS }, (_, index) => {
      const session = sessions[index % (2 * SESSIONS)];
      return session === undefined ? streamHttp1(request) : streamHttp2(session, request);
    });
    await provider.received(STREAMS);
    const allOpenMs = performance.now() - startedAt;
    await delay(STREAM_MS / 2);
    const [heap = 0, resident = 0, envoy = 0] = (await memory()).map(
      (bytes, index) => (bytes - (before[index] ?? 0)) / STREAMS / 1000,
    );
    for (const stream of await Promise.all(streams)) expectWholeStream(stream, PIECES);
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      `${String(STREAMS)} streams, all open after ${allOpenMs.toFixed(0)} ms, done after ${seconds.toFixed(1)} s; ` +
        `per stream: sidecar heap ${heap.toFixed(1)} kB, resident ${resident.toFixed(1)} kB, Envoy ${envoy.toFixed(1)} kB`,
    );
    expect(heap).toBeLessThan(200);
    expect(envoy).toBeLessThan(200);
    await vi.waitFor(async () => {
      expect(await readAccount(redis, key.keyHash)).toEqual({ spent: STREAMS * COST_NANO_USD, reserved: 0 });
    });
    await expectUnharmed(gateway, envoyPid, workerPid);
  });
});

async function newFakeProvider(): Promise<FakeProvider> {
  const provider = await createFakeProvider();
  closers.push(() => provider.close());
  return provider;
}

function expectWholeStream({ status, text, whole }: StreamSeen, pieces: number): void {
  expect([status, whole]).toEqual([200, true]);
  const words = Array.from(text.matchAll(/"content":"( word\d+)"/g), ([, word]) => word);
  expect(words).toEqual(Array.from({ length: pieces }, (_, index) => ` word${String(index)}`));
  expect(text).toContain('data: [DONE]\n\n');
  expect(text).toContain(': x-gateway-request-cost=');
}
