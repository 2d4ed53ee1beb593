import { setTimeout as delay } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NewKey } from '../../src/auth/key-fields.ts';
import { windowAccounts } from '../../src/checks/budget/accounts.ts';
import { createRedisBudgetStore } from '../../src/checks/budget/redis-store.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { createFakeProvider, type FakeProvider, type Script } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { freePort } from '../support/ports.ts';

const MESSAGES = [{ role: 'user', content: 'hello' } as const];
const EVERYTHING: Partial<NewKey> = {
  allowedProviders: ['openai', 'groq', 'together', 'anthropic', 'deepseek'],
};
const CHEAP = 'llama-3.1-8b-instant';

let openai: FakeProvider;
let groq: FakeProvider;
let anthropic: FakeProvider;
let deepseek: FakeProvider;
let gateway: TestGateway;
let rawKey: string;

const ALWAYS = { on: ['connect', '429', '5xx'] } as const;

beforeAll(async () => {
  [openai, groq, anthropic, deepseek] = await Promise.all([
    createFakeProvider(),
    createFakeProvider(),
    createFakeProvider(),
    createFakeProvider(),
  ]);
  const main = { provider: 'openai', model: 'gpt-4o', credential: 'openai-main' } as const;
  const cheap = { provider: 'groq', model: CHEAP, credential: 'groq-main', on: [...ALWAYS.on] } as const;
  const closed = { provider: 'together', model: 'closed', credential: 'together-main' } as const;
  const config: ConfigInput = {
    providers: {
      openai: { base_url: openai.url },
      groq: { base_url: groq.url },
      together: { base_url: `http://127.0.0.1:${String(await freePort())}` },
      anthropic: { base_url: anthropic.url },
      deepseek: { base_url: deepseek.url },
    },
    credentials: {
      'openai-main': { provider: 'openai', from: { env: 'KEY_OPENAI' } },
      'groq-main': { provider: 'groq', from: { env: 'KEY_GROQ' } },
      'together-main': { provider: 'together', from: { env: 'KEY_TOGETHER' } },
      claude: { provider: 'anthropic', from: { env: 'KEY_CLAUDE' } },
      seek: { provider: 'deepseek', from: { env: 'KEY_SEEK' } },
    },
    pricing: {
      overrides: { 'together/closed': { input: 1, output: 1 } },
    },
    proxy: { upstream_timeout: '2s' },
    models: {
      smart: [main, { ...cheap, on: [...cheap.on] }],
      refused: [closed, { ...cheap, on: [...cheap.on] }],
      throttled: [main, { ...cheap, on: [429] }],
      twice: [main, { ...cheap, on: ['5xx'], retry_uncertain: true }],
      patient: [
        { ...main, timeout: '300ms' },
        { ...cheap, on: ['5xx'], retry_uncertain: true },
      ],
      three: [closed, { ...main, on: ['connect'] }, { ...cheap, on: ['429'] }],
      thinker: [
        { provider: 'anthropic', model: 'claude-sonnet-4-5', credential: 'claude' },
        { provider: 'deepseek', model: 'deepseek-chat', credential: 'seek', on: ['429'] },
      ],
    },
    // Each test lets targets fail; circuits have their own tests.
    routes: { circuit_breaker: { enabled: false } },
    budgets: [{ name: 'dear', match: { models: ['gpt-4o*'] }, daily: 1_000 }],
  };
  const names = ['OPENAI', 'GROQ', 'TOGETHER', 'CLAUDE', 'SEEK'];
  gateway = await startGateway({
    config,
    env: Object.fromEntries(names.map((name) => [`KEY_${name}`, `sk-${name.toLowerCase()}-held`])),
  });
  ({ rawKey } = await gateway.createKey(EVERYTHING));
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([openai, groq, anthropic, deepseek].map((provider) => provider.close()));
});
beforeEach(() => {
  for (const provider of [openai, groq, anthropic, deepseek]) provider.behave({});
});

