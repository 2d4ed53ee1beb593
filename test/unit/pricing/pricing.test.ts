import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import type { ModelPrice } from '../../../src/pricing/price.ts';
import { createPricing, dearestOf, priceOfUnknown } from '../../../src/pricing/pricing.ts';
import type { ProviderName, Usage } from '../../../src/providers/provider.ts';

function pricing(input: ConfigInput = {}) {
  return createPricing(configSchema.parse(input));
}

const table = pricing();

function price(provider: ProviderName, model: string): ModelPrice {
  const found = table.find(provider, model);
  if (found === undefined) {
    throw new Error(`no price for ${provider} ${model}`);
  }
  return found;
}

/** Peak hours of deepseek (UTC 00:30 to 16:30), and after them. */
const PEAK = new Date('2026-03-02T08:00:00Z');
const OFF_PEAK = new Date('2026-03-02T20:00:00Z');

describe('cost', () => {
  const cases: [what: string, ProviderName, string, Usage, nanoUsd: number, at?: Date][] = [
    ['openai: input and output', 'openai', 'gpt-4o', { inputTokens: 1_000, outputTokens: 100 }, 3_500_000],
    [
      'openai: cached input is part of the input',
      'openai',
      'gpt-4o',
      { inputTokens: 1_000, outputTokens: 0, cacheReadTokens: 400 },
      2_000_000,
    ],
    [
      'openai: reasoning is part of the output',
      'openai',
      'o3',
      { inputTokens: 0, outputTokens: 500, reasoningTokens: 400 },
      4_000_000,
    ],
    [
      'openai: above the tier everything is dearer',
      'openai',
      'gpt-5.4',
      { inputTokens: 300_000, outputTokens: 100 },
      1_502_250_000,
    ],
    [
      'openai: below the tier nothing is',
      'openai',
      'gpt-5.4',
      { inputTokens: 200_000, outputTokens: 100 },
      501_500_000,
    ],
    [
      'openai: embeddings',
      'openai',
      'text-embedding-3-small',
      { inputTokens: 1_000, outputTokens: 0 },
      20_000,
    ],
    [
      'openai: moderation is free',
      'openai',
      'omni-moderation-latest',
      { inputTokens: 1_000, outputTokens: 0 },
      0,
    ],
    [
      'openai: a fine-tuned model has its own price',
      'openai',
      'ft:gpt-4o-2024-08-06:org::id',
      { inputTokens: 1_000, outputTokens: 0 },
      3_750_000,
    ],
    [
      'anthropic: reads cost a tenth, writes 1.25, one-hour writes twice the input',
      'anthropic',
      'claude-opus-4-1',
      {
        inputTokens: 4_000,
        outputTokens: 0,
        cacheReadTokens: 1_000,
        cacheWriteTokens: 1_000,
        cacheWrite1hTokens: 1_000,
      },
      15_000_000 + 1_500_000 + 18_750_000 + 30_000_000,
    ],
    [
      'anthropic: over 200,000',
      'anthropic',
      'claude-sonnet-4-5',
      { inputTokens: 200_001, outputTokens: 1 },
      200_001 * 6_000 + 22_500,
    ],
    [
      'anthropic: a dated name',
      'anthropic',
      'claude-3-5-sonnet-20241022',
      { inputTokens: 1_000, outputTokens: 0 },
      3_000_000,
    ],
    [
      'gemini: over 200,000',
      'gemini',
      'gemini-2.5-pro',
      { inputTokens: 200_001, outputTokens: 1 },
      200_001 * 2_500 + 15_000,
    ],
    [
      'gemini: sound is dearer than text',
      'gemini',
      'gemini-2.5-flash',
      { inputTokens: 1_000, outputTokens: 0, inputAudioTokens: 600 },
      400 * 300 + 600 * 1_000,
    ],
    [
      'bedrock: one-hour writes too',
      'bedrock',
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      { inputTokens: 1_000, outputTokens: 0, cacheWrite1hTokens: 1_000 },
      6_600_000,
    ],
    ['azure', 'azure', 'gpt-4.1-mini', { inputTokens: 1_000, outputTokens: 1_000 }, 2_000_000],
    ['mistral', 'mistral', 'mistral-large-latest', { inputTokens: 1_000, outputTokens: 1_000 }, 8_000_000],
    ['groq', 'groq', 'llama-3.3-70b-versatile', { inputTokens: 1_000, outputTokens: 1_000 }, 1_380_000],
    ['cohere', 'cohere', 'command-a-03-2025', { inputTokens: 1_000, outputTokens: 1_000 }, 12_500_000],
    [
      'cohere: reranking is billed by the call',
      'cohere',
      'rerank-v3.5',
      { inputTokens: 0, outputTokens: 0 },
      2_000_000,
    ],
    [
      'deepseek: by day',
      'deepseek',
      'deepseek-chat',
      { inputTokens: 1_000, outputTokens: 1_000 },
      1_370_000,
      PEAK,
    ],
    [
      'deepseek: off-peak',
      'deepseek',
      'deepseek-chat',
      { inputTokens: 1_000, outputTokens: 1_000 },
      685_000,
      OFF_PEAK,
    ],
    [
      'together',
      'together',
      'meta-llama/Llama-3.3-70B-Instruct-Turbo',
      { inputTokens: 1_000, outputTokens: 1_000 },
      1_760_000,
    ],
    [
      'fireworks',
      'fireworks',
      'accounts/fireworks/models/llama-v3p1-8b-instruct',
      { inputTokens: 1_000, outputTokens: 1_000 },
      400_000,
    ],
    ['xai', 'xai', 'grok-4', { inputTokens: 1_000, outputTokens: 1_000, cacheReadTokens: 1_000 }, 15_750_000],
    ['openrouter', 'openrouter', 'openai/gpt-4o', { inputTokens: 1_000, outputTokens: 1_000 }, 12_500_000],
    [
      'openrouter: free variants',
      'openrouter',
      'deepseek/deepseek-chat:free',
      { inputTokens: 1_000, outputTokens: 1_000 },
      0,
    ],
    [
      'openai: sound in and out',
      'openai',
      'gpt-audio',
      { inputTokens: 1_000, outputTokens: 100, inputAudioTokens: 900, outputAudioTokens: 80 },
      100 * 2_500 + 900 * 32_000 + 20 * 10_000 + 80 * 64_000,
    ],
    [
      'gemini: cached sound is no cheaper than sound',
      'gemini',
      'gemini-2.5-flash',
      { inputTokens: 1_000, outputTokens: 0, inputAudioTokens: 900, cacheReadTokens: 500 },
      900 * 1_000 + 100 * 30,
    ],
    [
      'gemini: pictures are charged as such',
      'gemini',
      'gemini-2.5-flash-image',
      { inputTokens: 0, outputTokens: 1_290 },
      1_290 * 30_000,
    ],
    ['ollama is the owner’s machine', 'ollama', 'llama3', { inputTokens: 1_000, outputTokens: 1_000 }, 0],
    ['vllm too', 'vllm', 'anything', { inputTokens: 1_000, outputTokens: 1_000 }, 0],
  ];
  it.each(cases)('%s', (_what, provider, model, usage, nanoUsd, at = PEAK) => {
    expect(price(provider, model).cost(usage, at)).toBe(nanoUsd);
  });

  it('rounds up to a whole nano-USD, and adds none for binary noise', () => {
    expect(
      price('openai', 'gpt-4o-mini').cost({ inputTokens: 0, outputTokens: 1, cacheReadTokens: 0 }, PEAK),
    ).toBe(600);
    const third = pricing({ pricing: { overrides: { m: { input: 0.0003, output: 0 } } } }).find(
      'openai',
      'm',
    );
    expect(third?.cost({ inputTokens: 1, outputTokens: 0 }, PEAK)).toBe(1);
    expect(third?.cost({ inputTokens: 10, outputTokens: 0 }, PEAK)).toBe(3);
  });

  it('takes odd usage for none and never throws', () => {
    const model = price('anthropic', 'claude-opus-4-1');
    const odd = [Number.NaN, -5, Number.POSITIVE_INFINITY];
    for (const value of odd) {
      expect(model.cost({ inputTokens: value, outputTokens: value, cacheReadTokens: value }, PEAK)).toBe(0);
    }
    const more = {
      inputTokens: 10,
      outputTokens: 10,
      cacheReadTokens: 99,
      cacheWriteTokens: 99,
      reasoningTokens: 99,
    };
    expect(model.cost(more, PEAK)).toBe(10 * 1_500 + 10 * 75_000);
  });
});

