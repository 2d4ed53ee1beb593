import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { countWritten } from '../../../src/pricing/count.ts';
import type { ProviderName } from '../../../src/providers/registry.ts';
import { LEASE_MS } from '../../support/account.ts';
import type { Script } from '../../support/fake-provider/index.ts';
import type { TestGateway } from '../../support/gateway.ts';
import { freePort } from '../../support/ports.ts';
import {
  budgetStatus,
  CHAT,
  CHAT_BODY,
  expectRefusal,
  NEVER,
  startBudgets,
  TOKEN,
  WORD_PIECES,
  WORDS,
  type Budgets,
  type Client,
} from './rig.ts';

/** docs/budgets.md: at least one test for each row of the table of charges. */
const MAX_TOKENS = 1_000;
const RESERVED = MAX_TOKENS * TOKEN;
const SLACK = 256 * TOKEN;
const WORDS_COST = 9 * TOKEN;
const BEDROCK = '/bedrock/model/flat/converse';
const CONVERSE = { messages: [{ role: 'user', content: [{ text: 'Say.' }] }] };
const STREAM = { stream: true };

let budgets: Budgets;
let leases: { readonly killed: Leased; readonly frozen: Leased };

beforeAll(async () => {
  const unreachable = `http://127.0.0.1:${String(await freePort())}`;
  budgets = await startBudgets({
    redis: { read_timeout: '300ms' },
    proxy: { upstream_timeout: '2s' },
    providers: { mistral: { base_url: unreachable } },
  });
  const [killed, frozen] = await Promise.all([leaseLeftBy('SIGKILL'), leaseLeftBy('SIGSTOP')]);
  leases = { killed, frozen };
});
afterAll(async () => {
  leases.frozen.gateway.signal('SIGCONT');
  await Promise.all([leases.killed.gateway.stop(), leases.frozen.gateway.stop()]);
  await budgets.close();
});

const newClient = (providerKey?: string): Promise<Client> =>
  budgets.newClient({ budget: { monthly: 1 }, ...(providerKey !== undefined && { providerKey }) });

/** A client of a scripted provider. */
async function clientWith(script: Script): Promise<Client> {
  const client = await newClient();
  client.behave(script);
  return client;
}

describe('a request that is never forwarded costs nothing:', () => {
  it('refused after its reservation', async () => {
    const client = await newClient('AKIDNOSUCH:');
    expectRefusal(await client.ask(CONVERSE, { path: BEDROCK }), 400, 'invalid_request');
    await client.expectSpent(0);
    expect(client.forwarded()).toHaveLength(0);
  });

  /** The headers have passed, and Redis is gone when the body arrives. */
  async function withRedisFrozen(client: Client, leaving?: AbortController) {
    const { promise: bodyAfter, resolve: sendBody } = Promise.withResolvers<undefined>();
    const asked = client.ask({}, { bodyAfter, ...(leaving && { signal: leaving.signal }) });
    await delay(150);
    await budgets.redis.pause();
    sendBody(undefined);
    await delay(50);
    leaving?.abort();
    const reply = await asked;
    await delay(200); // until Envoy has told the sidecar that the client left
    await budgets.redis.resume();
    return reply;
  }

  it('its client left during the wait for Redis', async () => {
    const client = await newClient();
    await withRedisFrozen(client, new AbortController());
    await client.expectSpent(0);
    expect(client.forwarded()).toHaveLength(0);
  });

  it('Redis did not answer', async () => {
    const client = await newClient();
    expectRefusal(await withRedisFrozen(client), 503, 'redis_unavailable');
    await client.expectSpent(0);
    expect(client.forwarded()).toHaveLength(0);
  });

  it('the provider was unreachable', async () => {
    const client = await newClient();
    for (const body of [{}, STREAM]) {
      const reply = await client.ask({ ...CHAT_BODY, ...body }, { path: '/mistral/v1/chat/completions' });
      expectRefusal(reply, 502, 'upstream_unavailable');
    }
    await client.expectSpent(0);
  });
});

