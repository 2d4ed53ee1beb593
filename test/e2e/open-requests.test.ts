import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import { envoyStats } from '../support/memory.ts';

/** Many requests that are opened and never completed: they may not keep others out. */
const STREAMS_A_CONNECTION = 1_000;
const PROVIDER_KEY = 'sk-provider-0123456789';
const OF_KEY = 'this key has too many open requests: wait for some to end';
const WITHOUT_BODY =
  'too many requests are waiting for their bodies, and this one has waited longest: send it again';

const refusal = (error: string): string =>
  `429 retry-after 1: ${JSON.stringify({ error, type: 'rate_limited' })}`;

let provider: FakeProvider;
beforeAll(async () => {
  provider = await createFakeProvider();
  provider.behave({ text: 'done' });
});
afterAll(() => provider.close());

/** Bodies may be slow, and so may a busy machine: neither ends a request here. */
const PATIENT = { server: { read_timeout: '120s' }, redis: { read_timeout: '20s' } };

function useGateway(server: ConfigInput['server'] = {}, auth: ConfigInput['auth'] = {}): () => TestGateway {
  let gateway: TestGateway | undefined;
  beforeAll(async () => {
    gateway = await startGateway({
      config: {
        server: { ...PATIENT.server, ...server },
        redis: PATIENT.redis,
        auth,
        providers: { openai: { base_url: provider.url } },
      },
    });
  });
  afterAll(() => gateway?.stop());
  return () => {
    if (gateway === undefined) throw new Error('there is a gateway');
    return gateway;
  };
}

interface From {
  readonly localAddress?: string;
  readonly forwardedFor?: string;
}

const headersOf = ({ rawKey }: Pick<TestKey, 'rawKey'>, { forwardedFor }: From) => ({
  authorization: `Bearer ${rawKey}`,
  'x-gateway-provider-key': PROVIDER_KEY,
  'content-type': 'application/json',
  ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
});

/** Requests without their bodies: the refusals so far, and their texts. */
interface Held {
  readonly refused: () => number;
  readonly told: ReadonlySet<string>;
  readonly release: () => void;
}

async function hold(
  gateway: TestGateway,
  key: Pick<TestKey, 'rawKey'>,
  count: number,
  from: From = {},
): Promise<Held> {
  const { localAddress } = from;
  const sessions: ClientHttp2Session[] = [];
  const told = new Set<string>();
  let refused = 0;
  for (let left = count; left > 0; left -= STREAMS_A_CONNECTION) {
    const session = connect(gateway.baseUrl, {
      createConnection: () =>
        connectTcp({ host: '127.0.0.1', port: gateway.port, ...(localAddress && { localAddress }) }),
    });
    session.on('error', () => undefined);
    sessions.push(session);
    await once(session, 'remoteSettings');
    for (let i = 0; i < Math.min(left, STREAMS_A_CONNECTION); i++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/openai/v1/chat/completions',
        ...headersOf(key, from),
      });
      stream.on('error', () => undefined);
      stream.on('response', (headers) => {
        refused += 1;
        const answer = `${String(headers[':status'])} retry-after ${String(headers['retry-after'])}`;
        let body = '';
        stream.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        stream.on('end', () => told.add(`${answer}: ${body}`));
      });
      stream.resume();
    }
  }
  return {
    refused: () => refused,
    told,
    release: () => {
      for (const session of sessions) session.destroy();
    },
  };
}

interface Asked {
  readonly status: number;
  readonly body: unknown;
}

/** A whole request, over its own connection. */
async function ask(gateway: TestGateway, key: TestKey, from: From = {}): Promise<Asked> {
  const { localAddress } = from;
  const session = connect(gateway.baseUrl, {
    createConnection: () =>
      connectTcp({ host: '127.0.0.1', port: gateway.port, ...(localAddress && { localAddress }) }),
  });
  const stream = session.request({
    ':method': 'POST',
    ':path': '/openai/v1/chat/completions',
    ...headersOf(key, from),
  });
  stream.end(JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }));
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  let text = '';
  for await (const chunk of stream.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  session.destroy();
  return { status: Number(headers[':status']), body: JSON.parse(text) as unknown };
}

