import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { credentials, type ClientDuplexStream } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultConfig } from '../../../src/config/load.ts';
import type { EdgeServices } from '../../../src/extproc/context.ts';
import { loadServices, type ProcessingRequest, type ProcessingResponse } from '../../../src/extproc/proto.ts';
import { startExtProcServer, type ExtProcServer } from '../../../src/extproc/server.ts';
import type { Outcome } from '../../../src/pipeline/exchange.ts';
import { createRunner } from '../../../src/pipeline/run.ts';
import { createRoute } from '../../../src/routing/route.ts';
import { configuredUpstreams } from '../../../src/routing/upstreams.ts';
import { parsed } from '../budget/exchange.ts';

/** As long as a settlement takes. */
const SETTLE_MS = 200;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drain-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function start(ended: Outcome[]): Promise<{ server: ExtProcServer; path: string }> {
  const { key, budgetLimits, facts } = parsed({ body: { model: 'gpt-4o', messages: [] } });
  const config = defaultConfig();
  const nothing = (): void => undefined;
  const check = {
    name: 'budget',
    shadowable: false,
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
  const services: EdgeServices = {
    authenticate: () => Promise.resolve({ key, rawKeyHash: key.keyHash, budgetLimits, facts }),
    route: createRoute(config, configuredUpstreams(config)),
    newRun: createRunner({ checks: [check], shadowMode: false, observer }),
    settings: { upstreamTimeoutMs: 1_000, stripTelemetry: false },
    observer,
  };
  const path = join(folder, 'gateway.sock');
  return { server: await startExtProcServer({ address: { kind: 'unix', path }, services }), path };
}

/** A request whose body has not come yet. */
async function begin(path: string): Promise<() => void> {
  const { processor } = loadServices();
  const client = new processor(`unix:${path}`, credentials.createInsecure());
  const call = (
    client as unknown as Record<'Process', () => ClientDuplexStream<ProcessingRequest, ProcessingResponse>>
  ).Process();
  call.on('error', () => undefined);
  const headers = {
    ':method': 'POST',
    ':path': '/openai/v1/chat/completions',
    'content-type': 'application/json',
    authorization: 'Bearer gw-any',
    'x-gateway-provider-key': 'sk-any',
  };
  const list = Object.entries(headers).map(([name, value]) => ({ key: name, raw_value: Buffer.from(value) }));
  const answered = new Promise((resolve) => call.once('data', resolve));
  call.write({ request_headers: { headers: { headers: list }, end_of_stream: false } });
  expect(await answered).toHaveProperty('request_headers');
  return () => client.close();
}

it('what a drain cuts off is settled before the drain is over', async () => {
  const ended: Outcome[] = [];
  const { server, path } = await start(ended);
  const close = await begin(path);
  await server.drain(10);
  expect([ended, server.openStreams]).toEqual([[{ kind: 'not_forwarded' }], 0]);
  close();
});
