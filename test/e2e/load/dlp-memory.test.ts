import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it, vi } from 'vitest';

import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { DEBUGGABLE, inspect, type Inspector } from '../../support/memory.ts';
import { WHOLE } from '../../support/seeded-part.ts';
import { http2Session, streamHttp2 } from '../../support/streams.ts';
import { onLoopback, type Loopback } from '../../support/loopback.ts';

/** The memory that many long streams hold while DLP searches all of them. */
const STREAMS = 200;
const EVENTS_A_CHUNK = 20;
const CHUNKS_A_PART = WHOLE ? 30 : 15;
/** Its number is unfinished at the end of each event, so the gateway always holds something back. */
const EVENT = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: ' Mail to jane.doe@example.com, +1 415 555' } }] })}\n\n`;
/** 256 characters of context, the held text, a template frame, and the gRPC stream, plus the text kept for counting. */
const MAX_BYTES_A_STREAM = 64_000;
/** Held bytes keep the read buffer alive; streams share it unless the machine is busy. */
const READ_BYTES = 65_536;
const MAX_GROWTH_A_STREAM = 8_000;
const RESTING_BYTES_A_STREAM = 500;
const LOOK_EVERY_MS = 500;
const MOST_LOOKS = 40;
/** DLP holds back 256 characters of text: some twelve events. */
const HELD_EVENTS = 20;

let gateway: TestGateway;
let worker: Inspector;
let loopback: Loopback;
const open = new Set<ServerResponse>();
const provider = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    open.add(response);
    response.on('close', () => open.delete(response));
  });
});

beforeAll(async () => {
  loopback = await onLoopback(provider);
  gateway = await startGateway({
    env: DEBUGGABLE,
    config: {
      server: { dlp: { enabled: true, scan_network: true } },
      providers: { openai: { base_url: loopback.url } },
    },
  });
  worker = await inspect(gateway, gateway.workers()[0]?.pid ?? 0);
});
afterAll(async () => {
  await gateway.stop();
  await loopback.close();
});

/** Text that each client has received. */
const received: string[] = Array.from({ length: STREAMS }, () => '');

/** Returns the worker's heap once it has forwarded this many events of each stream, except those that it holds back. */
async function heldAfter(events: number): Promise<number> {
  await vi.waitFor(
    () => {
      const counts = received.map((text) => text.split('Mail to').length - 1);
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(events - HELD_EVENTS);
    },
    { timeout: 120_000, interval: 500 },
  );
  return worker.heapAfterGc();
}

/** Runs one stream first: the code and tables that it loads belong to no stream. */
async function warmUp(start: () => Promise<unknown>): Promise<void> {
  const answer = start();
  await vi.waitFor(() => expect(open.size).toBe(1), { timeout: 20_000 });
  for (const response of open) response.end(`${EVENT.repeat(EVENTS_A_CHUNK)}data: [DONE]\n\n`);
  await answer;
  await vi.waitFor(() => expect(open.size).toBe(0));
}

/** Returns the heap once it is stable: a busy machine loads tables long after the start. */
async function restingHeap(): Promise<number> {
  let before = await worker.heapAfterGc();
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    await delay(LOOK_EVERY_MS);
    const now = await worker.heapAfterGc();
    if (Math.abs(now - before) < STREAMS * RESTING_BYTES_A_STREAM) return now;
    before = now;
  }
  return before;
}

async function sendPart(): Promise<void> {
  for (let chunk = 0; chunk < CHUNKS_A_PART; chunk += 1) {
    const waiting = [...open].filter((response) => !response.write(EVENT.repeat(EVENTS_A_CHUNK)));
    await Promise.all(waiting.map((response) => new Promise((resolve) => response.once('drain', resolve))));
  }
}

it('is bounded for each of 200 simultaneous streams, and does not grow with their length', async () => {
  const { rawKey } = await gateway.createKey();
  const headers = {
    authorization: `Bearer ${rawKey}`,
    'x-gateway-provider-key': 'sk-test',
    'content-type': 'application/json',
  };
  const body = JSON.stringify({
    model: 'gpt-4o',
    stream: true,
    messages: [{ role: 'user', content: 'Hello' }],
  });
  const session = http2Session(gateway.baseUrl);
  const request = { baseUrl: gateway.baseUrl, path: '/openai/v1/chat/completions', headers, body };
  await warmUp(() => streamHttp2(session, request));
  const before = await restingHeap();
  const answers = received.map((_, nth) =>
    streamHttp2(session, request, (text) => {
      received[nth] = text;
    }),
  );
  await vi.waitFor(() => expect(open.size).toBe(STREAMS), { timeout: 20_000 });
  await sendPart();
  const half = await heldAfter(CHUNKS_A_PART * EVENTS_A_CHUNK);
  await sendPart();
  const whole = await heldAfter(2 * CHUNKS_A_PART * EVENTS_A_CHUNK);
  for (const response of open) response.end('data: [DONE]\n\n');
  const seen = await Promise.all(answers);
  session.close();

  const events = 2 * CHUNKS_A_PART * EVENTS_A_CHUNK;
  const textBytes = (events / 2) * ' Mail to jane.doe@example.com, +1 415 555'.length;
  console.log(
    `held by a stream of ${String(events)} events: half way ${String(Math.round((half - before) / STREAMS))} bytes, ` +
      `at its end ${String(Math.round((whole - before) / STREAMS))}; text kept for counting ${String(textBytes)} more each half`,
  );
  expect(seen.every(({ whole: isWhole, text }) => isWhole && !text.includes('jane.doe'))).toBe(true);
  expect((half - before) / STREAMS).toBeLessThan(MAX_BYTES_A_STREAM + READ_BYTES + textBytes);
  expect((whole - half) / STREAMS).toBeLessThan(MAX_GROWTH_A_STREAM + textBytes);
});
