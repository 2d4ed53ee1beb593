import { spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { readAccount } from '../../support/account.ts';
import { startCannedProvider, type CannedProvider } from '../../support/canned.ts';
import { startGateway, type TestGateway, type TestKey } from '../../support/gateway.ts';
import { send, type Reply } from '../../support/http.ts';
import { chatBody, requestBytes } from '../../support/load.ts';
import { envoyStats } from '../../support/memory.ts';

/** `npm run streams` opens 5,000. */
const STREAMS = Number(process.env['LOAD_STREAMS'] ?? 600);
const CHAT = '/openai/v1/chat/completions';
/** Pauses the worker as a container's CPU limit does, for longer than Envoy waits between two pings. */
const FROZEN_MS = 9_000;
const COST_NANO_USD = 250 * 1_000 + 100 * 10_000;
/** Sent just before the worker resumes. */
const LATE_REQUESTS = 20;
const LATE_MS = 1_500;
const STREAMS_PER_CONNECTION = 256;
const OPENED_AT_ONCE = 50;

let provider: CannedProvider;
let gateway: TestGateway;
let keys: readonly TestKey[];

beforeAll(async () => {
  provider = await startCannedProvider('held');
  gateway = await startGateway({
    config: {
      server: { log_level: 'warn', shed_after: '1s', max_open_per_address: 10_000 },
      providers: { openai: { base_url: provider.url } },
      pricing: { overrides: { 'gpt-4o-mini': { input: 1, output: 10, max_output_tokens: 1_000 } } },
    },
  });
  keys = await Promise.all([1, 2].map(() => gateway.createKey({}, { monthly: 100_000 })));
});
afterAll(async () => {
  await gateway.stop();
  provider.close();
});

interface OpenStream {
  readonly socket: Socket;
  text: string;
  readonly over: Promise<undefined>;
}

async function openStream({ rawKey }: TestKey): Promise<OpenStream> {
  const socket = connect(gateway.port, '127.0.0.1');
  const { promise: over, resolve: close } = Promise.withResolvers<undefined>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>();
  const stream: OpenStream = { socket, text: '', over };
  socket.on('data', (data) => {
    stream.text = (stream.text + data.toString('latin1')).slice(-2_048);
    if (stream.text.includes('word ')) begin(undefined);
    if (stream.text.includes('[DONE]')) socket.destroy();
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    begin(undefined);
    close(undefined);
  });
  const headers = { authorization: `Bearer ${rawKey}`, 'x-gateway-provider-key': 'sk-test' };
  socket.write(requestBytes({ port: gateway.port, path: CHAT, headers }, chatBody(true, 'Hello')));
  await begun;
  return stream;
}

async function openStreams(): Promise<readonly OpenStream[]> {
  const opened: OpenStream[] = [];
  let next = 0;
  const openers = Array.from({ length: OPENED_AT_ONCE }, async () => {
    for (let at = next++; at < STREAMS; at = next++) {
      const key = keys[at % keys.length];
      if (key !== undefined) opened.push(await openStream(key));
    }
  });
  await Promise.all(openers);
  return opened;
}

function askOnce(key: TestKey | undefined): Promise<Reply> {
  const headers = {
    authorization: `Bearer ${key?.rawKey ?? ''}`,
    'x-gateway-provider-key': 'sk-test',
    'content-type': 'application/json',
  };
  return send(gateway.baseUrl, { path: CHAT, headers, body: chatBody(false, 'Hello') });
}

function cut(streams: readonly OpenStream[]): readonly OpenStream[] {
  return streams.filter(({ socket }) => socket.destroyed);
}

it(`${String(STREAMS)} open streams survive a worker without CPU time, new requests are shed, and each is charged once`, async () => {
  const streams = await openStreams();
  expect(cut(streams)).toHaveLength(0);
  const connections = await envoyStats(gateway, '^cluster.sidecar.upstream_cx_active$');
  // With one connection for each of Envoy's threads, each would carry half of them.
  const connectionsOpen = connections.get('cluster.sidecar.upstream_cx_active');
  expect(connectionsOpen).toBeGreaterThanOrEqual(STREAMS / STREAMS_PER_CONNECTION);
  const burners = [1, 2].map(() => spawn(process.execPath, ['-e', 'for(;;);']));
  const worker = gateway.workers()[0]?.pid ?? 0;
  process.kill(worker, 'SIGSTOP');
  await delay(FROZEN_MS);
  const late = Array.from({ length: LATE_REQUESTS }, (_, at) => askOnce(keys[at % keys.length]));
  await delay(LATE_MS);
  process.kill(worker, 'SIGCONT');
  const statuses = (await Promise.all(late)).map(({ status, headers }) => [
    status,
    headers['x-gateway-error-type'],
  ]);
  // On a busy machine some may arrive after the worker has caught up.
  const shed = statuses.filter(([, type]) => type === 'overloaded');
  expect(shed.length).toBeGreaterThan(LATE_REQUESTS / 2);
  for (const [status] of statuses) expect([200, 503]).toContain(status);
  await delay(3_000);
  for (const burner of burners) burner.kill('SIGKILL');
  expect(cut(streams)).toHaveLength(0);
  provider.end();
  await Promise.all(streams.map(({ over }) => over));
  expect(streams.filter(({ text }) => !text.includes('[DONE]'))).toHaveLength(0);
  for (const [index, key] of keys.entries()) {
    const own = Math.floor((STREAMS + keys.length - 1 - index) / keys.length);
    await vi.waitFor(
      async () =>
        expect(await readAccount(gateway.redis, key.keyHash)).toEqual({
          spent: own * COST_NANO_USD,
          reserved: 0,
        }),
      60_000,
    );
  }
});
