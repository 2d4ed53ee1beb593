import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readAccount, type AccountNow } from '../support/account.ts';
import { createFakeProvider, type FakeProvider, type Script } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send, sendRaw, type Reply } from '../support/http.ts';
import { freePort } from '../support/ports.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

/** docs/refusals.md, the line of timeouts, with the charge that each kind of failure brings. */
const READ_TIMEOUT_MS = 1_000;
const WRITE_TIMEOUT_MS = 2_000;
const UPSTREAM_TIMEOUT_MS = 1_500;
/** For a machine that is busy with something else. */
const SLACK_MS = 4_000;
const NEVER = new Promise<never>(() => undefined);
const MAX_TOKENS = 100;
/** The limit alone costs that much at 10 USD a million: a full reservation is more, a real cost here less. */
const FULL_NANO_USD = MAX_TOKENS * 10_000;

let redis: TestRedis;
let fake: FakeProvider;
let odd: OddProvider;
/** `proxy.upstream_timeout` is the shortest of all. */
let gateway: TestGateway;
/** `server.write_timeout` is. */
let patient: TestGateway;

beforeAll(async () => {
  redis = await startTestRedis();
  fake = await createFakeProvider();
  odd = await startOddProvider();
  const config = (upstreamTimeout: string, nobody: number) => ({
    server: { read_timeout: `${String(READ_TIMEOUT_MS)}ms`, write_timeout: `${String(WRITE_TIMEOUT_MS)}ms` },
    proxy: { upstream_timeout: upstreamTimeout },
    providers: {
      openai: { base_url: fake.url },
      mistral: { base_url: odd.url },
      groq: { base_url: `http://127.0.0.1:${String(nobody)}` },
    },
    pricing: { overrides: { 'gpt-test': { input: 1, output: 10, max_output_tokens: 1_000 } } },
  });
  const nobody = await freePort();
  gateway = await startGateway({ redis, config: config(`${String(UPSTREAM_TIMEOUT_MS)}ms`, nobody) });
  patient = await startGateway({ redis, config: config('60s', nobody) });
});
afterAll(async () => {
  await gateway.stop();
  await patient.stop();
  await odd.close();
  await fake.close();
  await redis.close();
});
afterEach(() => {
  fake.behave({});
});

type ProviderName = 'openai' | 'mistral' | 'groq';

interface Client {
  readonly headers: Readonly<Record<string, string>>;
  account(): Promise<AccountNow>;
}

async function newClient(): Promise<Client> {
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

function body(more: Readonly<Record<string, unknown>> = {}): string {
  const messages = [{ role: 'user', content: 'hi' }];
  return JSON.stringify({ model: 'gpt-test', max_tokens: MAX_TOKENS, messages, ...more });
}

interface TimedReply extends Reply {
  readonly ms: number;
}

async function ask(client: Client, provider: ProviderName = 'openai', more = {}): Promise<TimedReply> {
  const startedAt = performance.now();
  const reply = await send(gateway.baseUrl, {
    path: `/${provider}/v1/chat/completions`,
    headers: client.headers,
    body: body(more),
  });
  return { ...reply, ms: performance.now() - startedAt };
}

function expectRefusal(reply: Reply, status: number, type: string): void {
  expect([reply.status, reply.body]).toEqual([status, expect.stringContaining(`"type":"${type}"`)]);
  expect(Object.keys(JSON.parse(reply.body) as object).sort()).toEqual(['error', 'type']);
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.headers['x-gateway-request-id']).toMatch(/^[0-9a-f-]{36}$/);
}

function expectAfter(ms: number, timeoutMs: number): void {
  expect(ms).toBeGreaterThan(timeoutMs - 50);
  expect(ms).toBeLessThan(timeoutMs + SLACK_MS);
}

async function expectCharge(client: Client, charge: 'nothing' | 'a part' | 'all'): Promise<void> {
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

describe('server.read_timeout bounds the receipt of the whole request', () => {
  const head = (client: Client): string =>
    `POST /openai/v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 200\r\n${Object.entries(
      client.headers,
    )
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`;

  it('a body that stops: 408', async () => {
    const client = await newClient();
    const startedAt = performance.now();
    const reply = await sendRaw(gateway.port, `${head(client)}{"model"`, 10_000);
    expectAfter(performance.now() - startedAt, READ_TIMEOUT_MS);
    expect(reply).toMatch(/^HTTP\/1.1 408 /);
    expect(reply).toContain('"type":"request_timeout"');
    expect(reply).toMatch(/\r\nx-gateway-request-id: [0-9a-f-]{36}\r\n/);
  });

  it('a body that trickles: 408 all the same', async () => {
    const client = await newClient();
    const startedAt = performance.now();
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(head(client)));
    const trickle = setInterval(() => socket.write('{'), 100);
    let reply = '';
    socket.on('data', (chunk) => (reply += chunk.toString()));
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.on('close', resolve));
    clearInterval(trickle);
    expectAfter(performance.now() - startedAt, READ_TIMEOUT_MS);
    expect(reply).toMatch(/^HTTP\/1.1 408 /);
  });

  it('headers that do not come: the connection is not kept', async () => {
    const startedAt = performance.now();
    const reply = await sendRaw(
      gateway.port,
      'POST /openai/v1/chat/completions HTTP/1.1\r\nHost: x\r\n',
      10_000,
    );
    expectAfter(performance.now() - startedAt, READ_TIMEOUT_MS);
    expect(reply).not.toMatch(/^HTTP\/1.1 [23]/);
  });

  it('and neither the answer nor a stream', async () => {
    const client = await newClient();
    fake.behave({ headersDelayMs: READ_TIMEOUT_MS + 300 });
    expect((await ask(client)).status).toBe(200);
  });
});

