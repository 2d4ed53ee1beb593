import { describe, expect, it } from 'vitest';
import type { ProviderName } from '../../../src/providers/registry.ts';
import { price, PEAK, OFF_PEAK } from './table.ts';

describe('worst rates', () => {
  it('are the highest of cache writes, tiers and hours', () => {
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

  it('omit a tier that the input cannot reach', () => {
    const model = price('anthropic', 'claude-sonnet-4-5');
    expect(model.worstRates(200_000)).toEqual({ inputNanoUsd: 6_000, outputNanoUsd: 15_000 });
    expect(model.worstRates(200_001)).toEqual({ inputNanoUsd: 12_000, outputNanoUsd: 22_500 });
  });

  it('are never below a cost, for any usage and hour', () => {
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

  it('have no price for audio if the table has none', () => {
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
  ])('of %s %s cover all its output modalities', (provider, model, outputs, worstOutputNanoUsd) => {
    expect([...price(provider, model).pricedOutputs]).toEqual(outputs);
    expect(price(provider, model)).toMatchObject({ worstOutputNanoUsd });
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
