import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settling } from '../../../support/respond.ts';
import { createBudgetCheck } from '../../../../src/checks/budget/check.ts';
import type { BudgetAlert, BudgetCheckDeps } from '../../../../src/checks/budget/check.ts';
import type { BudgetStore } from '../../../../src/checks/budget/store.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import type { ConfigInput } from '../../../../src/config/schema.ts';
import type { Answered, Outcome, Parsed } from '../../../../src/pipeline/exchange.ts';
import { createPricing } from '../../../../src/pricing/pricing.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { startTestRedis } from '../../../support/redis.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { answered, parsed, streamEvent } from '../../../support/exchange.ts';
import type { AnswerOptions, RequestOptions } from '../../../support/exchange.ts';
import { budgetStore, connect, newKeyHash, USD, windowStatus } from './support.ts';

let redis: TestRedis;
let client: RedisClient;
let store: BudgetStore;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
  client = await connect(redis.addr);
  store = budgetStore(client, { alertPercents: [50] });
});
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  client.disconnect();
  await redis.close();
});

/** Output at 1,000 nano-USD a token, input free: costs are told by the output alone. */
const PRICES = {
  flat: { input: 0, output: 1 },
  both: { input: 1, output: 1 },
};

function budgetCheck(input: ConfigInput = {}, more: Partial<BudgetCheckDeps> = {}) {
  const config = configSchema.parse({
    ...input,
    pricing: {
      overrides: {
        ...PRICES,
        'openai/gpt-5': { input: 0, output: 1 },
        'openai/GPT-5': { input: 0, output: 1 },
        'openai/gpt-5-pro': { input: 0, output: 1 },
        'openai/claude-sonnet-4-5': { input: 0, output: 1 },
      },
      ...input.pricing,
    },
  });
  const alerts: BudgetAlert[] = [];
  const counts = { over: 0, failures: 0 };
  const { check, close } = createBudgetCheck({
    config,
    pricing: createPricing(config),
    store,
    onAlert: (alert) => alerts.push(alert),
    onCharged: () => undefined,
    onOverReservation: () => (counts.over += 1),
    onFailure: () => (counts.failures += 1),
    ...more,
  });
  closing.push(close);
  return { check: settling(check), close, alerts, counts };
}

function chat(
  options: Partial<RequestOptions> & { readonly model?: string; readonly maxTokens?: number } = {},
): Parsed {
  return parsed({
    limits: { daily: USD },
    ...options,
    body: options.body ?? {
      model: options.model ?? 'flat',
      messages: [{ role: 'user', content: 'Say something.' }],
      ...(options.maxTokens === undefined ? {} : { max_tokens: options.maxTokens }),
    },
  });
}

async function spendOf(exchange: Parsed) {
  const { spent, reserved } = await windowStatus(store, exchange.key.keyHash, 'daily');
  return { spent, reserved };
}