describe.each([
  ['whole', {}],
  ['streamed', STREAM],
])('a complete answer, %s:', (_form, body) => {
  it('with usage costs the usage', async () => {
    const client = await clientWith({ outputTokens: 70 });
    expect((await client.ask(body)).status).toBe(200);
    await client.expectSpent(70 * TOKEN);
  });

  it('without usage is counted from its text', async () => {
    const client = await clientWith({ text: WORDS, usage: 'missing' });
    expect((await client.ask(body)).status).toBe(200);
    await client.expectSpent(WORDS_COST);
  });

  it('with neither usage nor text costs the reservation', async () => {
    const client = await clientWith({ outputTokens: 0, usage: 'missing' });
    expect((await client.ask(body)).status).toBe(200);
    await client.expectSpent(RESERVED);
  });

  it.each([400, 401, 429, 500, 503, 529])('with status %i costs nothing', async (status) => {
    const client = await clientWith({ status });
    expect((await client.ask(body)).status).toBe(status);
    await client.expectSpent(0);
  });

  it.each([502, 504, 524])(
    'with status %i, from a proxy before the model, costs the reservation',
    async (status) => {
      const client = await clientWith({ status });
      expect((await client.ask(body)).status).toBe(status);
      await client.expectSpent(RESERVED);
    },
  );
});

describe('a stream that breaks off costs its visible part and the slack:', () => {
  interface Dialect {
    readonly provider: ProviderName;
    readonly path: string;
    readonly body: Readonly<Record<string, unknown>>;
    /** Events before the text. */
    readonly before: number;
  }
  const DIALECTS: readonly Dialect[] = [
    { provider: 'openai', path: CHAT, body: { ...CHAT_BODY, ...STREAM }, before: 1 },
    {
      provider: 'openai',
      path: '/openai/v1/responses',
      body: { model: 'flat', max_output_tokens: MAX_TOKENS, input: 'Say.', ...STREAM },
      before: 4,
    },
    { provider: 'anthropic', path: '/anthropic/v1/messages', body: { ...CHAT_BODY, ...STREAM }, before: 3 },
    {
      provider: 'gemini',
      path: '/gemini/v1beta/models/flat:streamGenerateContent?alt=sse',
      body: { contents: [{ parts: [{ text: 'Say.' }] }], generationConfig: { maxOutputTokens: MAX_TOKENS } },
      before: 0,
    },
    {
      provider: 'bedrock',
      path: `${BEDROCK}-stream`,
      body: { ...CONVERSE, inferenceConfig: { maxTokens: MAX_TOKENS } },
      before: 1,
    },
    { provider: 'cohere', path: '/cohere/v2/chat', body: { ...CHAT_BODY, ...STREAM }, before: 2 },
  ];
  /** All words but the last piece, with which Gemini reports its finish. */
  const SEEN = WORDS.slice(0, 4 * (WORD_PIECES - 1));

  describe.each(DIALECTS)('$provider $path', ({ provider, path, body, before }) => {
    const cost = countWritten(provider, { text: SEEN, beyondBytes: 0 }) * TOKEN + SLACK;
    const at = before + WORD_PIECES - 1;

    it('the client disconnects', async () => {
      const client = await clientWith({ text: WORDS, holdStream: { afterPieces: at, until: NEVER } });
      const reply = await client.ask(body, { path, leaveAt: SEEN.slice(-4) });
      expect(reply.status).toBe(200);
      await client.expectSpent(cost);
    });

    it('the provider disconnects', async () => {
      const { promise: until, resolve: breakNow } = Promise.withResolvers<undefined>();
      // An immediate reset would overtake the bytes sent before it.
      const client = await clientWith({
        text: WORDS,
        holdStream: { afterPieces: at, until },
        breakOff: { at, how: 'reset' },
      });
      const onText = (text: string): void => void (text.includes(SEEN.slice(-4)) && breakNow(undefined));
      const reply = await client.ask(body, { path, onText });
      expect([reply.status, reply.cut]).toEqual([200, true]);
      await client.expectSpent(cost);
    });
  });

  it('it ends without its end marker', async () => {
    const client = await clientWith({ text: WORDS, breakOff: { at: 1 + WORD_PIECES, how: 'end' } });
    expect((await client.ask(STREAM)).cut).toBe(false);
    await client.expectSpent(WORDS_COST + SLACK);
  });

  it('the provider falls silent', async () => {
    const client = await clientWith({ text: WORDS, breakOff: { at: 1 + WORD_PIECES, how: 'stall' } });
    expect((await client.ask(STREAM)).cut).toBe(true);
    await client.expectSpent(WORDS_COST + SLACK);
  });

  it('its headers arrived, and no text', async () => {
    const client = await clientWith({ breakOff: { at: 'after_headers', how: 'reset' } });
    await client.ask(STREAM);
    await client.expectSpent(SLACK);
  });

  it('but never more than the reservation', async () => {
    const client = await clientWith({ text: WORDS, breakOff: { at: 1 + WORD_PIECES, how: 'reset' } });
    await client.ask({ ...STREAM, max_tokens: 100 });
    await client.expectSpent(100 * TOKEN);
  });

  it('and if the model hides its reasoning, its time', async () => {
    const client = await clientWith({
      text: WORDS,
      holdStream: { afterPieces: 1 + WORD_PIECES, until: NEVER },
    });
    const limit = 1_000_000;
    const leaving = new AbortController();
    const before = performance.now();
    const asked = client.ask(
      { ...STREAM, model: 'gpt-5', max_tokens: undefined, max_completion_tokens: limit },
      { signal: leaving.signal },
    );
    await vi.waitFor(() => expect(client.forwarded()).toHaveLength(1));
    const forwarded = performance.now();
    await delay(1_500);
    const atLeast = performance.now() - forwarded;
    leaving.abort();
    await asked;
    await vi.waitFor(async () => expect((await client.account()).reserved).toBe(0), { timeout: 10_000 });
    const atMost = performance.now() - before;
    const { spent } = await client.account();
    expect(spent).toBeGreaterThanOrEqual(Math.floor((atLeast / 1_000) * 300) * TOKEN);
    expect(spent).toBeLessThanOrEqual(Math.ceil((atMost / 1_000) * 300) * TOKEN);
  });
});