function rawRequest(client: Client, text: string): string {
  const lines = Object.entries(client.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    'POST /mistral/v1/chat/completions HTTP/1.1\r\nHost: x\r\n' +
    `Content-Length: ${String(text.length)}\r\n${lines.join('')}\r\n${text}`
  );
}

/** A client on HTTP/2 that opens no window for what it asked for. */
function stallOnHttp2({ baseUrl }: TestGateway, client: Client, way: string) {
  const session = connectHttp2(baseUrl);
  session.on('error', () => undefined);
  const path = '/mistral/v1/chat/completions';
  const stalled = session.request({ ':method': 'POST', ':path': path, ...client.headers });
  stalled.on('error', () => undefined);
  stalled.end(body({ stream: way === 'flood', odd: way }));
  return { stalled, end: () => session.destroy() };
}

describe('server.write_timeout bounds how long a client may stall', () => {
  it('one that reads no more of a stream on HTTP/1.1 is cut off, and its reservation settled', async () => {
    const client = await newClient();
    const gone = odd.nextGone();
    const startedAt = performance.now();
    const text = body({ stream: true, odd: 'flood' });
    const socket = connect(patient.port, '127.0.0.1', () => {
      socket.pause();
      socket.write(rawRequest(client, text));
    });
    socket.on('error', () => undefined);
    await gone;
    expect(performance.now() - startedAt).toBeLessThan(WRITE_TIMEOUT_MS + 4_000);
    await expectCharge(client, 'all');
    socket.destroy();
  });

  it('one that reads no more of a finished answer on HTTP/2 is cut off', async () => {
    const client = await newClient();
    const { stalled, end } = stallOnHttp2(patient, client, 'large');
    const startedAt = performance.now();
    await new Promise((resolve) => stalled.on('close', resolve));
    expectAfter(performance.now() - startedAt, WRITE_TIMEOUT_MS);
    expect(stalled.rstCode).not.toBe(0);
    end();
  });

  // Envoy reads no more from the provider then, so that nobody can tell the two kinds of silence apart.
  it('one that stalls a running stream on HTTP/2 is cut off by proxy.upstream_timeout', async () => {
    const client = await newClient();
    const gone = odd.nextGone();
    const startedAt = performance.now();
    const { end } = stallOnHttp2(gateway, client, 'flood');
    await gone;
    expect(performance.now() - startedAt).toBeLessThan(UPSTREAM_TIMEOUT_MS + SLACK_MS);
    await expectCharge(client, 'all');
    end();
  });

  it('one that reads slowly but steadily is not', async () => {
    const client = await newClient();
    let gone = false;
    void odd.nextGone().then(() => (gone = true));
    const text = body({ stream: true, odd: 'flood' });
    const socket = connect(patient.port, '127.0.0.1', () => socket.write(rawRequest(client, text)));
    socket.on('error', () => undefined);
    let inRound = 0;
    socket.on('data', (chunk) => {
      inRound += chunk.length;
      if (inRound > 1_000_000) socket.pause();
    });
    const until = performance.now() + 3 * WRITE_TIMEOUT_MS;
    while (performance.now() < until) {
      inRound = 0;
      socket.resume();
      await vi.waitFor(() => expect(inRound).toBeGreaterThan(1_000_000));
      await delay(500);
    }
    expect(gone).toBe(false);
    socket.destroy();
    await expectCharge(client, 'all');
  });
});