describe('the table of charges', () => {
  /** One request of at most 1,000 tokens (1,000,000 nano-USD) that ended so. */
  interface Row {
    readonly what: string;
    readonly outcome: Outcome['kind'];
    readonly answer?: AnswerOptions;
    readonly model?: string;
    /** More members of the request. */
    readonly body?: Record<string, unknown>;
    /** From its reservation to its end; it is charged 300 tokens a second. */
    readonly afterMs?: number;
    readonly charge: number;
  }
  const lorem = 'one two three four five six seven eight';
  const rows: Row[] = [
    { what: 'never forwarded', outcome: 'not_forwarded', charge: 0 },
    {
      what: 'complete with usage',
      outcome: 'complete',
      answer: { usage: { inputTokens: 9, outputTokens: 70 } },
      charge: 70_000,
    },
    {
      what: 'complete with explicit zero usage',
      outcome: 'complete',
      answer: { usage: { inputTokens: 0, outputTokens: 0 }, text: lorem },
      charge: 0,
    },
    { what: 'complete without usage', outcome: 'complete', answer: { text: lorem }, charge: 8_000 },
    {
      what: 'complete, but nothing of it readable',
      outcome: 'complete',
      answer: { readable: false },
      charge: 1_000_000,
    },
    {
      what: 'complete, but neither usage nor a word in it',
      outcome: 'complete',
      answer: { readable: true },
      charge: 1_000_000,
    },
    {
      what: 'stream complete, but neither usage nor a word in it',
      outcome: 'complete',
      answer: { form: 'stream', complete: true },
      charge: 1_000_000,
    },
    { what: 'provider said 400', outcome: 'complete', answer: { status: 400 }, charge: 0 },
    { what: 'provider said 429', outcome: 'complete', answer: { status: 429 }, charge: 0 },
    { what: 'provider said 500', outcome: 'complete', answer: { status: 500 }, charge: 0 },
    { what: 'provider said 529', outcome: 'complete', answer: { status: 529 }, charge: 0 },
    { what: 'provider said 502', outcome: 'complete', answer: { status: 502 }, charge: 1_000_000 },
    { what: 'provider said 504', outcome: 'complete', answer: { status: 504 }, charge: 1_000_000 },
    { what: 'provider said 524', outcome: 'complete', answer: { status: 524 }, charge: 1_000_000 },
    {
      what: 'stream complete with usage',
      outcome: 'complete',
      answer: { form: 'stream', complete: true, usage: { inputTokens: 9, outputTokens: 70 } },
      charge: 70_000,
    },
    {
      what: 'stream complete without usage',
      outcome: 'complete',
      answer: { form: 'stream', complete: true, text: lorem },
      charge: 8_000,
    },
    {
      what: 'stream broken off: output so far and the slack',
      outcome: 'broken_off',
      answer: { form: 'stream', text: lorem },
      charge: 264_000,
    },
    {
      what: 'stream broken off before its first word',
      outcome: 'broken_off',
      answer: { form: 'stream' },
      charge: 256_000,
    },
    {
      what: 'stream broken off with running usage',
      outcome: 'broken_off',
      answer: { form: 'stream', usage: { inputTokens: 9, outputTokens: 100 } },
      charge: 356_000,
    },
    {
      what: 'stream broken off with stale running usage',
      outcome: 'broken_off',
      answer: { form: 'stream', text: lorem, usage: { inputTokens: 9, outputTokens: 1 } },
      charge: 264_000,
    },
    {
      what: 'stream broken off: at most the reservation',
      outcome: 'broken_off',
      answer: { form: 'stream', text: 'word '.repeat(2_000) },
      charge: 1_000_000,
    },
    {
      what: 'stream with hidden reasoning broken off: its time',
      outcome: 'broken_off',
      model: 'gpt-5',
      answer: { form: 'stream', text: lorem },
      afterMs: 2_000,
      charge: 600_000,
    },
    {
      what: 'stream with hidden reasoning broken off: what was seen, where that is more',
      outcome: 'broken_off',
      model: 'gpt-5',
      answer: { form: 'stream', text: lorem },
      afterMs: 500,
      charge: 264_000,
    },
    {
      what: 'stream with hidden reasoning broken off: at most the reservation',
      outcome: 'broken_off',
      model: 'gpt-5',
      answer: { form: 'stream', text: lorem },
      afterMs: 60_000,
      charge: 1_000_000,
    },
    {
      what: 'stream with hidden reasoning broken off before its first word',
      outcome: 'broken_off',
      model: 'gpt-5',
      answer: { form: 'stream' },
      afterMs: 2_000,
      charge: 600_000,
    },
    {
      what: 'stream with hidden reasoning broken off, its model written otherwise',
      outcome: 'broken_off',
      model: 'GPT-5',
      answer: { form: 'stream', text: lorem },
      afterMs: 2_000,
      charge: 600_000,
    },
    {
      what: 'stream broken off whose reasoning the client asked to leave out',
      outcome: 'broken_off',
      body: { reasoning: { exclude: true } },
      answer: { form: 'stream', text: lorem },
      afterMs: 2_000,
      charge: 600_000,
    },
    {
      what: 'stream with hidden reasoning broken off: each of its answers took the time',
      outcome: 'broken_off',
      model: 'gpt-5',
      body: { max_tokens: 500, n: 2 },
      answer: { form: 'stream', text: lorem },
      afterMs: 1_000,
      charge: 600_000,
    },
    {
      what: 'stream of running usage that tells the reasoning broken off: what was seen',
      outcome: 'broken_off',
      model: 'gpt-5',
      answer: { form: 'stream', usage: { inputTokens: 9, outputTokens: 100, reasoningTokens: 90 } },
      afterMs: 2_000,
      charge: 356_000,
    },
    {
      what: 'stream with hidden reasoning broken off, of a model that thinks on several paths at once',
      outcome: 'broken_off',
      model: 'gpt-5-pro',
      answer: { form: 'stream', text: lorem },
      afterMs: 10,
      charge: 1_000_000,
    },
    {
      what: 'stream of a model that shows a summary of its thoughts broken off before its first word',
      outcome: 'broken_off',
      model: 'claude-sonnet-4-5',
      answer: { form: 'stream' },
      afterMs: 2_000,
      charge: 600_000,
    },
    {
      what: 'stream of a model that thinks where it is asked to broken off in its answer',
      outcome: 'broken_off',
      model: 'claude-sonnet-4-5',
      answer: { form: 'stream', text: lorem },
      afterMs: 2_000,
      charge: 264_000,
    },
    {
      what: 'error stream of the provider broken off',
      outcome: 'broken_off',
      answer: { form: 'stream', status: 500 },
      charge: 0,
    },
    { what: 'nothing seen after forwarding', outcome: 'lost', charge: 1_000_000 },
  ];

  it.each(rows)('$what: $charge', async ({ outcome, answer, model = 'flat', body, afterMs, charge }) => {
    let now = 0;
    const { check } = budgetCheck({}, { now: () => now });
    const state = check.begin?.() ?? {};
    const messages = [{ role: 'user', content: 'Say something.' }];
    const exchange = chat({ body: { model, messages, max_tokens: 1_000, ...body } });
    expect(await check.requestBody?.(exchange, state)).toEqual({ kind: 'pass' });
    expect(await spendOf(exchange)).toEqual({ spent: 0, reserved: 1_000_000 });
    now += afterMs ?? 0;
    const answer_ = answer && answered(exchange, answer);
    if (answer_?.form === 'whole') {
      await check.response?.(answer_, state);
    } else if (answer_ !== undefined) {
      await check.response?.(answer_, state);
      check.stream?.(answer_, state);
    }
    await check.end?.(answer_ ?? exchange, { kind: outcome }, state);
    await check.end?.(answer_ ?? exchange, { kind: 'lost' }, state);
    expect(await spendOf(exchange)).toEqual({ spent: charge, reserved: 0 });
  });

  it('an answer that an earlier check withheld: its usage', async () => {
    const { check } = budgetCheck();
    const state = check.begin?.() ?? {};
    const exchange = chat({ maxTokens: 1_000 });
    await check.requestBody?.(exchange, state);
    const withheld = answered(exchange, { usage: { inputTokens: 9, outputTokens: 70 } });
    await check.end?.(withheld, { kind: 'complete' }, state);
    expect(await spendOf(exchange)).toEqual({ spent: 70_000, reserved: 0 });
  });

  it('a stream of an Azure deployment broken off: its time where its model hides reasoning', async () => {
    let now = 0;
    const config = {
      providers: { azure: { base_url: 'https://r.openai.azure.com', deployments: { prod: 'gpt-5' } } },
      pricing: {
        overrides: { 'azure/gpt-5': { input: 0, output: 1 } },
        output_tokens_per_second: { azure: 400 },
      },
    };
    const { check } = budgetCheck(config, { now: () => now });
    const state = check.begin?.() ?? {};
    const exchange = chat({
      provider: 'azure',
      path: '/openai/deployments/prod/chat/completions',
      body: { messages: [], max_completion_tokens: 1_000 },
    });
    expect(await check.requestBody?.(exchange, state)).toEqual({ kind: 'pass' });
    const stream = answered(exchange, { form: 'stream', text: 'one two' });
    await check.response?.(stream, state);
    now = 2_000;
    await check.end?.(stream, { kind: 'broken_off' }, state);
    expect(await spendOf(exchange)).toEqual({ spent: 800_000, reserved: 0 });
  });

  it('a lease that ran out: the full reservation', async () => {
    let now = Date.now();
    const clocked = budgetStore(client, { now: () => now });
    const { check } = budgetCheck({}, { store: clocked });
    const exchange = chat({ maxTokens: 1_000 });
    await check.requestBody?.(exchange, check.begin?.() ?? {});
    now += 30_000;
    const { spent, reserved } = await windowStatus(clocked, exchange.key.keyHash, 'monthly');
    expect({ spent, reserved }).toEqual({ spent: 1_000_000, reserved: 0 });
  });

  it('a cost over the reservation is charged all the same, and told', async () => {
    const { check, counts } = budgetCheck();
    const state = check.begin?.() ?? {};
    const exchange = chat({ maxTokens: 10 });
    await check.requestBody?.(exchange, state);
    await check.response?.(answered(exchange, { usage: { inputTokens: 0, outputTokens: 500 } }), state);
    expect(await spendOf(exchange)).toEqual({ spent: 500_000, reserved: 0 });
    expect(counts.over).toBe(1);
  });
});

