import type { ClientHttp2Session } from 'node:http2';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';

import { startCannedProvider, type CannedProvider } from '../../support/canned.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { send } from '../../support/http.ts';
import { chatBody } from '../../support/load.ts';
import { envoyStats, residentBytes } from '../../support/memory.ts';
import { http2Session, streamHttp2, type StreamSeen } from '../../support/streams.ts';

/** Uploads that stop below the limit and never end; together they have a gigabyte. */
const UPLOADS = 500;
const UPLOAD_BYTES = 2_000_000;
const SESSIONS = 10;
const MIB = 1_048_576;
const MAX_HEAP_BYTES = 256 * MIB;
/** Its code, its threads, and its growth between two checks of the heap. */
const MAX_RESIDENT_BYTES = MAX_HEAP_BYTES + 128 * MIB;
/** Over HTTP/1.1, where no stream is reset, and each may hold its limit. */
const UPLOADS_HTTP1 = 200;
const UPLOAD_BYTES_HTTP1 = 4_000_000;
const LIMIT_BYTES = 2 * MIB;
const MAX_RESIDENT_BYTES_HTTP1 = UPLOADS_HTTP1 * LIMIT_BYTES + 192 * MIB;
/** `server.read_timeout` has not ended any by then. */
const GIVEN_UP_AFTER_MS = 20_000;
/** The remaining ones fit into the heap. */
const SETTLED_AFTER_MS = 1_500;
const CHAT = '/openai/v1/chat/completions';
const CHUNK = Buffer.alloc(65_536, 'x');

let gateway: TestGateway;
let provider: CannedProvider;
let headers: Record<string, string>;
const sessions: ClientHttp2Session[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  provider = await startCannedProvider();
  gateway = await startGateway({
    config: {
      server: { log_level: 'warn', max_payload_bytes: LIMIT_BYTES },
      providers: { openai: { base_url: provider.url } },
      envoy: { max_heap_bytes: MAX_HEAP_BYTES },
    },
  });
  const { rawKey } = await gateway.createKey();
  headers = {
    authorization: `Bearer ${rawKey}`,
    'x-gateway-provider-key': 'sk-test',
    'content-type': 'application/json',
  };
});
afterEach(() => {
  for (const session of sessions.splice(0)) session.destroy();
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

/** Writes this many bytes as fast as they are accepted, and does not end the stream. */
function upload(stream: Duplex, bytes: number): void {
  let left = bytes;
  function go(): void {
    while (left > 0) {
      const size = Math.min(left, CHUNK.length);
      left -= size;
      if (!stream.write(CHUNK.subarray(0, size))) {
        stream.once('drain', go);
        return;
      }
    }
  }
  go();
}

interface Uploads {
  readonly all: number;
  over: number;
}

function uploadOverHttp2(): Uploads {
  const uploads = { all: UPLOADS, over: 0 };
  for (let n = 0; n < UPLOADS; n++) {
    if (n % (UPLOADS / SESSIONS) === 0) sessions.push(http2Session(gateway.baseUrl));
    const stream = sessions.at(-1)?.request({ ':method': 'POST', ':path': CHAT, ...headers });
    if (stream === undefined) throw new Error('there is no session');
    stream.on('error', () => undefined);
    stream.on('close', () => (uploads.over += 1));
    upload(stream.resume(), UPLOAD_BYTES);
  }
  return uploads;
}

/** Each in one chunk that is never complete. */
function uploadOverHttp1(): Uploads {
  const uploads = { all: UPLOADS_HTTP1, over: 0 };
  const lines = Object.entries({ host: 'x', 'transfer-encoding': 'chunked', ...headers });
  const head = `POST ${CHAT} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  for (let n = 0; n < UPLOADS_HTTP1; n++) {
    const socket = connect(gateway.port, '127.0.0.1');
    sockets.push(socket.resume());
    socket.on('error', () => undefined);
    socket.on('close', () => (uploads.over += 1));
    socket.write(`${head}${(UPLOAD_BYTES_HTTP1 + 1).toString(16)}\r\n`);
    upload(socket, UPLOAD_BYTES_HTTP1);
  }
  return uploads;
}

interface Watched {
  readonly peakBytes: number;
  /** Status of another client's requests meanwhile: 0 for a cut connection. */
  readonly statuses: readonly number[];
}

/** Sends a request over HTTP/2 on its own connection: Envoy cuts HTTP/1.1 when the heap is full. */
async function ask(): Promise<StreamSeen> {
  const session = http2Session(gateway.baseUrl);
  try {
    return await streamHttp2(session, {
      baseUrl: gateway.baseUrl,
      path: CHAT,
      headers,
      body: chatBody(false),
    });
  } finally {
    session.destroy();
  }
}

/** Another client repeats its request until the uploads are over, or more than half of them and no more follow. */
async function watch(uploads: Uploads): Promise<Watched> {
  const pid = gateway.envoy()?.pid ?? 0;
  let peakBytes = 0;
  const sampling = setInterval(() => (peakBytes = Math.max(peakBytes, residentBytes(pid))), 10);
  const statuses: number[] = [];
  let deadline = performance.now() + GIVEN_UP_AFTER_MS;
  let overBefore = 0;
  while (uploads.over < uploads.all && performance.now() < deadline) {
    if (uploads.over > uploads.all / 2 && uploads.over > overBefore) {
      deadline = performance.now() + SETTLED_AFTER_MS;
    }
    overBefore = uploads.over;
    const reply = await ask();
    statuses.push(reply.status);
    if (reply.status === 503) expect(reply.text).toContain('"type":"gateway_unavailable"');
    await sleep(20);
  }
  clearInterval(sampling);
  return { peakBytes, statuses };
}

async function expectRecovery(): Promise<void> {
  await vi.waitFor(
    async () => {
      const pressure = await envoyStats(gateway, 'fixed_heap.pressure');
      // In percent of three times the allowed heap: half of it.
      expect([...pressure.values()].at(0)).toBeLessThan(50 / 3);
    },
    { timeout: 10_000, interval: 100 },
  );
  for (let n = 0; n < 20; n++) {
    expect((await send(gateway.baseUrl, { path: CHAT, headers, body: chatBody(false) })).status).toBe(200);
  }
}

it('500 uploads that stop below the limit are reset before the heap is full, and others are served', async () => {
  const { peakBytes, statuses } = await watch(uploadOverHttp2());
  const resets = await envoyStats(gateway, 'reset_high_memory_stream.count');
  expect([...resets.values()].at(0)).toBeGreaterThan(UPLOADS / 2);
  expect(peakBytes).toBeLessThan(MAX_RESIDENT_BYTES);
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  await expectRecovery();
});

it('200 uploads over HTTP/1.1 that exceed the limit end when they reach it', async () => {
  const uploads = uploadOverHttp1();
  const { peakBytes } = await watch(uploads);
  expect(uploads.over).toBe(UPLOADS_HTTP1);
  expect(peakBytes).toBeLessThan(MAX_RESIDENT_BYTES_HTTP1);
  await expectRecovery();
});
