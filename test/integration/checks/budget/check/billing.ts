import { expect, it } from 'vitest';
import type { ConfigInput } from '../../../../../src/config/schema.ts';
import type { Outcome, Parsed } from '../../../../../src/pipeline/exchange.ts';
import type { Usage } from '../../../../../src/providers/dialect.ts';
import { answered, type AnswerOptions } from '../../../../support/exchange.ts';
import { budgetCheck, chat, spendOf } from './rig.ts';

const OUTPUT = 1_000;

async function charged(
  exchange: Parsed,
  answer: AnswerOptions,
  { config = {}, kind = 'complete' }: { readonly config?: ConfigInput; readonly kind?: Outcome['kind'] } = {},
) {
  const { check, counts, absurd } = budgetCheck(config);
  const state = check.begin?.() ?? {};
  expect(await check.requestBody?.(exchange, state)).toMatchObject({ kind: 'pass' });
  const { reserved } = await spendOf(exchange);
  const answer_ = answered(exchange, answer);
  await check.end?.(answer_, { kind }, state);
  const { spent } = await spendOf(exchange);
  return { reserved, spent, absurd, reportedNanoUsd: counts.reportedNanoUsd };
}

const limited = (more: object = {}): Parsed =>
  chat({ body: { model: 'flat', messages: [], max_tokens: 1_000, ...more } });
const both = (more: object = {}): Parsed =>
  chat({ body: { model: 'both', messages: [], max_tokens: 1_000, ...more } });
/** The tokens of `both` by its bytes: the body and the template. */
const BOUND = JSON.stringify({ model: 'both', messages: [], max_tokens: 1_000 }).length + 64;

