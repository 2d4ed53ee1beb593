import { beforeAll, afterEach, afterAll, expect, vi } from 'vitest';
import { type FakeProvider, createFakeProvider } from '../../support/fake-provider/index.ts';
import { type TestRedis, startTestRedis } from '../../support/redis.ts';
import { type RedisLink, linkToRedis } from '../../support/redis-link.ts';
import { type TestGateway, startGateway } from '../../support/gateway.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { type AccountNow, readAccount } from '../../support/account.ts';
import { type SendOptions, type Reply, send } from '../../support/http.ts';

/**
 * "Fail closed" in docs/redis.md and docs/architecture.md: without Redis or without a sidecar nothing passes,
 * every forwarded request is charged, and traffic recovers by itself.
 */
const CHAT = '/openai/v1/chat/completions';
const OUTPUT_TOKENS = 20;
/** 10 input tokens at 1 USD and 20 output tokens at 10 USD a million. */
export const COST_NANO_USD = 10 * 1_000 + OUTPUT_TOKENS * 10_000;
/** `redis.read_timeout` + 0.5 s, and Envoy's wait beyond it. */
export const PHASE_DEADLINE_MS = 800;
/** Time for the gateway's own answer after Redis fails to reply. */
export const ANSWERED_MS = PHASE_DEADLINE_MS + 500;

const closers: (() => Promise<unknown>)[] = [];
export function closeLater<T>(part: T, close: () => Promise<unknown>): T {
  closers.push(close);
  return part;
}
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

export interface Rig {
  readonly provider: FakeProvider;
  readonly redis: TestRedis;
  readonly link: RedisLink;
  readonly gateway: TestGateway;
}

async function startRig(config: ConfigInput = {}): Promise<Rig> {
  const provider = await createFakeProvider();
  closeLater(provider, () => provider.close());
  const redis = await startTestRedis();
  closeLater(redis, () => redis.close());
  const link = await linkToRedis(redis.port);
  closeLater(link, () => link.close());
  const gateway = await startGateway({ redis, config: { ...rigConfig(provider, link), ...config } });
  closeLater(gateway, () => gateway.stop());
  return { provider, redis, link, gateway };
}

/** A rig for one group of tests, whose provider behaves again after each. */
export function useRig(use: (rig: Rig) => void): void {
  let started: Rig | undefined;
  beforeAll(async () => {
    started = await startRig();
    use(started);
  });
  afterAll(closeAll);
  afterEach(() => started?.provider.behave({}));
}

export function rigConfig(provider: FakeProvider, link: RedisLink): ConfigInput {
  return {
    redis: { addr: link.addr, dial_timeout: '500ms', read_timeout: '300ms', write_timeout: '300ms' },
    providers: { openai: { base_url: provider.url } },
    pricing: { overrides: { 'gpt-test': { input: 1, output: 10, max_output_tokens: 1_000 } } },
  };
}

/** A client with its own key and its own provider key, which identifies its requests upstream. */
export interface Client {
  ask(options?: AskOptions): Promise<TimedReply>;
  models(): Promise<TimedReply>;
  /** Requests of this client that reached the provider. */
  forwarded(): number;
  /** This month's account, `afterMs` from now: a lease that has expired by then is charged. */
  account(afterMs?: number): Promise<AccountNow>;
}

interface AskOptions extends Pick<SendOptions, 'bodyAfter' | 'signal'> {
  readonly stream?: boolean;
}

interface TimedReply extends Reply {
  readonly ms: number;
}

let clients = 0;

export async function newClient({ gateway, redis, provider }: Rig): Promise<Client> {
  const { rawKey, keyHash } = await gateway.createKey({}, { monthly: 1 });
  const providerKey = `sk-client-${String(++clients)}`;
  const headers = { authorization: `Bearer ${rawKey}`, 'x-gateway-provider-key': providerKey };
  async function timed(options: SendOptions): Promise<TimedReply> {
    const startedAt = performance.now();
    const reply = await send(gateway.baseUrl, options);
    return { ...reply, ms: performance.now() - startedAt };
  }
  return {
    ask: ({ stream, ...options } = {}) =>
      timed({
        ...options,
        path: CHAT,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'gpt-test',
          max_tokens: OUTPUT_TOKENS,
          messages: [{ role: 'user', content: 'hi' }],
          ...(stream === true && { stream }),
        }),
      }),
    models: () => timed({ path: '/openai/v1/models', headers }),
    forwarded: () =>
      provider.requests.filter((request) => request.headers['authorization'] === `Bearer ${providerKey}`)
        .length,
    account: (afterMs) => readAccount(redis, keyHash, afterMs),
  };
}

/** A request that has reached the provider, which answers on demand. */
export async function askHeld(
  { provider }: Rig,
  client: Client,
): Promise<{ readonly asked: Promise<TimedReply>; readonly answer: () => void }> {
  const { promise: hold, resolve } = Promise.withResolvers<undefined>();
  provider.behave({ hold });
  const asked = client.ask();
  await vi.waitFor(() => expect(client.forwarded()).toBe(1));
  return { asked, answer: () => resolve(undefined) };
}

/** A stream that pauses after its fifth piece until it may continue. */
export async function askHeldStream(
  { provider }: Rig,
  client: Client,
): Promise<{ readonly asked: Promise<TimedReply>; readonly goOn: () => void }> {
  const { promise: until, resolve } = Promise.withResolvers<undefined>();
  provider.behave({ holdStream: { afterPieces: 5, until } });
  const asked = client.ask({ stream: true });
  await vi.waitFor(() => expect(client.forwarded()).toBe(1));
  return { asked, goOn: () => resolve(undefined) };
}

export function expectRefusal(reply: TimedReply, type: 'redis_unavailable' | 'gateway_unavailable'): void {
  expect([reply.status, reply.body]).toEqual([503, expect.stringContaining(`"type":"${type}"`)]);
  expect(Object.keys(JSON.parse(reply.body) as object).sort()).toEqual(['error', 'type']);
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.headers['x-gateway-request-id']).toMatch(/^[0-9a-f-]{36}$/);
}

/** Waits for recovery: only the fault ends meanwhile, and the gateway recovers alone. */
export async function expectTrafficBack(client: Client): Promise<void> {
  await vi.waitFor(async () => expect((await client.ask()).status).toBe(200), {
    timeout: 15_000,
    interval: 100,
  });
}

export async function expectChargedExactly(client: Client): Promise<void> {
  const exactly = { spent: client.forwarded() * COST_NANO_USD, reserved: 0 };
  await vi.waitFor(async () => expect(await client.account()).toEqual(exactly), {
    timeout: 15_000,
    interval: 100,
  });
}