describe('worst rates', () => {
  it('are the dearest of cache writes, tiers and hours', () => {
    expect(price('anthropic', 'claude-sonnet-4-5')).toMatchObject({
      worstInputNanoUsd: 12_000,
      worstOutputNanoUsd: 22_500,
    });
    expect(price('gemini', 'gemini-2.5-flash').worstInputAudioNanoUsd).toBe(1_000);
    expect(price('deepseek', 'deepseek-chat')).toMatchObject({
      worstInputNanoUsd: 270,
      worstOutputNanoUsd: 1_100,
    });
  });

  it('leave out a tier that the input cannot reach', () => {
    const model = price('anthropic', 'claude-sonnet-4-5');
    expect(model.worstRates(200_000)).toEqual({ inputNanoUsd: 6_000, outputNanoUsd: 15_000 });
    expect(model.worstRates(200_001)).toEqual({ inputNanoUsd: 12_000, outputNanoUsd: 22_500 });
  });

  it('are never under a cost, whatever the usage and the hour', () => {
    for (const [provider, model] of [
      ['deepseek', 'deepseek-chat'],
      ['anthropic', 'claude-sonnet-4-5'],
      ['openai', 'gpt-5.4'],
    ] as const) {
      const found = price(provider, model);
      for (const inputTokens of [1, 200_000, 271_999, 272_000, 400_000]) {
        const { inputNanoUsd, outputNanoUsd } = found.worstRates(inputTokens);
        for (const usage of [
          { cacheReadTokens: inputTokens },
          { cacheWriteTokens: inputTokens },
          { cacheWrite1hTokens: inputTokens },
          {},
        ]) {
          for (const at of [PEAK, OFF_PEAK]) {
            const cost = found.cost({ inputTokens, outputTokens: 77, ...usage }, at);
            expect(cost).toBeLessThanOrEqual(inputTokens * inputNanoUsd + 77 * outputNanoUsd);
          }
        }
      }
    }
  });

  it('know no price for sound where the table has none', () => {
    expect(price('openai', 'gpt-4o').worstInputAudioNanoUsd).toBeUndefined();
    expect(price('openai', 'gpt-4o-audio-preview').pricedOutputs.has('audio')).toBe(false);
  });

  it.each<[ProviderName, string, outputs: string[], worstOutputNanoUsd: number]>([
    ['openai', 'gpt-4o', [], 10_000],
    ['openai', 'gpt-audio', ['audio'], 64_000],
    ['gemini', 'gemini-2.5-flash-preview-tts', ['audio'], 10_000],
    ['gemini', 'gemini-2.5-flash-image', ['image'], 30_000],
    ['openrouter', 'google/gemini-2.5-flash-image', [], 2_500],
    ['vllm', 'anything', ['audio', 'image', 'video'], 0],
  ])('of %s %s are those of all that it writes', (provider, model, outputs, worstOutputNanoUsd) => {
    expect([...price(provider, model).pricedOutputs]).toEqual(outputs);
    expect(price(provider, model)).toMatchObject({ worstOutputNanoUsd });
  });
});