export function plausible(): void {
  const usage = (outputTokens: number, more: object = {}) => ({ inputTokens: 0, outputTokens, ...more });

  it.each<[string, Parsed, Usage, number]>([
    ['the output that is true', limited(), usage(12_192), 12_192],
    ['that of two answers', limited({ n: 2 }), usage(16_192), 16_192],
    [
      'reasoning up to the model’s own limit',
      limited(),
      usage(208_192, { reasoningTokens: 208_192 }),
      208_192,
    ],
    [
      'the input that is true',
      both(),
      { inputTokens: 4 * BOUND + 8_192, outputTokens: 0 },
      4 * BOUND + 8_192,
    ],
  ])('is %s', async (_what, exchange, told, tokens) => {
    expect(await charged(exchange, { usage: told })).toMatchObject({ spent: tokens * OUTPUT, absurd: [] });
  });

  it.each<[string, Parsed, AnswerOptions]>([
    ['output', limited(), { usage: usage(12_193) }],
    ['output of two answers', limited({ n: 2 }), { usage: usage(16_193) }],
    ['reasoning', limited(), { usage: usage(208_193, { reasoningTokens: 208_193 }) }],
    ['output beside reasoning', limited(), { usage: usage(112_193, { reasoningTokens: 100_000 }) }],
    ['input', both(), { usage: { inputTokens: 4 * BOUND + 8_193, outputTokens: 0 } }],
    [
      'a count beyond all counting',
      limited(),
      { says: { usage: { completion_tokens: 1e9 + 1 } }, text: 'Well.' },
    ],
    [
      'a count in the details',
      limited(),
      { usage: usage(1), says: { usage: { details: { cached_tokens: 2e9 } } } },
    ],
    [
      'calls of tools',
      limited(),
      { usage: usage(1), says: { usage: { server_tool_use: { web_search_requests: 257 } } } },
    ],
  ])('is not %s of one more, whose reservation is charged', async (_what, exchange, answer) => {
    for (const kind of ['complete', 'broken_off'] as const) {
      const { spent, reserved, absurd } = await charged(
        { ...exchange, key: { ...exchange.key, keyHash: `${exchange.key.keyHash}${kind}` } },
        answer,
        { kind },
      );
      expect([spent, absurd.length]).toEqual([reserved, 1]);
    }
  });

  it('is judged without a budget too, by the model’s maximum output', async () => {
    const open = chat({ limits: {}, body: { model: 'flat', messages: [] } });
    expect(await charged(open, { usage: usage(808_193) })).toMatchObject({
      spent: 8_192 * OUTPUT,
      absurd: [expect.any(String)],
    });
    const other = chat({ limits: {}, body: { model: 'flat', messages: [] } });
    expect(await charged(other, { usage: usage(808_192) })).toMatchObject({
      spent: 808_192 * OUTPUT,
      absurd: [],
    });
  });

  it('follows from the granted limit if the client set none', async () => {
    const granted = (): Parsed => chat({ body: { model: 'flat', messages: [] } });
    const most = 4 * 8_192 + 8_192;
    expect(await charged(granted(), { usage: usage(most) })).toMatchObject({
      spent: most * OUTPUT,
      absurd: [],
    });
    expect(await charged(granted(), { usage: usage(most + 1) })).toMatchObject({ spent: 8_192 * OUTPUT });
  });

  it('is more if the provider runs tools, which read and write in rounds', async () => {
    const config: ConfigInput = {
      proxy: { provider_tools: ['web_search'] },
      pricing: { tools: { web_search: 0 } },
    };
    const searching = () =>
      chat({
        path: '/v1/responses',
        body: { model: 'flat', input: 'x', max_output_tokens: 1_000, tools: [{ type: 'web_search' }] },
      });
    expect(await charged(searching(), { usage: usage(72_192) }, { config })).toMatchObject({
      spent: 72_192 * OUTPUT,
      absurd: [],
    });
    expect(await charged(searching(), { usage: usage(72_193) }, { config })).toMatchObject({
      spent: 1_000 * OUTPUT,
      absurd: [expect.any(String)],
    });
  });

  it('is a router’s bill of 4 times the reservation and 1 USD, if the model has a price', async () => {
    const routed = (model: string): Parsed =>
      chat({
        provider: 'openrouter',
        limits: { daily: 1e13 },
        path: '/v1/chat/completions',
        body: { model, messages: [], max_tokens: 1_000 },
      });
    const bill = (billedNanoUsd: number) => ({ usage: usage(1, { billedNanoUsd }) });
    const most = 4_000_000 + 1_000_000_000;
    expect(await charged(routed('flat'), bill(most))).toMatchObject({ spent: most, absurd: [] });
    expect(await charged(routed('flat'), bill(most + 1))).toMatchObject({
      spent: 1_000_000,
      absurd: [expect.any(String)],
    });
    const config: ConfigInput = { pricing: { unknown_model: 'free' } };
    expect(await charged(routed('nobody/knows'), bill(most + 1), { config })).toMatchObject({
      spent: most + 1,
      absurd: [],
    });
  });

  it('is search units for about as many documents as were sent', async () => {
    const rerank = (): Parsed =>
      chat({
        provider: 'cohere',
        limits: { daily: 1e12 },
        path: '/v2/rerank',
        body: { model: 'rerank-v3.5', query: 'x', documents: ['a', 'b'] },
      });
    const units = (searchUnits: number) => ({ usage: usage(0, { searchUnits }) });
    expect(await charged(rerank(), units(1))).toMatchObject({ spent: 2_000_000 });
    expect(await charged(rerank(), units(8))).toMatchObject({ spent: 16_000_000, absurd: [] });
    expect(await charged(rerank(), units(9))).toMatchObject({
      spent: 2_000_000,
      absurd: [expect.any(String)],
    });
  });
}