describe('output limits', () => {
  it('are granted and written into the body where the client set none', async () => {
    const { check } = budgetCheck();
    const exchange = chat({ limits: { daily: 40_000_000 } });
    await check.requestBody?.(exchange, {});
    expect(exchange.edits).toEqual([expect.objectContaining({ kind: 'set', value: 8_192 })]);
    const second = chat({ limits: { daily: 40_000_000 }, keyHash: exchange.key.keyHash });
    await check.requestBody?.(second, {});
    expect(second.edits).toEqual([expect.objectContaining({ value: 7_952 })]);
  });

  it('are the client’s own where it set one, times the choices', async () => {
    const { check } = budgetCheck();
    const body = { model: 'flat', messages: [{ role: 'user', content: 'x' }], max_tokens: 100, n: 3 };
    const exchange = chat({ body });
    await check.requestBody?.(exchange, {});
    expect(exchange.edits).toEqual([]);
    expect(await spendOf(exchange)).toEqual({ spent: 0, reserved: 300_000 });
  });

  it('are reserved for every prompt of a batch', async () => {
    const { check } = budgetCheck();
    const prompt = Array.from({ length: 2_048 }, () => 'x');
    const path = '/v1/completions';
    const exchange = chat({ path, body: { model: 'flat', prompt, max_tokens: 16, n: 10 } });
    await check.requestBody?.(exchange, {});
    expect((await spendOf(exchange)).reserved).toBe(2_048 * 10 * 16 * 1_000);
  });

  it('are left alone for a key without a budget, whose spend is recorded all the same', async () => {
    const { check } = budgetCheck();
    const state = check.begin?.() ?? {};
    const exchange = chat({ limits: {} });
    await check.requestBody?.(exchange, state);
    expect(exchange.edits).toEqual([]);
    const whole = answered(exchange, { usage: { inputTokens: 1, outputTokens: 5 } });
    await check.response?.(whole, state);
    expect(await spendOf(exchange)).toEqual({ spent: 5_000, reserved: 0 });
    expect(Object.fromEntries(whole.responseHeaders)).toEqual({ 'x-gateway-request-cost': '0.000005' });
  });
});

