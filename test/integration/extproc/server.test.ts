import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { credentials, status as GrpcStatus, type ClientDuplexStream } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { defaultConfig } from '../../support/default-config.ts';
import { createAdmission } from '../../../src/extproc/admission/admission.ts';
import { createPlaces } from '../../../src/extproc/places.ts';
import type { EdgeServices } from '../../../src/extproc/services.ts';
import { startExtProcServer, type ExtProcServer, type TransportName } from '../../../src/extproc/server.ts';
import { PASS_EVENT } from '../../../src/pipeline/check.ts';
import type { Outcome } from '../../../src/pipeline/exchange.ts';
import { createRunner } from '../../../src/pipeline/run.ts';
import { createRoute } from '../../../src/routing/route.ts';
import { configuredUpstreams } from '../../../src/routing/upstreams.ts';
import { parsed } from '../../support/exchange.ts';
import { loadServices } from '../../support/ext-proc-client.ts';

/** The duration of a settlement. */
const SETTLE_MS = 200;

const { UNAVAILABLE } = GrpcStatus;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drain-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function start(
  transport: TransportName,
  ended: Outcome[],
  eventMs = 0,
  maxOpenStreams = 1_000,
): Promise<{ server: ExtProcServer; path: string }> {
  const { key, budget, facts } = parsed({ body: { model: 'gpt-4o', messages: [] } });
  const config = defaultConfig();
  const nothing = (): void => undefined;
  const check = {
    name: 'budget',
    shadowable: false,
    stream: () => ({
      event: () => (eventMs === 0 ? PASS_EVENT : delay(eventMs, PASS_EVENT)),
    }),
    async end(_exchange: unknown, outcome: Outcome): Promise<void> {
      await delay(SETTLE_MS);
      ended.push(outcome);
    },
  } as const;
  const observer = {
    verdict: nothing,
    enforceFailed: nothing,
    endFailed: nothing,
    finished: nothing,
    failed: nothing,
  };
  const admission = createAdmission({ limitMs: 60_000, onShed: () => undefined });
  onTestFinished(() => admission.close());
  const services: EdgeServices = {
    authenticate: () => Promise.resolve({ key, rawKeyHash: key.keyHash, budget, facts }),
    providerCredentials: {
      choose: (_key, _provider, providerKey) => ({ providerKey }),
      answered: () => undefined,
    },
    knowsAnyKey: () => Promise.resolve(false),
    route: createRoute(config, configuredUpstreams(config)),
    admission,
    places: createPlaces({ maxPerKey: 1_000, maxPerAddress: 1_000, maxAwaitingBody: 1_000 }),
    newRun: createRunner({ checks: [check], shadowMode: false, observer }),
    settings: {
      upstreamTimeoutMs: 1_000,
      stripTelemetry: false,
      errorFormat: 'gateway',
      refusalDetails: 'full',
      allowedOrigins: [],
    },
    observer,
    takeAnonymousLine: () => true,
  };
  const path = join(folder, 'gateway.sock');
  return {
    server: await startExtProcServer({
      address: { kind: 'unix', path },
      transport,
      services,
      maxOpenStreams,
    }),
    path,
  };
}

type Call = ClientDuplexStream<object, object>;

/** A request whose body has not arrived yet. */
async function begin(path: string): Promise<{ call: Call; close: () => void }> {
  const { processor } = loadServices();
  const client = new processor(`unix:${path}`, credentials.createInsecure());
  const call = (client as unknown as Record<'Process', () => Call>).Process();
  call.on('error', () => undefined);
  const headers = {
    ':method': 'POST',
    ':path': '/openai/v1/chat/completions',
    'content-type': 'application/json',
    authorization: 'Bearer gw-any',
    'x-gateway-provider-key': 'sk-any',
  };
  expect(await ask(call, { request_headers: headersOf(headers) })).toHaveProperty('request_headers');
  return { call, close: () => client.close() };
}

function headersOf(headers: Readonly<Record<string, string>>) {
  const list = Object.entries(headers).map(([key, value]) => ({ key, raw_value: Buffer.from(value) }));
  return { headers: { headers: list }, end_of_stream: false };
}

function ask(call: Call, message: object): Promise<unknown> {
  const answered = new Promise((resolve) => call.once('data', resolve));
  call.write(message);
  return answered;
}

/** Like the above, after the headers of its answer. Chunks of a stream follow. */
async function beginStream(path: string): Promise<{ call: Call; close: () => void }> {
  const begun = await begin(path);
  const body = Buffer.from('{"model":"gpt-4o","stream":true,"messages":[]}');
  await ask(begun.call, { request_body: { body, end_of_stream: true } });
  const started = await ask(begun.call, {
    response_headers: headersOf({ ':status': '200', 'content-type': 'text/event-stream' }),
    attributes: {
      'envoy.filters.http.ext_proc': { fields: { 'response.code_details': { stringValue: 'via_upstream' } } },
    },
  });
  expect(started).toHaveProperty('mode_override');
  return begun;
}

const TRANSPORTS: readonly TransportName[] = ['lean', 'grpc-js'];

it.each(TRANSPORTS)(
  'calls cut off by a drain are settled before the drain is over: %s',
  async (transport) => {
    const ended: Outcome[] = [];
    const { server, path } = await start(transport, ended);
    const { close } = await begin(path);
    await server.drain(10);
    expect([ended, server.openStreams]).toEqual([[{ kind: 'not_forwarded' }], 0]);
    close();
  },
);

it.each(TRANSPORTS)('accepts no more streams than it can settle: %s', async (transport) => {
  const { server, path } = await start(transport, [], 0, 2);
  const first = await begin(path);
  const second = await begin(path);
  async function status(): Promise<unknown> {
    const { processor } = loadServices();
    const client = new processor(`unix:${path}`, credentials.createInsecure());
    const call = (client as unknown as Record<'Process', () => Call>).Process();
    call.on('error', () => undefined);
    const told = new Promise<{ code: number }>((resolve) => call.on('status', resolve));
    call.resume();
    const { code } = await told;
    client.close();
    return code;
  }
  expect(await status()).toBe(UNAVAILABLE);
  first.call.cancel();
  await expect.poll(() => server.openStreams).toBe(1);
  const third = await begin(path);
  for (const { close } of [first, second, third]) close();
  await server.drain(10);
});

it.each(TRANSPORTS.flatMap((transport) => [0, 1].map((eventMs) => ({ transport, eventMs }))))(
  'waits once for an Envoy that stops reading, with checks that take $eventMs ms: $transport',
  async ({ transport, eventMs }) => {
    const CHUNKS = 400;
    const { server, path } = await start(transport, [], eventMs);
    const { call, close } = await beginStream(path);
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): unknown => warnings.push(name);
    process.on('warning', onWarning);
    call.pause();
    const body = Buffer.from(`data: {"x":"${'y'.repeat(16_000)}"}\n\n`);
    for (let nth = 1; nth <= CHUNKS; nth++)
      call.write({ response_body: { body, end_of_stream: nth === CHUNKS } });
    await delay(500);
    let replies = 0;
    const ended = new Promise<void>((resolve) => {
      call.on('data', () => {
        if (++replies === CHUNKS) resolve();
      });
    });
    call.resume();
    await ended;
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
    call.end();
    close();
    await server.drain(1_000);
  },
);
