import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { LEASE_MS, readAccount, type AccountNow } from '../support/account.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { serveUntilExit, startGateway, type TestGateway } from '../support/gateway.ts';
import { send, type Reply, type SendOptions } from '../support/http.ts';
import { freePort } from '../support/ports.ts';
import { linkToRedis, type LinkFault, type RedisLink } from '../support/redis-link.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

/**
 * The paragraph "Fail closed", docs/redis.md: without Redis or without a sidecar nothing passes,
 * nothing is forwarded that is not charged, and traffic comes back by itself.
 */
const CHAT = '/openai/v1/chat/completions';
const OUTPUT_TOKENS = 20;
/** 10 input tokens at 1 USD and 20 output tokens at 10 USD a million. */
const COST_NANO_USD = 10 * 1_000 + OUTPUT_TOKENS * 10_000;
/** `redis.read_timeout` + 0.5 s, and what Envoy waits beyond it. */
const PHASE_DEADLINE_MS = 800;
/** Time for the gateway to answer by itself, where Redis did not. */
const ANSWERED_MS = PHASE_DEADLINE_MS + 500;
const MESSAGE_TIMEOUT_MS = PHASE_DEADLINE_MS + 5_000;

const closers: (() => Promise<unknown>)[] = [];
function closeLater<T>(part: T, close: () => Promise<unknown>): T {
  closers.push(close);
  return part;
}
async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