describe('absurd numbers of a client', () => {
  it('leave no trace in the books of a key without a budget', async () => {
    const { check } = budgetCheck();
    const state = check.begin?.() ?? {};
    const plain = chat({ limits: {} });
    // Whatever a dialect lets through.
    const output = { tokens: 1e308, set: () => [] };
    const exchange = { ...plain, request: { ...plain.request, choices: 1e308, output } };
    await check.requestBody?.(exchange, state);
    expect((await spendOf(exchange)).reserved).toBe(10_000 * USD);
    const whole = answered(exchange, { usage: { inputTokens: 1, outputTokens: 3 } });
    await check.response?.(whole, state);
    expect(await spendOf(exchange)).toEqual({ spent: 3_000, reserved: 0 });
  });
});

describe('refusals', () => {
  it.each([
    ['minute', '15:04:20', '; it starts anew in 40 s', '40'],
    [
      'hourly',
      '15:46:30',
      '; it starts anew in 14 min. Quota exceeded, it will reset then. Please retry in 810s',
      undefined,
    ],
    ['hourly', '15:59:00', '; it starts anew in 1 min', '60'],
    [
      'hourly',
      '15:58:59',
      '; it starts anew in 2 min. Quota exceeded, it will reset then. Please retry in 61s',
      undefined,
    ],
    [
      'daily',
      '15:46:30',
      '; it starts anew in 8 h 14 min. Quota exceeded, it will reset then. Please retry in 29610s',
      undefined,
    ],
    [
      'monthly',
      '15:46:30',
      '; it starts anew in 3 d 9 h. Quota exceeded, it will reset then. Please retry in 288810s',
      undefined,
    ],
  ])('429 of the %s window at %s says when it starts anew%s', async (window, time, words, retryAfter) => {
    const clocked = budgetStore(client, { now: () => Date.parse(`2031-05-28T${time}Z`) });
    const { check } = budgetCheck({ pricing: { lower_client_limits: false } }, { store: clocked });
    const keyHash = newKeyHash();
    const limits = { hourly: USD, monthly: USD, [window]: 3_500_000 };
    await check.requestBody?.(chat({ maxTokens: 2_000, limits, keyHash }), {});
    const verdict = await check.requestBody?.(chat({ maxTokens: 2_000, limits, keyHash }), {});
    expect(verdict).toMatchObject({
      kind: 'deny',
      type: 'budget_exceeded',
      message: `the ${window} budget has 0.0015 USD left, and this request may cost 0.002 USD${words}`,
    });
    const { headers } = verdict as { headers: Record<string, string> };
    expect(headers['retry-after']).toBe(retryAfter);
  });

  it('429 that names no time where the whole window would not hold the request', async () => {
    const { check } = budgetCheck();
    const exchange = chat({ maxTokens: 1_000, limits: { hourly: 900_000, monthly: USD } });
    const verdict = await check.requestBody?.(exchange, {});
    expect(verdict).toMatchObject({
      kind: 'deny',
      type: 'budget_exceeded',
      message:
        'the hourly budget has 0.0009 USD left, and this request may cost 0.001 USD, more than the whole budget. Quota exceeded (limit: 0), and no time will reset it',
      headers: {
        'x-gateway-session-remaining': '0.0009',
        'x-gateway-budget-window': 'hourly',
      },
    });
    expect(verdict).not.toHaveProperty('headers.retry-after');
    expect(await spendOf(exchange)).toEqual({ spent: 0, reserved: 0 });
  });

  it('a limit of 0 blocks, without a time to come back', async () => {
    const { check } = budgetCheck();
    const verdict = await check.requestBody?.(chat({ limits: { daily: 0 } }), {});
    expect(verdict).toMatchObject({ type: 'budget_exceeded', message: expect.stringContaining('blocked') });
    expect(verdict).not.toHaveProperty('headers.retry-after');
  });

  it.each([
    [
      'an unknown model',
      { body: { model: 'nobody-knows', messages: [] } },
      'policy_denied',
      'pricing.overrides',
    ],
    [
      'a cost left open',
      { body: { model: 'flat', messages: [], service_tier: 'priority' } },
      'invalid_request',
      'service_tier',
    ],
    [
      'sound without a price',
      {
        body: {
          model: 'gpt-4o',
          messages: [
            {
              role: 'user',
              content: [{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }],
            },
          ],
        },
      },
      'invalid_request',
      'input_audio',
    ],
  ])('%s, with a budget only', async (_what, request, type, named) => {
    const { check } = budgetCheck();
    const verdict = await check.requestBody?.(chat(request), {});
    expect(verdict).toMatchObject({ kind: 'deny', type, message: expect.stringContaining(named) });
    expect(await check.requestBody?.(chat({ ...request, limits: {} }), {})).toEqual({ kind: 'pass' });
  });

  it('a tool that the provider runs and nobody priced', async () => {
    const body = { model: 'flat', input: 'x', max_output_tokens: 10, tools: [{ type: 'web_search' }] };
    const request = { body, path: '/v1/responses' };
    const proxy = { provider_tools: ['web_search'] };
    const verdict = await budgetCheck({ proxy }).check.requestBody?.(chat(request), {});
    expect(verdict).toMatchObject({
      type: 'invalid_request',
      message: expect.stringContaining('pricing.tools'),
    });
    const priced = chat(request);
    const pricing = { tools: { web_search: 0.01 } };
    expect(await budgetCheck({ proxy, pricing }).check.requestBody?.(priced, {})).toEqual({ kind: 'pass' });
    expect((await spendOf(priced)).reserved).toBe(10_010_000);
  });

  it('nothing of an unknown model under pricing.unknown_model: free, or a price', async () => {
    const body = { model: 'nobody-knows', messages: [], max_tokens: 100 };
    const free = chat({ body });
    expect(await budgetCheck({ pricing: { unknown_model: 'free' } }).check.requestBody?.(free, {})).toEqual({
      kind: 'pass',
    });
    expect((await spendOf(free)).reserved).toBe(0);
    const priced = chat({ body });
    await budgetCheck({ pricing: { unknown_model: { input: 0, output: 3 } } }).check.requestBody?.(
      priced,
      {},
    );
    expect((await spendOf(priced)).reserved).toBe(300_000);
  });
});

