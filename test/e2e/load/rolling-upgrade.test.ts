import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import type { StoredVersion } from '../../../src/redis/stored-forms.ts';
import { readAccount } from '../../support/account.ts';
import { createFakeProvider, type FakeProvider } from '../../support/fake-provider/index.ts';
import { startGateway, type TestGateway, type TestKey } from '../../support/gateway.ts';
import { send, type Reply } from '../../support/http.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

/**
 * Gateways of two versions of the stored data over one Redis. The same build plays the older one, unless
 * PREVIOUS_GATEWAY names the `dist/cli/main.js` of another build without `redis.write_version`.
 */
const PREVIOUS = process.env['PREVIOUS_GATEWAY'];
const CLIENTS = 12;
const SESSIONS = 4;
const MAX_TOKENS = 40;
/** One token of the model `flat`. */
const TOKEN_NANO_USD = 1_000;
/** Answers in each phase; refusals count too, and fail the test afterwards. */
const ANSWERS_A_PHASE = 150;
/** Requests that a tight budget pays for, and simultaneous attempts. */
const WORTH = 10;
const AT_ONCE = 150;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Fleet {
  readonly redis: TestRedis;
  readonly provider: FakeProvider;
  /** Gateways that get requests, in turn; changed under load. */
  readonly inRotation: TestGateway[];
  start(version: StoredVersion): Promise<TestGateway>;
}

async function newFleet(): Promise<Fleet> {
  const redis = await startTestRedis();
  closers.push(() => redis.close());
  const provider = await createFakeProvider();
  closers.push(() => provider.close());
  return {
    redis,
    provider,
    inRotation: [],
    async start(version) {
      const isPrevious = version === 1 && PREVIOUS !== undefined;
      const gateway = await startGateway({
        redis,
        ...(isPrevious && { entry: PREVIOUS }),
        config: {
          ...(isPrevious ? {} : { redis: { write_version: version } }),
          server: { log_level: 'warn', dlp: { enabled: true } },
          providers: { openai: { base_url: provider.url } },
          pricing: { overrides: { flat: { input: 0, output: 1 } } },
          loop_detection: { velocity: { max_endpoint_repeats: 1_000_000 } },
          rate_limit: { enabled: true, requests_per_minute: 1_000_000 },
        },
      });
      closers.push(() => gateway.stop());
      return gateway;
    },
  };
}

let asked = 0;

/** Sends to the next gateway in rotation; each prompt differs, so that no loop is detected. */
function ask(fleet: Fleet, { rawKey }: TestKey, nth: number, session?: string): Promise<Reply> {
  const gateway = fleet.inRotation[asked++ % fleet.inRotation.length];
  if (gateway === undefined) throw new Error('no gateway is in rotation');
  return send(gateway.baseUrl, {
    path: '/openai/v1/chat/completions',
    headers: {
      authorization: `Bearer ${rawKey}`,
      'x-gateway-provider-key': `sk-of-${rawKey.slice(-8)}`,
      'content-type': 'application/json',
      ...(session === undefined ? {} : { 'x-gateway-session-id': session }),
    },
    body: JSON.stringify({
      model: 'flat',
      max_tokens: MAX_TOKENS,
      stream: nth % 2 === 1,
      messages: [
        { role: 'user', content: Array.from({ length: 6 }, () => randomUUID().slice(0, 8)).join(' ') },
      ],
    }),
  });
}

function forwardedOf({ provider }: Fleet, { rawKey }: TestKey): FakeProvider['requests'] {
  return provider.requests.filter(
    ({ headers }) => headers.authorization === `Bearer sk-of-${rawKey.slice(-8)}`,
  );
}

/** Clients that repeat requests, each in a session shared with others. */
function load(fleet: Fleet, key: TestKey): { phase(): Promise<void>; stop(): Promise<readonly Reply[]> } {
  const replies: Reply[] = [];
  let stopped = false;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    while (!stopped) replies.push(await ask(fleet, key, client, `session-${String(client % SESSIONS)}`));
  });
  return {
    /** Waits for this many more answers. */
    async phase() {
      const enough = replies.length + ANSWERS_A_PHASE;
      await vi.waitFor(() => expect(replies.length).toBeGreaterThanOrEqual(enough), {
        timeout: 60_000,
        interval: 20,
      });
    },
    async stop() {
      stopped = true;
      await Promise.all(clients);
      return replies;
    },
  };
}

async function sessionSteps({ redis }: Fleet, { keyHash }: TestKey): Promise<number> {
  const sessions = createRedisSessionStore({
    client: redis.client,
    deadlineMs: 5_000,
    ttlMs: 86_400_000,
    maxPerKey: 0,
  });
  return (await sessions.list(keyHash)).reduce((sum, { steps }) => sum + steps, 0);
}

describe.each<[string, StoredVersion, StoredVersion]>([
  ['upgraded', 1, 2],
  ['rolled back', 2, 1],
])('a fleet that is %s under load, from version %i of the stored data to version %i', (_how, from, to) => {
  it('loses nothing, charges nothing twice, refuses nothing, and overspends no budget', async () => {
    const fleet = await newFleet();
    const first = await fleet.start(from);
    fleet.inRotation.push(first);
    const key = await first.createKey({}, { monthly: 1_000 });
    const tight = await first.createKey({}, { monthly: (WORTH * MAX_TOKENS * TOKEN_NANO_USD) / 1e9 });
    const { phase, stop } = load(fleet, key);
    await phase();

    const second = await fleet.start(to);
    fleet.inRotation.push(second);
    await phase();
    // Both serve: a budget for ten requests admits ten, whichever wrote its ledger last.
    const wanting = await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => ask(fleet, tight, nth)));

    fleet.inRotation.shift();
    // It finishes its open requests while it drains.
    expect(await first.stop()).toBe(0);
    await phase();
    const replies = await stop();

    const odd = replies.filter(({ status, cut }) => status !== 200 || cut);
    expect(odd.map(({ status, body }) => [status, body])).toEqual([]);
    expect(replies.length).toBeGreaterThan(100);
    const forwarded = forwardedOf(fleet, key);
    expect(forwarded).toHaveLength(replies.length);
    const billed = forwarded.reduce((sum, one) => sum + one.billedOutputTokens * TOKEN_NANO_USD, 0);
    await vi.waitFor(
      async () => expect(await readAccount(fleet.redis, key.keyHash)).toEqual({ spent: billed, reserved: 0 }),
      { timeout: 10_000, interval: 100 },
    );
    expect(await sessionSteps(fleet, key)).toBe(replies.length);
    expect(wanting.filter(({ status }) => status === 200)).toHaveLength(WORTH);
    expect(wanting.filter(({ status }) => status === 429)).toHaveLength(AT_ONCE - WORTH);
    expect(forwardedOf(fleet, tight)).toHaveLength(WORTH);
    expect(await readAccount(fleet.redis, tight.keyHash)).toEqual({
      spent: WORTH * MAX_TOKENS * TOKEN_NANO_USD,
      reserved: 0,
    });
    for (const gateway of [first, second]) expect(gateway.logs()).not.toContain('stored_form_unknown');
    console.log(`${String(replies.length)} requests, ${String(billed / 1e9)} USD, 0 refused`);
  });
});
