import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, vi, beforeAll, afterAll, afterEach } from 'vitest';
import { type TestRedis, useTestRedis } from '../../support/redis.ts';
import { type FakeProvider, createFakeProvider } from '../../support/fake-provider/index.ts';
import { type TestGateway, startGateway } from '../../support/gateway.ts';
import { type AccountNow, readAccount } from '../../support/account.ts';
import { type Reply, send } from '../../support/http.ts';
import { freePort } from '../../support/ports.ts';
import { onLoopback } from '../../support/loopback.ts';

/** The timeouts in docs/refusals.md, with the charge for each kind of failure. */
export const READ_TIMEOUT_MS = 1_000;
export const WRITE_TIMEOUT_MS = 2_000;
export const UPSTREAM_TIMEOUT_MS = 1_500;
/** For a busy machine. */
export const SLACK_MS = 4_000;
const MAX_TOKENS = 100;
/** The limit alone costs this much at 10 USD a million: a full reservation is more, a real cost here less. */
const FULL_NANO_USD = MAX_TOKENS * 10_000;

let redis: TestRedis;
export let fake: FakeProvider;
export let odd: OddProvider;
/** `proxy.upstream_timeout` is the shortest of all. */
export let gateway: TestGateway;
/** `server.write_timeout` is the shortest. */
export let patient: TestGateway;

type ProviderName = 'openai' | 'mistral' | 'groq';

export interface Client {
  readonly headers: Readonly<Record<string, string>>;
  account(): Promise<AccountNow>;
}

export async function newClient(): Promise<Client> {
  const key = await gateway.createKey({ allowedProviders: ['mistral', 'groq'] }, { monthly: 1 });
  return {
    headers: {
      authorization: `Bearer ${key.rawKey}`,
      'x-gateway-provider-key': 'sk-test',
      'content-type': 'application/json',
    },
    account: () => readAccount(redis, key.keyHash),
  };
}

export function body(more: Readonly<Record<string, unknown>> = {}): string {
  const messages = [{ role: 'user', content: 'hi' }];
  return JSON.stringify({ model: 'gpt-test', max_tokens: MAX_TOKENS, messages, ...more });
}

export interface TimedReply extends Reply {
  readonly ms: number;
}

export async function ask(client: Client, provider: ProviderName = 'openai', more = {}): Promise<TimedReply> {
  const startedAt = performance.now();
  const reply = await send(gateway.baseUrl, {
    path: `/${provider}/v1/chat/completions`,
    headers: client.headers,
    body: body(more),
  });
  return { ...reply, ms: performance.now() - startedAt };
}

export function expectAfter(ms: number, timeoutMs: number): void {
  expect(ms).toBeGreaterThan(timeoutMs - 50);
  expect(ms).toBeLessThan(timeoutMs + SLACK_MS);
}

export async function expectCharge(client: Client, charge: 'nothing' | 'a part' | 'all'): Promise<void> {
  await vi.waitFor(
    async () => {
      const { spent, reserved } = await client.account();
      expect(reserved).toBe(0);
      if (charge === 'nothing') expect(spent).toBe(0);
      else if (charge === 'all') expect(spent).toBeGreaterThan(FULL_NANO_USD);
      else expect(spent).toSatisfy((nanoUsd: number) => nanoUsd > 0 && nanoUsd < FULL_NANO_USD);
    },
    { timeout: 10_000, interval: 100 },
  );
}

/** A provider that misbehaves. */
interface OddProvider {
  readonly url: string;
  /** Settles when the client of the next request has disconnected. */
  nextGone(): Promise<void>;
  close(): Promise<void>;
}

async function startOddProvider(): Promise<OddProvider> {
  let onGone = (): void => undefined;
  const server = createServer((request, response) => {
    const gone = onGone;
    response.on('close', gone);
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { odd: way } = JSON.parse(text) as { odd: keyof typeof ODD };
      void ODD[way](response);
    });
  });
  const { url, close } = await onLoopback(server);
  return { url, close, nextGone: () => new Promise((resolve) => (onGone = resolve)) };
}

const ODD = {
  /** A whole answer, a byte every 100 ms for a minute. */
  async trickle(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '600' });
    for (let sent = 0; sent < 600 && !response.destroyed; sent++) {
      response.write(' ');
      await delay(100);
    }
  },
  /** A whole answer of 1 MB. */
  large(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { content: 'x'.repeat(1_000_000) } }] }));
    return Promise.resolve();
  },
  /** A whole answer larger than Envoy's 16 MiB. */
  huge(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { content: 'x'.repeat(18_000_000) } }] }));
    return Promise.resolve();
  },
  /** An endless stream, as fast as it is read. */
  async flood(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const delta = { choices: [{ index: 0, delta: { content: 'x'.repeat(60_000) } }] };
    const closed = once(response, 'close');
    while (!response.destroyed) {
      if (!response.write(`data: ${JSON.stringify(delta)}\n\n`))
        await Promise.race([once(response, 'drain'), closed]);
    }
  },
};

export function useRig(): void {
  redis = useTestRedis();
  beforeAll(async () => {
    fake = await createFakeProvider();
    odd = await startOddProvider();
    const config = (upstreamTimeout: string, unreachable: number) => ({
      server: {
        read_timeout: `${String(READ_TIMEOUT_MS)}ms`,
        write_timeout: `${String(WRITE_TIMEOUT_MS)}ms`,
      },
      proxy: { upstream_timeout: upstreamTimeout },
      providers: {
        openai: { base_url: fake.url },
        mistral: { base_url: odd.url },
        groq: { base_url: `http://127.0.0.1:${String(unreachable)}` },
      },
      pricing: { overrides: { 'gpt-test': { input: 1, output: 10, max_output_tokens: 1_000 } } },
    });
    const unreachable = await freePort();
    gateway = await startGateway({ redis, config: config(`${String(UPSTREAM_TIMEOUT_MS)}ms`, unreachable) });
    patient = await startGateway({ redis, config: config('60s', unreachable) });
  });
  afterAll(async () => {
    await gateway.stop();
    await patient.stop();
    await odd.close();
    await fake.close();
  });
  afterEach(() => {
    fake.behave({});
  });
}