describe('input', () => {
  it('is counted where its bytes do not fit', async () => {
    const { check } = budgetCheck();
    const content = 'the quick brown fox jumps over the lazy dog '.repeat(100);
    const body = { model: 'both', messages: [{ role: 'user', content }], max_tokens: 1 };
    const wide = chat({ body });
    await check.requestBody?.(wide, {});
    const byBytes = (await spendOf(wide)).reserved;
    expect(byBytes).toBeGreaterThan(4_400_000);
    const narrow = chat({ body, limits: { daily: 2_000_000 } });
    expect(await check.requestBody?.(narrow, {})).toEqual({ kind: 'pass' });
    expect((await spendOf(narrow)).reserved).toBeLessThan(1_200_000);
    expect(await check.requestBody?.(chat({ body, limits: { daily: 800_000 } }), {})).toMatchObject({
      kind: 'deny',
    });
  });

  it('that the gateway cannot see counts as the whole context', async () => {
    const { check } = budgetCheck({ pricing: { default_context_tokens: 50_000 } });
    const body = { model: 'both', input: 'x', previous_response_id: 'resp_1', max_output_tokens: 1 };
    const exchange = chat({ body, path: '/v1/responses' });
    await check.requestBody?.(exchange, {});
    expect((await spendOf(exchange)).reserved).toBe(50_001_000);
  });
});