interface Rig {
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

function rigConfig(provider: FakeProvider, link: RedisLink): ConfigInput {
  return {
    redis: { addr: link.addr, dial_timeout: '500ms', read_timeout: '300ms', write_timeout: '300ms' },
    providers: { openai: { base_url: provider.url } },
    pricing: { overrides: { 'gpt-test': { input: 1, output: 10, max_output_tokens: 1_000 } } },
  };
}

/** One client with a key, and a provider key, of its own, by which its requests are told apart upstream. */
interface Client {
  ask(options?: AskOptions): Promise<TimedReply>;
  models(): Promise<TimedReply>;
  /** Requests of this client that reached the provider. */
  forwarded(): number;
  /** This month's account, `afterMs` from now: a lease that is over by then has been charged. */
  account(afterMs?: number): Promise<AccountNow>;
}

interface AskOptions extends Pick<SendOptions, 'bodyAfter' | 'signal'> {
  readonly stream?: boolean;
}

interface TimedReply extends Reply {
  readonly ms: number;
}

let clients = 0;

async function newClient({ gateway, redis, provider }: Rig): Promise<Client> {
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

function expectRefusal(reply: TimedReply, type: 'redis_unavailable' | 'gateway_unavailable'): void {
  expect([reply.status, reply.body]).toEqual([503, expect.stringContaining(`"type":"${type}"`)]);
  expect(Object.keys(JSON.parse(reply.body) as object).sort()).toEqual(['error', 'type']);
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.headers['x-gateway-request-id']).toMatch(/^[0-9a-f-]{36}$/);
}

/** Nothing but the fault's end happens meanwhile: the gateway finds back alone. */
async function expectTrafficBack(client: Client): Promise<void> {
  await vi.waitFor(async () => expect((await client.ask()).status).toBe(200), {
    timeout: 15_000,
    interval: 100,
  });
}

async function expectChargedExactly(client: Client): Promise<void> {
  const exactly = { spent: client.forwarded() * COST_NANO_USD, reserved: 0 };
  await vi.waitFor(async () => expect(await client.account()).toEqual(exactly), {
    timeout: 15_000,
    interval: 100,
  });
}

describe('Redis', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(closeAll);
  afterEach(() => {
    rig.provider.behave({});
  });

  /** A crash, and a Redis that has kept its data as one with an append-only file does. */
  const stopped = {
    begin: async (): Promise<void> => {
      saved = await dump(rig.redis);
      await rig.redis.stop();
    },
    end: async (): Promise<void> => {
      rig.link.cut(); // nobody may see it empty
      await rig.redis.start();
      for (const { key, ttlMs, bytes } of saved) await rig.redis.client.restore(key, ttlMs, bytes);
      rig.link.heal();
    },
  };
  let saved: Awaited<ReturnType<typeof dump>> = [];
  const unreachable = {
    begin: () => Promise.resolve(rig.link.cut()),
    end: () => Promise.resolve(rig.link.heal()),
  };
  /** Replies do come, four bytes a second; connections of that time stay so for good. */
  const dripping = {
    begin: () => Promise.resolve(rig.link.drip(4)),
    end: () => Promise.resolve(rig.link.heal()),
  };
  const frozen = { begin: () => rig.redis.pause(), end: () => rig.redis.resume() };
  const setting = (name: string, bad: string, good: string) => ({
    begin: () => rig.redis.configSet(name, bad),
    end: () => rig.redis.configSet(name, good),
  });
  const command = (...args: string[]) => rig.redis.client.call(args[0] ?? '', args.slice(1));

  interface Outage {
    begin(): Promise<unknown>;
    end(): Promise<unknown>;
  }
  const ALL_GONE: readonly (readonly [string, Outage])[] = [
    ['stopped', stopped],
    ['unreachable', unreachable],
    ['frozen', frozen],
    ['dripping', dripping],
    [
      'behind a new password',
      {
        begin: async () => {
          await rig.redis.configSet('requirepass', 'changed');
          await command('CLIENT', 'KILL', 'TYPE', 'normal'); // not this one
        },
        end: () => rig.redis.configSet('requirepass', ''),
      },
    ],
  ];
  const NOT_WRITABLE: readonly (readonly [string, Outage])[] = [
    [
      'a replica',
      {
        begin: () => command('REPLICAOF', '127.0.0.1', '1'),
        end: () => command('REPLICAOF', 'NO', 'ONE'),
      },
    ],
    ['short of replicas', setting('min-replicas-to-write', '1', '0')],
    ['full', setting('maxmemory', '1', '0')],
    [
      'closed to scripts by an ACL',
      {
        begin: () => command('ACL', 'SETUSER', 'default', '-@scripting'),
        end: () => command('ACL', 'SETUSER', 'default', '+@all'),
      },
    ],
  ];

  it.each(ALL_GONE)('that is %s: 503 to everything until it is back', async (_name, outage) => {
    const client = await newClient(rig);
    expect((await client.ask()).status).toBe(200);
    await outage.begin();
    const replies = await Promise.all([client.ask(), client.ask({ stream: true }), client.models()]);
    for (const reply of replies) {
      expectRefusal(reply, 'redis_unavailable');
      expect(reply.ms).toBeLessThan(ANSWERED_MS);
    }
    expect(client.forwarded()).toBe(1);
    await outage.end();
    await expectTrafficBack(client);
    await expectChargedExactly(client);
  });

  it.each(NOT_WRITABLE)('that is %s: 503 to what must be charged', async (_name, outage) => {
    const client = await newClient(rig);
    expect((await client.ask()).status).toBe(200);
    await outage.begin();
    for (const reply of await Promise.all([client.ask(), client.ask({ stream: true })])) {
      expectRefusal(reply, 'redis_unavailable');
      expect(reply.ms).toBeLessThan(ANSWERED_MS);
    }
    expect(client.forwarded()).toBe(1);
    await outage.end();
    await expectTrafficBack(client);
    await expectChargedExactly(client);
  });

  describe.each(ALL_GONE)('that comes to be %s in mid-request', (_name, outage) => {
    it('between headers and body: 503, and nothing is forwarded', async () => {
      const client = await newClient(rig);
      const { promise: bodyAfter, resolve: sendBody } = Promise.withResolvers<undefined>();
      const asked = client.ask({ bodyAfter });
      await delay(200); // the headers have passed
      await outage.begin();
      sendBody(undefined);
      expectRefusal(await asked, 'redis_unavailable');
      expect(client.forwarded()).toBe(0);
      await outage.end();
      await expectTrafficBack(client);
      await expectChargedExactly(client);
    });

    it('while the provider works: 503, and charged once it is back', async () => {
      const client = await newClient(rig);
      const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
      rig.provider.behave({ hold });
      const asked = client.ask();
      await vi.waitFor(() => expect(client.forwarded()).toBe(1));
      await outage.begin();
      answer(undefined);
      const reply = await asked;
      expectRefusal(reply, 'redis_unavailable');
      expect(reply.body).not.toContain('word0');
      await outage.end();
      await expectChargedExactly(client);
      await expectTrafficBack(client);
    });

    it('in mid-stream: the stream goes on, and is charged once it is back', async () => {
      const client = await newClient(rig);
      const { promise: until, resolve: goOn } = Promise.withResolvers<undefined>();
      rig.provider.behave({ holdStream: { afterPieces: 5, until } });
      const asked = client.ask({ stream: true });
      await vi.waitFor(() => expect(client.forwarded()).toBe(1));
      await delay(100);
      await outage.begin();
      goOn(undefined);
      const reply = await asked;
      expect([reply.status, reply.cut]).toEqual([200, false]);
      expect(reply.body).toContain('word19');
      expect(reply.body).toContain('[DONE]');
      expect(reply.body).not.toContain('x-gateway-request-cost');
      await outage.end();
      await expectChargedExactly(client);
      await expectTrafficBack(client);
    });

    it('and its client leaves before it was forwarded: nothing is charged', async () => {
      const client = await newClient(rig);
      const { promise: bodyAfter, resolve: sendBody } = Promise.withResolvers<undefined>();
      const leaving = new AbortController();
      const asked = client.ask({ bodyAfter, signal: leaving.signal });
      await delay(200);
      await outage.begin();
      sendBody(undefined);
      await delay(50);
      leaving.abort();
      await asked;
      await delay(300); // the sidecar has heard of it
      await outage.end();
      await delay(500);
      expect(client.forwarded()).toBe(0);
      await expectChargedExactly(client);
      await expectTrafficBack(client);
    });
  });

  it('that cannot be written when the answer comes: 503, and charged later', async () => {
    const client = await newClient(rig);
    const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
    rig.provider.behave({ hold });
    const asked = client.ask();
    await vi.waitFor(() => expect(client.forwarded()).toBe(1));
    await command('REPLICAOF', '127.0.0.1', '1');
    answer(undefined);
    expectRefusal(await asked, 'redis_unavailable');
    await command('REPLICAOF', 'NO', 'ONE');
    await expectChargedExactly(client);
  });

  it('whose scripts are flushed at any time is told them again', async () => {
    const client = await newClient(rig);
    await rig.redis.client.script('FLUSH');
    const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
    rig.provider.behave({ hold });
    const asked = client.ask();
    await vi.waitFor(() => expect(client.forwarded()).toBe(1));
    await rig.redis.client.script('FLUSH');
    answer(undefined);
    expect((await asked).status).toBe(200);
    await expectChargedExactly(client);
  });

  it.each<LinkFault>(['lose command', 'lose reply', 'garbage', 'wrong shape', 'error', 'silence', 'go away'])(
    'with the fault "%s" at its n-th command: never uncharged, never charged twice',
    async (fault) => {
      const client = await newClient(rig);
      const statuses: number[] = [];
      for (let n = 1; n <= 10; n++) {
        rig.link.breakAt(n, fault);
        for (const stream of [false, true]) {
          const reply = await client.ask({ stream });
          statuses.push(reply.status);
          if (reply.status !== 200) expectRefusal(reply, 'redis_unavailable');
        }
        rig.link.heal();
        await expectTrafficBack(client);
      }
      await expectChargedExactly(client);
      // What is lost on the way is sent again within the deadline; what is answered wrongly is not.
      const sentAgain: readonly LinkFault[] = ['lose command', 'lose reply', 'silence'];
      if (!sentAgain.includes(fault)) expect(statuses).toContain(503);
    },
  );
});

