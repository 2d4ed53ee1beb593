import { describe, expect, it } from 'vitest';
import { mostExpensiveOf, priceOfUnknown } from '../../../src/pricing/pricing.ts';
import { pricing, price, OFF_PEAK, PEAK } from './table.ts';

describe('overrides', () => {
  it('replace only the table’s rates of their direction', () => {
    const own = pricing({ pricing: { overrides: { 'anthropic/claude-opus-4-1': { input: 0 } } } });
    const found = own.find('anthropic', 'claude-opus-4-1');
    expect(found).toMatchObject({
      worstInputNanoUsd: 0,
      worstOutputNanoUsd: 75_000,
      worstInputAudioNanoUsd: undefined,
    });
  });

  it.each([PEAK, OFF_PEAK])('keep the hours of the table’s other rates: %j', (at) => {
    const own = pricing({ pricing: { overrides: { 'deepseek/deepseek-chat': { input: 0 } } } });
    const usage = { inputTokens: 0, outputTokens: 1_000 };
    const listed = price('deepseek', 'deepseek-chat').cost(usage, at);
    expect(own.find('deepseek', 'deepseek-chat')?.cost({ ...usage, inputTokens: 9 }, at)).toBe(listed);
  });

  it('for text do not price audio, images or video', () => {
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

  it('price unknown models, self-hosted models, and calls', () => {
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

  it('with only limits set no price', () => {
    const own = pricing({
      pricing: { overrides: { mine: { max_output_tokens: 5 }, 'gpt-4o': { max_output_tokens: 5 } } },
    });
    expect(own.find('openai', 'mine')).toBeUndefined();
    expect(own.find('openai', 'gpt-4o')).toMatchObject({ maxOutputTokens: 5, worstOutputNanoUsd: 10_000 });
  });
});

describe('several models', () => {
  it('cost as much as the most expensive, within the lowest limits', () => {
    const both = mostExpensiveOf([
      price('openrouter', 'openai/gpt-4o'),
      price('openrouter', 'openai/gpt-4o-mini'),
    ]);
    expect(both).toMatchObject({ worstOutputNanoUsd: 10_000, maxOutputTokens: 16_384 });
    expect(both.cost({ inputTokens: 0, outputTokens: 1 }, PEAK)).toBe(10_000);
    expect(both.listed).toEqual({ inputNanoUsd: 2_500, outputNanoUsd: 10_000 });
    const free = priceOfUnknown('free', true);
    expect(free && mostExpensiveOf([both, free]).listed).toBeUndefined();
  });

  it('have a price only for outputs that all of them price', () => {
    const both = mostExpensiveOf([price('openai', 'gpt-audio'), price('openai', 'gpt-4o')]);
    expect([both.pricedOutputs.size, both.worstInputAudioNanoUsd]).toEqual([0, undefined]);
  });
});

describe('unknown models', () => {
  it('are denied with a budget and free without one, by default', () => {
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

describe('prices of models', () => {
  it('are remembered for the last 2,048 names, which clients choose', () => {
    const prices = pricing({ pricing: { overrides: { first: { input: 1, output: 1 } } } });
    const first = prices.find('openai', 'first');
    for (let index = 0; index < 2_047; index++) prices.find('openai', `other-${index}`);
    expect(prices.find('openai', 'first')).toBe(first);
    for (let index = 0; index < 2_048; index++) prices.find('openai', `another-${index}`);
    expect(prices.find('openai', 'first')).not.toBe(first);
    expect(prices.find('openai', 'first')).toMatchObject({ worstInputNanoUsd: 1_000 });
  });
});