describe('what the client learns', () => {
  it('of a whole answer: cost, remainder and window in its headers', async () => {
    const { check } = budgetCheck();
    const state = check.begin?.() ?? {};
    const exchange = chat({ maxTokens: 1_000, limits: { daily: USD, hourly: 3_000_000 } });
    await check.requestBody?.(exchange, state);
    const whole = answered(exchange, { usage: { inputTokens: 1, outputTokens: 500 } });
    await check.response?.(whole, state);
    expect(Object.fromEntries(whole.responseHeaders)).toEqual({
      'x-gateway-request-cost': '0.0005',
      'x-gateway-session-remaining': '0.0025',
      'x-gateway-budget-window': 'hourly',
    });
  });

  async function stream(input: ConfigInput, body: Record<string, unknown> = {}) {
    const { check } = budgetCheck(input);
    const state = check.begin?.() ?? {};
    const exchange = chat({
      body: {
        model: 'flat',
        messages: [{ role: 'user', content: 'x' }],
        stream: true,
        max_tokens: 1_000,
        ...body,
      },
    });
    await check.requestBody?.(exchange, state);
    const answer = answered(exchange, { form: 'stream' });
    await check.response?.(answer, state);
    return { exchange, answer, rewriter: check.stream?.(answer, state) };
  }

  it('of a stream: what is left in its headers, and the cost in a comment at its end', async () => {
    const { answer, rewriter } = await stream({});
    expect(Object.fromEntries(answer.responseHeaders)).toEqual({
      'x-gateway-session-remaining': '0.999',
      'x-gateway-budget-window': 'daily',
    });
    answer.answer.usage = { inputTokens: 1, outputTokens: 40 };
    answer.answer.complete = true;
    expect(await rewriter?.comment?.()).toBe(
      'x-gateway-request-cost=0.00004 x-gateway-session-remaining=0.99996 x-gateway-budget-window=daily',
    );
    expect(await rewriter?.comment?.()).toBeUndefined();
  });

  it('no usage chunk that it did not ask for', async () => {
    const { exchange, rewriter } = await stream({});
    expect(exchange.edits).toEqual(exchange.request.askUsage);
    expect(exchange.edits).not.toEqual([]);
    expect(rewriter?.event(streamEvent())).toEqual({ kind: 'pass' });
    expect(rewriter?.event(streamEvent({ usageOnly: true }))).toEqual({ kind: 'drop' });
  });

  it('the usage chunk that it asked for', async () => {
    const { exchange, rewriter } = await stream({}, { stream_options: { include_usage: true } });
    expect(exchange.edits).toEqual([]);
    expect(rewriter?.event(streamEvent({ usageOnly: true }))).toEqual({ kind: 'pass' });
  });
});