export function told(): void {
  const one = { usage: { inputTokens: 0, outputTokens: 100 } };

  it('is charged as requested if that is dearer, which a key without a budget may', async () => {
    const asking = (): Parsed => limitedFree({ service_tier: 'priority' });
    const limitedFree = (more: object): Parsed =>
      chat({ limits: {}, body: { model: 'flat', messages: [], max_tokens: 1_000, ...more } });
    expect(await charged(asking(), { ...one, says: { service_tier: 'default' } })).toMatchObject({
      spent: 200_000,
      reportedNanoUsd: 0,
    });
    expect(await charged(limitedFree({}), { ...one, says: { service_tier: 'priority' } })).toMatchObject({
      spent: 200_000,
      reportedNanoUsd: 100_000,
    });
  });

  it.each([
    ['Bedrock’s', 'bedrock', { 'x-amzn-bedrock-service-tier': 'priority' }, 175_000],
    ['Bedrock’s latency', 'bedrock', { 'x-amzn-bedrock-performanceconfig-latency': 'optimized' }, 125_000],
    ['Gemini’s', 'gemini', { 'x-gemini-service-tier': 'priority' }, 200_000],
  ] as const)('is in %s headers too', async (_whose, provider, headers, spent) => {
    const isBedrock = provider === 'bedrock';
    const exchange = chat({
      provider,
      path: isBedrock ? '/model/flat/converse' : '/v1beta/models/flat:generateContent',
      body: isBedrock
        ? { messages: [], inferenceConfig: { maxTokens: 1_000 } }
        : { contents: [], generationConfig: { maxOutputTokens: 1_000 } },
    });
    expect(await charged(exchange, { ...one, headers })).toMatchObject({ spent });
  });

  it('raises the possible cost of a stream that broke off', async () => {
    const broken = { form: 'stream', text: 'word '.repeat(2_000) } as const;
    const at = { kind: 'broken_off' } as const;
    expect(await charged(limited(), broken, at)).toMatchObject({ spent: 1_000_000 });
    expect(await charged(limited(), { ...broken, says: { service_tier: 'priority' } }, at)).toMatchObject({
      spent: 2_000_000,
    });
    expect((await charged(limited(), { ...broken, says: { model: 'both' } }, at)).spent).toBeGreaterThan(
      1_000_000,
    );
  });

  it('does not count if nothing was billed: an error, and a lost answer', async () => {
    const says = { service_tier: 'priority' };
    expect(await charged(limited(), { status: 400, says })).toMatchObject({ spent: 0, reportedNanoUsd: 0 });
    expect(await charged(limited(), { status: 504, says })).toMatchObject({
      spent: 1_000_000,
      reportedNanoUsd: 0,
    });
  });

  it('is part of a router’s own bill, beside which nothing counts', async () => {
    const routed = chat({
      provider: 'openrouter',
      path: '/v1/chat/completions',
      body: { model: 'flat', messages: [], max_tokens: 1_000 },
    });
    const usage = { ...one.usage, billedNanoUsd: 110_000 };
    expect(await charged(routed, { usage, says: { service_tier: 'priority', model: 'both' } })).toMatchObject(
      { spent: 110_000, reportedNanoUsd: 0 },
    );
  });

  it('is charged from a router’s bill even if a stream broke off', async () => {
    const routed = chat({
      provider: 'openrouter',
      path: '/v1/chat/completions',
      body: { model: 'flat', messages: [], max_tokens: 1_000 },
    });
    const usage = { ...one.usage, billedNanoUsd: 1_700_000 };
    const broken = await charged(routed, { form: 'stream', usage }, { kind: 'broken_off' });
    expect(broken).toMatchObject({ reserved: 1_000_000, spent: 1_700_000, absurd: [] });
  });

  it('names a model, and not a deployment of the same name', async () => {
    const config: ConfigInput = {
      providers: { azure: { deployments: { mine: 'flat', both: 'dear' } } },
      pricing: {
        overrides: {
          flat: { input: 0, output: 1 },
          both: { input: 0, output: 2 },
          dear: { input: 0, output: 9 },
        },
      },
    };
    const exchange = chat({
      provider: 'azure',
      path: '/openai/deployments/mine/chat/completions',
      body: { messages: [], max_tokens: 1_000 },
    });
    expect(await charged(exchange, { ...one, says: { model: 'both' } }, { config })).toMatchObject({
      spent: 200_000,
    });
  });
}

export function hostedTools(): void {
  const priced: ConfigInput = {
    proxy: { provider_tools: ['web_search', 'code_interpreter'] },
    pricing: { tools: { web_search: 0.01, code_interpreter: 0.03 }, default_context_tokens: 50_000 },
  };
  it.each([
    [['web_search'], 10_000_000],
    [['web_search', 'code_interpreter'], 40_000_000],
  ])('%j is reserved with the whole context, and one call of each', async (types, callsNanoUsd) => {
    const tools = types.map((type) => ({ type }));
    const exchange = chat({
      path: '/v1/responses',
      body: { model: 'both', input: 'x', max_output_tokens: 1_000, tools },
    });
    const { reserved, spent } = await charged(
      exchange,
      { usage: { inputTokens: 1, outputTokens: 1 } },
      { config: priced },
    );
    expect(reserved).toBe(50_000_000 + 1_000_000 + callsNanoUsd);
    expect(spent).toBe(2_000 + callsNanoUsd);
  });
}