describe('names', () => {
  const same: [ProviderName, name: string, of: string][] = [
    ['openai', 'gpt-4o-2024-08-06', 'gpt-4o'],
    ['openai', ' gpt-4o ', 'gpt-4o'],
    ['openai', 'GPT-4o', 'gpt-4o'],
    ['gemini', 'models/gemini-2.5-flash', 'gemini-2.5-flash'],
    ['gemini', 'gemini-2.0-flash-001', 'gemini-2.0-flash'],
    ['gemini', 'publishers/google/models/gemini-2.5-pro', 'gemini-2.5-pro'],
    ['mistral', 'mistral-small-2506', 'mistral-small-latest'],
    ['bedrock', 'eu.amazon.nova-lite-v1:0', 'amazon.nova-lite-v1:0'],
    ['bedrock', 'arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-lite-v1:0', 'amazon.nova-lite-v1:0'],
    [
      'bedrock',
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    ],
    ['fireworks', 'llama-v3p1-8b-instruct', 'accounts/fireworks/models/llama-v3p1-8b-instruct'],
    ['openrouter', 'openai/gpt-4o:nitro', 'openai/gpt-4o'],
    ['openrouter', 'openai/gpt-4o:online', 'openai/gpt-4o'],
    ['openrouter', 'openai/gpt-4o-2024-08-06', 'openai/gpt-4o'],
  ];
  it.each(same)('%s %s costs what %s costs', (provider, name, of) => {
    const usage = { inputTokens: 12_345, outputTokens: 678 };
    expect(price(provider, name).cost(usage, PEAK)).toBe(price(provider, of).cost(usage, PEAK));
  });

  it.each<[ProviderName, string]>([
    ['openai', 'nobody-knows'],
    ['openai', ''],
    ['openai', 'gpt-4o-evil-twin'],
    ['openai', 'constructor'],
    ['openai', '__proto__'],
    ['openai', 'whisper-1'],
    ['openrouter', 'openrouter/auto'],
    ['openrouter', 'openrouter/auto:free'],
    ['openrouter', 'constructor/gpt-4o'],
    ['openrouter', 'toStringX'],
    ['bedrock', 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc'],
    ['bedrock', 'arn:aws:bedrock:us-east-1:123456789012:provisioned-model/abc'],
    ['fireworks', 'accounts/me/models/mine'],
  ])('%s %j has no price', (provider, model) => {
    expect(table.find(provider, model)).toBeUndefined();
  });

  it('maps Azure deployments', () => {
    const mapped = pricing({ providers: { azure: { deployments: { mine: 'gpt-4o' } } } });
    expect(mapped.find('azure', 'mine')?.worstOutputNanoUsd).toBe(10_000);
    expect(mapped.find('azure', 'MINE')?.worstOutputNanoUsd).toBe(10_000);
    expect(table.find('azure', 'mine')).toBeUndefined();
  });

  it('price an Azure deployment as its model, not as the model that it is called like', () => {
    const overrides = { 'gpt-4o-mini': { output: 1 }, 'azure/own': { output: 2 } };
    const deployments = { 'gpt-4o-mini': 'gpt-4o', own: 'gpt-4o' };
    const mapped = pricing({ pricing: { overrides }, providers: { azure: { deployments } } });
    expect(mapped.find('azure', 'gpt-4o-mini')?.worstOutputNanoUsd).toBe(10_000);
    expect(mapped.find('azure', 'own')?.worstOutputNanoUsd).toBe(2_000);
    expect(mapped.find('openai', 'gpt-4o-mini')?.worstOutputNanoUsd).toBe(1_000);
  });

  it('keeps a bounded number of them, however many a client makes up', () => {
    const hostile = pricing();
    for (let i = 0; i < 5_000; i++) {
      hostile.find('openai', `made-up-${String(i)}`);
    }
    expect(hostile.find('openai', 'gpt-4o')).toBe(hostile.find('openai', 'gpt-4o'));
    expect(hostile.find('openai', 'x'.repeat(1_000_000))).toBeUndefined();
  });
});

describe('limits', () => {
  it.each<[ProviderName, string, output: number | undefined, context: number | undefined]>([
    ['openai', 'gpt-4o', 16_384, 128_000],
    ['openai', 'gpt-4o-2024-05-13', 4_096, 128_000],
    ['openai', 'gpt-4', 4_096, 8_192],
    ['openai', 'gpt-5-chat-latest', 16_384, 400_000],
    ['openai', 'o3-mini', 100_000, 200_000],
    ['anthropic', 'claude-3-haiku-20240307', 4_096, 200_000],
    ['anthropic', 'claude-opus-4-1-20250805', 32_000, 200_000],
    ['anthropic', 'claude-sonnet-4-20250514', 64_000, 200_000],
    ['anthropic', 'claude-opus-4-5', 64_000, 200_000],
    ['gemini', 'gemini-2.5-flash', 65_535, 1_048_576],
    ['gemini', 'gemini-2.5-pro', 65_535, 1_048_576],
    ['openrouter', 'google/gemini-2.5-pro', 65_535, 1_048_576],
    ['openai', 'gpt-4.1', 32_768, 1_047_576],
    ['groq', 'llama-3.3-70b-versatile', 32_768, undefined],
    ['mistral', 'mistral-large-latest', undefined, undefined],
  ])('%s %s', (provider, model, maxOutputTokens, contextTokens) => {
    expect(price(provider, model)).toMatchObject({ maxOutputTokens, contextTokens });
  });
});

describe('overrides', () => {
  it('replace the table’s rates of their direction, and keep the others', () => {
    const own = pricing({ pricing: { overrides: { 'anthropic/claude-opus-4-1': { input: 0 } } } });
    const found = own.find('anthropic', 'claude-opus-4-1');
    expect(found).toMatchObject({
      worstInputNanoUsd: 0,
      worstOutputNanoUsd: 75_000,
      worstInputAudioNanoUsd: undefined,
    });
  });

  it('of text are no price of sound, pictures or film', () => {
    const text = { input: 1, output: 2 };
    const own = pricing({
      pricing: {
        overrides: {
          mine: text,
          'vllm/mine': text,
          'gpt-audio': text,
          spoken: { ...text, input_audio: 3, output_audio: 4, output_image: 5, output_video: 6 },
        },
      },
    });
    for (const provider of ['openai', 'vllm'] as const) {
      const silent = own.find(provider, 'mine');
      expect(silent?.worstInputAudioNanoUsd).toBeUndefined();
      expect([...(silent?.pricedOutputs ?? [])]).toEqual([]);
    }
    expect(own.find('openai', 'gpt-audio')).toMatchObject({
      worstInputAudioNanoUsd: 32_000,
      worstOutputNanoUsd: 64_000,
    });
    const spoken = own.find('openai', 'spoken');
    expect(spoken).toMatchObject({ worstInputAudioNanoUsd: 3_000, worstOutputNanoUsd: 6_000 });
    expect([...(spoken?.pricedOutputs ?? [])]).toEqual(['audio', 'image', 'video']);
    expect(own.find('vllm', 'others')?.pricedOutputs.size).toBe(3);
  });

  it('find dated names, and prefer the provider’s own', () => {
    const own = pricing({
      pricing: { overrides: { 'gpt-4o': { output: 1 }, 'azure/gpt-4o': { output: 2 } } },
    });
    expect(own.find('openai', 'gpt-4o-2024-08-06')?.worstOutputNanoUsd).toBe(1_000);
    expect(own.find('azure', 'gpt-4o')?.worstOutputNanoUsd).toBe(2_000);
  });

  it('price what nobody knows, self-hosted models, and calls', () => {
    const own = pricing({
      pricing: {
        overrides: {
          'vllm/llama': { input: 1, output: 2, cached_input: 0.5 },
          'my-images': { request: 0.04 },
        },
      },
    });
    const usage = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 50 };
    expect(own.find('vllm', 'llama')?.cost(usage, PEAK)).toBe(50_000 + 25_000 + 20_000);
    expect(own.find('openai', 'my-images')).toMatchObject({
      requestNanoUsd: 40_000_000,
      worstInputNanoUsd: 0,
    });
    expect(own.find('openai', 'my-images')?.cost(usage, PEAK)).toBe(40_000_000);
  });

  it('of limits alone price nothing', () => {
    const own = pricing({
      pricing: { overrides: { mine: { max_output_tokens: 5 }, 'gpt-4o': { max_output_tokens: 5 } } },
    });
    expect(own.find('openai', 'mine')).toBeUndefined();
    expect(own.find('openai', 'gpt-4o')).toMatchObject({ maxOutputTokens: 5, worstOutputNanoUsd: 10_000 });
  });
});