const statusOf = async (...asked: Parameters<typeof ask>): Promise<number> => (await ask(...asked)).status;

describe('open requests of one key', () => {
  const gateway = useGateway();

  it('are bounded by default, and keep no other key out', { timeout: 90_000 }, async () => {
    const [heavy, other] = await Promise.all([gateway().createKey(), gateway().createKey()]);
    const held = await hold(gateway(), heavy, 5_000);
    onTestFinished(held.release);
    await vi.waitFor(() => expect(held.refused()).toBe(1_000), 60_000);
    expect([...held.told]).toEqual([refusal(OF_KEY)]);
    expect(await statusOf(gateway(), other)).toBe(200);
    expect(await ask(gateway(), heavy)).toEqual({
      status: 429,
      body: {
        error: OF_KEY,
        type: 'rate_limited',
      },
    });
    held.release();
    await vi.waitFor(async () => expect(await statusOf(gateway(), heavy)).toBe(200), 10_000);
    const stats = await envoyStats(gateway(), '^cluster.sidecar.http2.keepalive_timeout');
    expect([...stats.values()]).toEqual([0]);
  });
});

describe('open requests of one client address', () => {
  const gateway = useGateway({ max_open_per_key: 30, max_open_per_address: 50 });

  it('are bounded for any keys, and keep no other address out', async () => {
    const keys = await Promise.all([gateway().createKey(), gateway().createKey(), gateway().createKey()]);
    const [first, second, third] = keys;
    if (first === undefined || second === undefined || third === undefined) throw new Error('there are keys');
    const ofFirst = await hold(gateway(), first, 40);
    await vi.waitFor(() => expect(ofFirst.refused()).toBe(10));
    const ofSecond = await hold(gateway(), second, 30);
    await vi.waitFor(() => expect(ofSecond.refused()).toBe(10));
    expect(await ask(gateway(), third)).toMatchObject({
      status: 429,
      body: {
        error: 'this client address has too many open requests: wait for some to end',
        type: 'rate_limited',
      },
    });
    // A client's claim about its address is ignored.
    expect(await statusOf(gateway(), third, { forwardedFor: '192.0.2.1' })).toBe(429);
    expect(await statusOf(gateway(), third, { localAddress: '127.0.0.2' })).toBe(200);
    ofFirst.release();
    await vi.waitFor(async () => expect(await statusOf(gateway(), third)).toBe(200));
    ofSecond.release();
  });

  it('no longer count once refused: strangers occupy nothing', async () => {
    const key = await gateway().createKey();
    const held = await hold(gateway(), { rawKey: `gw-${'A'.repeat(43)}` }, 300);
    await vi.waitFor(() => expect(held.refused()).toBe(300), 10_000);
    expect(await statusOf(gateway(), key)).toBe(200);
    held.release();
  });
});

describe('behind a trusted proxy', () => {
  const gateway = useGateway({ max_open_per_address: 20 }, { trusted_hops: 1 });

  it('addresses are the clients’, not the proxy’s', async () => {
    const key = await gateway().createKey();
    const held = await hold(gateway(), key, 25, { forwardedFor: '192.0.2.1' });
    await vi.waitFor(() => expect(held.refused()).toBe(5));
    expect(await statusOf(gateway(), key, { forwardedFor: '192.0.2.1' })).toBe(429);
    expect(await statusOf(gateway(), key, { forwardedFor: '192.0.2.2' })).toBe(200);
    held.release();
  });
});

describe('requests without their bodies, within all bounds', () => {
  const gateway = useGateway({ max_open_per_key: 20_000, max_open_per_address: 20_000 });

  it('take at most half of the places, and the oldest give way', { timeout: 120_000 }, async () => {
    const [heavy, other] = await Promise.all([gateway().createKey(), gateway().createKey()]);
    const held = await hold(gateway(), heavy, 11_000);
    onTestFinished(held.release);
    const refusals = () => [held.refused(), ...held.told];
    await vi.waitFor(() => expect(refusals()).toEqual([1_000, refusal(WITHOUT_BODY)]), 90_000);
    expect(await statusOf(gateway(), other)).toBe(200);
    expect(await statusOf(gateway(), heavy)).toBe(200);
  });
});