interface Ask {
  readonly key?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(model: string, { key = rawKey, body, headers }: Ask = {}): Promise<Reply> {
  return send(gateway.baseUrl, {
    path: '/openai/v1/chat/completions',
    body: JSON.stringify({ model, max_tokens: 10, messages: MESSAGES, ...body }),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
  });
}

/** Returns how many requests each provider gets meanwhile. */
async function askedDuring(act: () => Promise<unknown>): Promise<readonly [number, number]> {
  const before = [openai.requests.length, groq.requests.length] as const;
  await act();
  return [openai.requests.length - before[0], groq.requests.length - before[1]];
}

const servedBy = (reply: Reply): unknown => reply.headers['x-gateway-served-by'];

describe('another target', () => {
  it('is tried if there is no connection', async () => {
    const reply = await ask('refused');
    expect([reply.status, servedBy(reply)]).toEqual([200, `groq/${CHEAP}`]);
  });

  it.each([429, 500, 503, 529])(
    'is tried after %i, with its own model, path and credential',
    async (status) => {
      openai.behave({ status });
      const reply = await ask('smart');
      expect([reply.status, servedBy(reply)]).toEqual([200, `groq/${CHEAP}`]);
      const got = groq.requests.at(-1);
      expect(got?.json).toMatchObject({ model: CHEAP, messages: MESSAGES });
      expect(got?.headers['authorization']).toBe('Bearer sk-groq-held');
      expect(Object.keys(got?.headers ?? {}).filter((name) => name.startsWith('x-g'))).toEqual([]);
      expect(Object.keys(reply.headers).filter((name) => name.startsWith('x-gw'))).toEqual([]);
      expect(openai.requests.at(-1)).toMatchObject({
        json: { model: 'gpt-4o' },
        headers: { authorization: 'Bearer sk-openai-held' },
      });
    },
  );

  it.each([400, 401, 403, 404, 408, 422])('is not tried after %i', async (status) => {
    openai.behave({ status });
    const asked = await askedDuring(async () => {
      expect((await ask('smart')).status).toBe(status === 401 ? 503 : status);
    });
    expect(asked).toEqual([1, 0]);
  });

  it('is tried only after its configured causes', async () => {
    openai.behave({ status: 503 });
    expect((await ask('throttled')).status).toBe(503);
    openai.behave({ status: 429 });
    expect((await ask('throttled')).status).toBe(200);
  });

  it('is the third one if two fail', async () => {
    openai.behave({ status: 429 });
    expect(servedBy(await ask('three'))).toBe(`groq/${CHEAP}`);
  });

  it('streams to the SDKs of OpenAI and Anthropic', async () => {
    openai.behave({ status: 429 });
    const client = new OpenAI({ apiKey: rawKey, baseURL: `${gateway.baseUrl}/openai/v1`, maxRetries: 0 });
    const stream = client.chat.completions.stream({
      model: 'smart',
      messages: [...MESSAGES],
      max_tokens: 10,
    });
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toContain('word9');

    anthropic.behave({ status: 429 });
    const claude = new Anthropic({
      apiKey: rawKey,
      authToken: null,
      baseURL: `${gateway.baseUrl}/anthropic`,
      maxRetries: 0,
    });
    const message = claude.messages.stream({ model: 'thinker', max_tokens: 10, messages: [...MESSAGES] });
    expect((await message.finalMessage()).stop_reason).not.toBeNull();
    expect(deepseek.requests.at(-1)).toMatchObject({
      path: '/anthropic/v1/messages',
      json: { model: 'deepseek-chat' },
    });
  });

  it('is not tried after a part of an answer', async () => {
    openai.behave({ outputTokens: 40, pieceDelayMs: 20, breakOff: { at: 3, how: 'reset' } });
    const asked = await askedDuring(async () => {
      const reply = await ask('twice', { body: { stream: true, max_tokens: 40 } });
      expect(reply.body).toContain('word0');
    });
    expect(asked).toEqual([1, 0]);
  });
});

describe('after a request that may have been processed', () => {
  const uncertain: readonly (readonly [string, Script, number])[] = [
    ['a reset', { breakOff: { at: 'before_headers', how: 'reset' } }, 502],
    ['a 502', { status: 502 }, 502],
    ['silence', { breakOff: { at: 'before_headers', how: 'stall' } }, 504],
  ];

  it.each(uncertain)('no other target is tried: %s', async (_what, script, status) => {
    openai.behave(script);
    const asked = await askedDuring(async () => expect((await ask('smart')).status).toBe(status));
    expect(asked).toEqual([1, 0]);
  });

  it.each(uncertain)('one with retry_uncertain is tried, and both are charged: %s', async (_what, script) => {
    const { rawKey: key } = await gateway.createKey(EVERYTHING, { daily: 10 });
    const once = Number((await ask(`twice`, { key })).headers['x-gateway-request-cost']);
    openai.behave(script);
    const reply = await ask('twice', { key });
    expect([reply.status, servedBy(reply)]).toEqual([200, `groq/${CHEAP}`]);
    // The reservation of gpt-4o, and the cost of the other.
    expect(Number(reply.headers['x-gateway-request-cost'])).toBeGreaterThan(once);
  });
});

describe('a target with its own time limit', () => {
  it('is abandoned if it has not begun to answer by then', async () => {
    openai.behave({ breakOff: { at: 'before_headers', how: 'stall' } });
    const begun = performance.now();
    const reply = await ask('patient');
    expect([reply.status, servedBy(reply)]).toEqual([200, `groq/${CHEAP}`]);
    expect(performance.now() - begun).toBeLessThan(1_500);
  });

  it('may take longer to answer once it has begun', async () => {
    openai.behave({ text: 'one two three four five six', pieceDelayMs: 150 });
    const begun = performance.now();
    const reply = await ask('patient', { body: { stream: true } });
    expect([reply.status, servedBy(reply)]).toEqual([200, 'openai/gpt-4o']);
    expect(reply.body).toContain('[DONE]');
    expect(performance.now() - begun).toBeGreaterThan(600);
  });
});

describe('all targets down', () => {
  it("answers with the last provider's error unchanged", async () => {
    openai.behave({ status: 500 });
    groq.behave({ status: 429, headers: { 'retry-after': '7' } });
    const reply = await ask('smart');
    expect([reply.status, reply.headers['retry-after'], servedBy(reply)]).toEqual([
      429,
      '7',
      `groq/${CHEAP}`,
    ]);
    expect(reply.body).toContain('the fake provider was told to fail');
  });

  it('is 502 if the last one is unreachable, and costs nothing', async () => {
    const { rawKey: key, keyHash } = await gateway.createKey(
      { ...EVERYTHING, allowedProviders: ['together'] },
      { daily: 10 },
    );
    const reply = await ask('refused', { key });
    expect([reply.status, reply.headers['x-gateway-error-type']]).toEqual([502, 'upstream_unavailable']);
    expect(await spentNanoUsd(keyHash)).toBe(0);
  });
});

async function spentNanoUsd(keyHash: string): Promise<number> {
  const { client } = gateway.redis;
  const store = createRedisBudgetStore({ client, deadlineMs: 5_000, alertPercents: [] });
  const accounts = await store.status(keyHash, windowAccounts({ daily: 10 }));
  return Math.max(...accounts.map((account) => account.spentNanoUsd));
}

describe('another target may not', () => {
  it('have a provider or model that the key may not use', async () => {
    openai.behave({ status: 429 });
    const { rawKey: key } = await gateway.createKey({ provider: 'openai' });
    const { rawKey: modelKey } = await gateway.createKey({ ...EVERYTHING, allowedModels: ['gpt-4o*'] });
    const asked = await askedDuring(async () => {
      expect((await ask('smart', { key })).status).toBe(429);
      expect((await ask('smart', { key: modelKey })).status).toBe(429);
    });
    expect(asked).toEqual([2, 0]);
  });
});

describe('money', () => {
  it('the dearest target is reserved, and the one that served is charged', async () => {
    const { rawKey: key } = await gateway.createKey(EVERYTHING, { daily: 10 });
    const direct = await ask('three', { key });
    expect(servedBy(direct)).toBe('openai/gpt-4o');
    openai.behave({ status: 429 });
    const cheap = await ask('three', { key });
    expect(servedBy(cheap)).toBe(`groq/${CHEAP}`);
    const [dear, low] = [direct, cheap].map(({ headers }) => Number(headers['x-gateway-request-cost']));
    expect(low).toBeGreaterThan(0);
    expect(low).toBeLessThan((dear ?? 0) / 10);
    // 10 tokens of gpt-4o do not fit, though those of the cheap model would.
    const { rawKey: poor } = await gateway.createKey(EVERYTHING, { daily: 0.000_01 });
    const refused = await ask('smart', { key: poor });
    expect([refused.status, refused.headers['x-gateway-error-type']]).toEqual([429, 'budget_exceeded']);
  });
});

describe('targets that keep failing', () => {
  let watchful: TestGateway;
  let other: TestGateway;
  beforeAll(async () => {
    const config: ConfigInput = {
      providers: { openai: { base_url: openai.url }, groq: { base_url: groq.url } },
      credentials: {
        'openai-main': { provider: 'openai', from: { env: 'KEY_OPENAI' } },
        'groq-main': { provider: 'groq', from: { env: 'KEY_GROQ' } },
      },
      models: {
        smart: [
          { provider: 'openai', model: 'gpt-4o', credential: 'openai-main' },
          { provider: 'groq', model: CHEAP, credential: 'groq-main', on: ['5xx'] },
        ],
      },
      routes: { circuit_breaker: { threshold: 3, window_seconds: 2 } },
    };
    const env = { KEY_OPENAI: 'sk-openai', KEY_GROQ: 'sk-groq' };
    watchful = await startGateway({ config, env, redis: gateway.redis });
    other = await startGateway({ config, env, redis: gateway.redis });
  });
  afterAll(async () => {
    await watchful.stop();
    await other.stop();
  });

  const askAt = (at: TestGateway): Promise<Reply> =>
    send(at.baseUrl, {
      path: '/openai/v1/chat/completions',
      body: JSON.stringify({ model: 'smart', max_tokens: 10, messages: MESSAGES }),
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    });

  it('are skipped by all gateways until one request has probed them', async () => {
    openai.behave({ status: 500 });
    for (let times = 0; times < 3; times++) expect((await askAt(watchful)).status).toBe(200);
    await expect.poll(() => watchful.logs()).toContain("a target's circuit has changed");
    const passedOver = await askedDuring(async () => {
      for (const at of [watchful, other]) expect(servedBy(await askAt(at))).toBe(`groq/${CHEAP}`);
    });
    expect(passedOver).toEqual([0, 2]);

    await delay(2_100);
    let release = (): void => undefined;
    openai.behave({ hold: new Promise<void>((resolve) => (release = resolve)) });
    const before = openai.requests.length;
    const all = [watchful, other, watchful, other].map(askAt);
    await Promise.race(all);
    await delay(200);
    expect(openai.requests.length - before).toBe(1);
    release();
    const served = (await Promise.all(all)).map(servedBy).toSorted();
    expect(served).toEqual([...Array<string>(3).fill(`groq/${CHEAP}`), 'openai/gpt-4o']);
    await expect.poll(async () => servedBy(await askAt(other))).toBe('openai/gpt-4o');
  });
});