describe('several models', () => {
  it('cost what the dearest costs, within the least limits', () => {
    const both = dearestOf([price('openrouter', 'openai/gpt-4o'), price('openrouter', 'openai/gpt-4o-mini')]);
    expect(both).toMatchObject({ worstOutputNanoUsd: 10_000, maxOutputTokens: 16_384 });
    expect(both.cost({ inputTokens: 0, outputTokens: 1 }, PEAK)).toBe(10_000);
    expect(both.listed).toEqual({ inputNanoUsd: 2_500, outputNanoUsd: 10_000 });
    const free = priceOfUnknown('free', true);
    expect(free && dearestOf([both, free]).listed).toBeUndefined();
  });

  it('have a price for what all of them have one for', () => {
    const both = dearestOf([price('openai', 'gpt-audio'), price('openai', 'gpt-4o')]);
    expect([both.pricedOutputs.size, both.worstInputAudioNanoUsd]).toEqual([0, undefined]);
  });
});

describe('unknown models', () => {
  it('are denied with a budget and free without, unless it is written otherwise', () => {
    expect(priceOfUnknown(undefined, true)).toBeUndefined();
    expect(priceOfUnknown(undefined, false)?.worstOutputNanoUsd).toBe(0);
    expect(priceOfUnknown('deny', false)).toBeUndefined();
    expect(priceOfUnknown('free', true)?.worstInputNanoUsd).toBe(0);
    expect(priceOfUnknown({ input: 1, output: 2 }, true)).toMatchObject({
      worstInputNanoUsd: 1_000,
      worstOutputNanoUsd: 2_000,
      worstInputAudioNanoUsd: undefined,
      listed: { inputNanoUsd: 1_000, outputNanoUsd: 2_000 },
    });
  });
});