describe('a forwarded request without a visible answer costs the full reservation:', () => {
  it('the client left before an answer arrived', async () => {
    for (const body of [{}, STREAM]) {
      const client = await clientWith({ hold: NEVER });
      const leaving = new AbortController();
      const asked = client.ask(body, { signal: leaving.signal });
      await vi.waitFor(() => expect(client.forwarded()).toHaveLength(1));
      leaving.abort();
      await asked;
      await client.expectSpent(RESERVED);
    }
  });

  it.each<[string, Script, number]>([
    ['the provider did not answer in time', { hold: NEVER }, 504],
    ['it reset the connection', { breakOff: { at: 'before_headers', how: 'reset' } }, 502],
    ['it reset it in the middle of a whole answer', { breakOff: { at: 1, how: 'reset' } }, 502],
    ['its whole answer stopped in the middle', { breakOff: { at: 1, how: 'stall' } }, 504],
  ])('%s', async (_what, script, status) => {
    const client = await clientWith(script);
    expect((await client.ask()).status).toBe(status);
    await client.expectSpent(RESERVED);
  });
});

/** A stream whose only worker was killed or stopped in the middle. */
interface Leased {
  readonly gateway: TestGateway;
  readonly workerPid: number;
  readonly client: Client;
  readonly since: number;
}

async function leaseLeftBy(signal: 'SIGKILL' | 'SIGSTOP'): Promise<Leased> {
  const { gateway, newClient: newClientThere } = await startBudgets({}, budgets);
  const client = await newClientThere({ budget: { monthly: 1 } });
  client.behave({ text: WORDS, holdStream: { afterPieces: 1 + WORD_PIECES, until: NEVER } });
  const workerPid = gateway.workers()[0]?.pid ?? 0;
  const reply = await client.ask(STREAM, {
    onText(text) {
      if (!text.includes('ght.')) return;
      // A supervisor would kill a worker that is silent for so long; it is stopped too.
      if (signal === 'SIGSTOP') gateway.signal('SIGSTOP');
      process.kill(workerPid, signal);
    },
  });
  expect([reply.status, reply.cut]).toEqual([200, true]);
  expect(await client.account()).toEqual({ spent: 0, reserved: RESERVED });
  return { gateway, workerPid, client, since: Date.now() };
}

describe('an expired lease', () => {
  it('costs the full reservation', async () => {
    const { client, gateway, since } = leases.killed;
    const timeout = Math.max(since + LEASE_MS - Date.now(), 0) + 5_000;
    await vi.waitFor(async () => expect((await client.account()).reserved).toBe(0), {
      timeout,
      interval: 250,
    });
    const windows = await budgetStatus(gateway, client.keyHash);
    const amounts = windows.map(({ spent_usd, reserved_usd }) => [spent_usd, reserved_usd]);
    expect(amounts.at(-1)).toEqual([RESERVED / 1e9, 0]);
  });

  it('is corrected by a late settlement', async () => {
    const { client, gateway, workerPid, since } = leases.frozen;
    const timeout = Math.max(since + LEASE_MS - Date.now(), 0) + 5_000;
    await vi.waitFor(async () => expect(await client.account()).toEqual({ spent: RESERVED, reserved: 0 }), {
      timeout,
      interval: 250,
    });
    process.kill(workerPid, 'SIGCONT');
    await client.expectSpent(WORDS_COST + SLACK);
    gateway.signal('SIGCONT');
  });
});