describe('proxy.upstream_timeout', () => {
  it('headers that come too late: 504', async () => {
    const client = await newClient();
    fake.behave({ hold: NEVER });
    const reply = await ask(client);
    expectRefusal(reply, 504, 'upstream_timeout');
    expectAfter(reply.ms, UPSTREAM_TIMEOUT_MS);
    await expectCharge(client, 'all');
    await vi.waitFor(() => expect(fake.requests.at(-1)?.clientGone).toBe(true));
  });

  it('headers of a stream that come too late: 504', async () => {
    const client = await newClient();
    fake.behave({ hold: NEVER });
    expectRefusal(await ask(client, 'openai', { stream: true }), 504, 'upstream_timeout');
    await expectCharge(client, 'all');
  });

  it('the body of a whole answer that stops: 504', async () => {
    const client = await newClient();
    fake.behave({ breakOff: { at: 1, how: 'stall' } });
    const reply = await ask(client);
    expectRefusal(reply, 504, 'upstream_timeout');
    expectAfter(reply.ms, UPSTREAM_TIMEOUT_MS);
    await expectCharge(client, 'all');
  });

  it('the body of a whole answer that trickles: 504 all the same', async () => {
    const client = await newClient();
    const gone = odd.nextGone();
    const reply = await ask(client, 'mistral', { odd: 'trickle' });
    expectRefusal(reply, 504, 'upstream_timeout');
    expectAfter(reply.ms, UPSTREAM_TIMEOUT_MS);
    await gone;
    await expectCharge(client, 'all');
  });

  it('silence between two chunks cuts a stream', async () => {
    const client = await newClient();
    fake.behave({ holdStream: { afterPieces: 5, until: NEVER } });
    const reply = await ask(client, 'openai', { stream: true });
    expect([reply.status, reply.cut]).toEqual([200, true]);
    expect(reply.body).toContain('word1');
    expect(reply.body).not.toContain('[DONE]');
    expectAfter(reply.ms, UPSTREAM_TIMEOUT_MS);
    await expectCharge(client, 'all'); // what was seen and the slack are over this small reservation
  });

  it('a stream that is slow and steady is not cut, however long it takes', async () => {
    const client = await newClient();
    fake.behave({ outputTokens: 12, pieceDelayMs: 500 });
    const reply = await ask(client, 'openai', { stream: true });
    expect([reply.status, reply.cut]).toEqual([200, false]);
    expect(reply.body).toContain('[DONE]');
    expect(reply.ms).toBeGreaterThan(3 * UPSTREAM_TIMEOUT_MS);
    await expectCharge(client, 'a part');
  });
});

describe('a provider that', () => {
  async function broken(script: Script, stream = false): Promise<{ client: Client; reply: TimedReply }> {
    const client = await newClient();
    fake.behave(script);
    return { client, reply: await ask(client, 'openai', { stream }) };
  }

  it('refuses the connection: 502, and nothing is charged', async () => {
    const client = await newClient();
    expectRefusal(await ask(client, 'groq'), 502, 'upstream_unavailable');
    expectRefusal(await ask(client, 'groq', { stream: true }), 502, 'upstream_unavailable');
    await expectCharge(client, 'nothing');
  });

  it('resets before its headers: 502, and all is charged', async () => {
    const { client, reply } = await broken({ breakOff: { at: 'before_headers', how: 'reset' } });
    expectRefusal(reply, 502, 'upstream_unavailable');
    await expectCharge(client, 'all');
  });

  it('cuts a whole answer: 502, and all is charged', async () => {
    for (const at of ['after_headers', 1] as const) {
      const { client, reply } = await broken({ breakOff: { at, how: 'reset' } });
      expectRefusal(reply, 502, 'upstream_unavailable');
      await expectCharge(client, 'all');
    }
  });

  it('cuts a stream: the client sees a cut, never an end', async () => {
    const { client, reply } = await broken({ pieceDelayMs: 20, breakOff: { at: 5, how: 'reset' } }, true);
    expect([reply.status, reply.cut]).toEqual([200, true]);
    expect(reply.body).not.toContain('[DONE]');
    await expectCharge(client, 'all');
  });

  it('answers more than can be inspected at once: 502, and all is charged', async () => {
    const client = await newClient();
    const reply = await ask(client, 'mistral', { odd: 'huge' });
    expectRefusal(reply, 502, 'upstream_unavailable');
    await expectCharge(client, 'all');
  });

  it('fails does not make the gateway fail', async () => {
    const client = await newClient();
    fake.behave({ outputTokens: 5 });
    expect((await ask(client)).status).toBe(200);
    await expectCharge(client, 'a part');
  });
});

/** A provider that sends what no provider should. */
interface OddProvider {
  readonly url: string;
  /** Settles when the client of the next request has gone. */
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
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    nextGone: () => new Promise((resolve) => (onGone = resolve)),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
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
  /** A whole answer over Envoy's 16 MiB. */
  huge(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ choices: [{ message: { content: 'x'.repeat(18_000_000) } }] }));
    return Promise.resolve();
  },
  /** An endless stream, as fast as it is read. */
  async flood(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const delta = { choices: [{ index: 0, delta: { content: 'x'.repeat(60_000) } }] };
    while (!response.destroyed) {
      if (!response.write(`data: ${JSON.stringify(delta)}\n\n`)) await drained(response);
    }
  },
};

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    function done(): void {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    }
    response.on('drain', done);
    response.on('close', done);
  });
}