async function dump({ client }: TestRedis): Promise<{ key: string; ttlMs: number; bytes: Buffer }[]> {
  const keys = await client.keys('*');
  return Promise.all(
    keys.map(async (key) => {
      const bytes = await client.dumpBuffer(key);
      return { key, ttlMs: Math.max(0, await client.pttl(key)), bytes: bytes ?? Buffer.alloc(0) };
    }),
  );
}

describe('A start', () => {
  afterEach(closeAll);

  it('without Redis: 503 to everything, and traffic once it is there', async () => {
    const redis = await startTestRedis();
    closeLater(redis, () => redis.close());
    const provider = await createFakeProvider();
    closeLater(provider, () => provider.close());
    const link = await linkToRedis(redis.port);
    closeLater(link, () => link.close());
    link.cut();
    const gateway = await startGateway({ redis, waitFor: 'live', config: rigConfig(provider, link) });
    closeLater(gateway, () => gateway.stop());
    const client = await newClient({ gateway, redis, link, provider });
    expectRefusal(await client.ask(), 'redis_unavailable');
    expectRefusal(await client.models(), 'redis_unavailable');
    expect(client.forwarded()).toBe(0);
    link.heal();
    await expectTrafficBack(client);
    await gateway.waitUntil((now) => now.ready);
    await expectChargedExactly(client);
  });

  it.each([
    [
      'that may evict',
      ['--maxmemory-policy', 'allkeys-lru'],
      undefined,
      'CONFIG SET maxmemory-policy noeviction',
    ],
    ['older than 7', [], ['redis_version:7.', 'redis_version:6.'], 'install Redis 7'],
  ] as const)('with a Redis %s is refused, with the remedy', async (_name, args, rewrite, remedy) => {
    const redis = await startTestRedis({ args });
    closeLater(redis, () => redis.close());
    const link = await linkToRedis(redis.port, rewrite === undefined ? {} : { rewrite });
    closeLater(link, () => link.close());
    const { code, output } = await serveUntilExit(
      {
        server: { host: '127.0.0.1', port: await freePort(), admin_port: await freePort() },
        redis: { addr: link.addr },
      },
      { SERVER_INSECURE_DEV: 'true' },
    );
    expect([code, output]).toEqual([1, expect.stringContaining(remedy)]);
  });
});