describe('alerts', () => {
  it('are told once, with key, window and threshold', async () => {
    const { check, alerts } = budgetCheck();
    async function spend(keyHash?: string): Promise<Answered> {
      const state = check.begin?.() ?? {};
      const exchange = chat({
        maxTokens: 100,
        limits: { daily: 200_000 },
        ...(keyHash === undefined ? {} : { keyHash }),
      });
      await check.requestBody?.(exchange, state);
      const whole = answered(exchange, { usage: { inputTokens: 0, outputTokens: 100 } });
      await check.response?.(whole, state);
      return whole;
    }
    const { key } = await spend();
    await spend(key.keyHash);
    expect(alerts).toEqual([
      { keyHash: key.keyHash, keyName: 'test key', window: 'daily', percent: 50, limitUsd: '0.0002' },
    ]);
  });
});

describe('when Redis fails', () => {
  it('a request is refused, a finished answer too, and what was to be settled is settled when it is back', async () => {
    const own = await startTestRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] });
    const ownClient = await connect(own.addr, { read_timeout: 300 });
    const ownStore = budgetStore(ownClient, { deadlineMs: 500 });
    const { check, counts, close } = budgetCheck({}, { store: ownStore });
    const state = check.begin?.() ?? {};
    const exchange = chat({ maxTokens: 1_000 });
    await check.requestBody?.(exchange, state);

    await own.pause();
    const answer = answered(exchange, { usage: { inputTokens: 0, outputTokens: 10 } });
    await expect(check.response?.(answer, state)).rejects.toMatchObject({ type: 'redis_unavailable' });
    const refused = check.begin?.() ?? {};
    const second = chat({ maxTokens: 1_000, keyHash: exchange.key.keyHash });
    await expect(check.requestBody?.(second, refused)).rejects.toMatchObject({ type: 'redis_unavailable' });
    await check.end?.(answer, { kind: 'complete' }, state);
    await check.end?.(second, { kind: 'not_forwarded' }, refused);
    expect(counts.failures).toBeGreaterThan(0);

    await own.resume();
    await expect
      .poll(async () => windowStatus(ownStore, exchange.key.keyHash, 'daily').catch(() => undefined), {
        timeout: 10_000,
      })
      .toMatchObject({ spent: 10_000, reserved: 0 });
    await close();
    ownClient.disconnect();
    await own.close();
  });
});

describe('a running stream', () => {
  it('keeps its reservation beyond the lease', async () => {
    const short = budgetStore(client, { leaseMs: 600 });
    const { check, close } = budgetCheck({}, { store: short, renewAfterMs: 200 });
    const state = check.begin?.() ?? {};
    const exchange = chat({ maxTokens: 1_000 });
    await check.requestBody?.(exchange, state);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(await spendOf(exchange)).toEqual({ spent: 0, reserved: 1_000_000 });
    await check.end?.(exchange, { kind: 'not_forwarded' }, state);
    await close();
  });
});