describe('The sidecar', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(closeAll);
  afterEach(() => {
    rig.provider.behave({});
  });
  const worker = (): number => rig.gateway.workers()[0]?.pid ?? 0;

  it('killed: 503 gateway_unavailable at once, and started again', async () => {
    const client = await newClient(rig);
    const before = worker();
    process.kill(before, 'SIGKILL');
    const reply = await client.ask();
    expectRefusal(reply, 'gateway_unavailable');
    expect(reply.ms).toBeLessThan(ANSWERED_MS);
    expect(client.forwarded()).toBe(0);
    await expectTrafficBack(client);
    expect(worker()).not.toBe(before);
    await expectChargedExactly(client);
  });

  it('killed while the provider works: 503, and its lease is charged in full when it is over', async () => {
    const client = await newClient(rig);
    const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
    rig.provider.behave({ hold });
    const asked = client.ask();
    await vi.waitFor(() => expect(client.forwarded()).toBe(1));
    process.kill(worker(), 'SIGKILL');
    expectRefusal(await asked, 'gateway_unavailable');
    answer(undefined);
    const { spent, reserved } = await client.account();
    expect([spent, reserved]).toEqual([0, expect.any(Number)]);
    expect(reserved).toBeGreaterThanOrEqual(COST_NANO_USD - 10_000);
    expect(await client.account(LEASE_MS + 1_000)).toEqual({ spent: reserved, reserved: 0 });
    await vi.waitFor(async () => expect((await client.models()).status).toBe(200), 15_000);
  });

  it('killed in mid-stream: the stream is cut, and nothing uninspected follows', async () => {
    const client = await newClient(rig);
    const { promise: until, resolve: goOn } = Promise.withResolvers<undefined>();
    rig.provider.behave({ holdStream: { afterPieces: 5, until } });
    const asked = client.ask({ stream: true });
    await vi.waitFor(() => expect(client.forwarded()).toBe(1));
    await delay(200);
    process.kill(worker(), 'SIGKILL');
    goOn(undefined);
    const reply = await asked;
    expect([reply.status, reply.cut]).toEqual([200, true]);
    expect(reply.body).toContain('word1');
    expect(reply.body).not.toContain('word8');
    await vi.waitFor(async () => expect((await client.models()).status).toBe(200), 15_000);
  });

  it('hung: 503 gateway_unavailable when message_timeout is over at the latest, and back when it goes on', async () => {
    const client = await newClient(rig);
    process.kill(worker(), 'SIGSTOP');
    const replies = await Promise.all([client.ask(), client.ask({ stream: true }), client.models()]);
    for (const reply of replies) {
      expectRefusal(reply, 'gateway_unavailable');
      expect(reply.ms).toBeLessThan(MESSAGE_TIMEOUT_MS + 1_000);
    }
    process.kill(worker(), 'SIGCONT');
    await expectTrafficBack(client);
    await expectChargedExactly(client);
  });

  it('hung while the provider works: 503 when the answer comes, and charged when it goes on', async () => {
    const client = await newClient(rig);
    const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
    rig.provider.behave({ hold });
    const asked = client.ask();
    await vi.waitFor(() => expect(client.forwarded()).toBe(1));
    process.kill(worker(), 'SIGSTOP');
    answer(undefined);
    const reply = await asked;
    expectRefusal(reply, 'gateway_unavailable');
    process.kill(worker(), 'SIGCONT');
    await vi.waitFor(async () => {
      const { spent, reserved } = await client.account();
      expect(reserved).toBe(0);
      expect(spent).toBeGreaterThanOrEqual(COST_NANO_USD - 10_000);
    }, 15_000);
    await expectTrafficBack(client);
  });

  it('hung in mid-stream: the client is not left hanging', async () => {
    const client = await newClient(rig);
    const { promise: until, resolve: goOn } = Promise.withResolvers<undefined>();
    rig.provider.behave({ holdStream: { afterPieces: 5, until } });
    const asked = client.ask({ stream: true });
    await vi.waitFor(() => expect(client.forwarded()).toBe(1));
    await delay(200);
    const pid = worker();
    process.kill(pid, 'SIGSTOP');
    goOn(undefined);
    const reply = await asked;
    process.kill(pid, 'SIGCONT');
    expect([reply.status, reply.cut]).toEqual([200, true]);
    expect(reply.body).not.toContain('word8');
    expect(reply.ms).toBeLessThan(12_000);
    await expectTrafficBack(client);
  });
});
