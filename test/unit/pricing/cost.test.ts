import { describe, expect, it } from 'vitest';
import type { Usage } from '../../../src/providers/dialect.ts';
import type { ProviderName } from '../../../src/providers/registry.ts';
import { pricing, price, PEAK, OFF_PEAK } from './table.ts';

const of = (inputTokens: number, outputTokens: number, more: Partial<Usage> = {}): Usage => ({
  inputTokens,
  outputTokens,
  ...more,
});

describe('cost', () => {
  const cases: [what: string, ProviderName, string, Usage, nanoUsd: number, at?: Date][] = [
    ['openai: input and output', 'openai', 'gpt-4o', of(1_000, 100), 3_500_000],
    [
      'openai: cached input is part of the input',
      'openai',
      'gpt-4o',
      of(1_000, 0, { cacheReadTokens: 400 }),
      2_000_000,
    ],
    [
      'openai: reasoning is part of the output',
      'openai',
      'o3',
      of(0, 500, { reasoningTokens: 400 }),
      4_000_000,
    ],
    ['openai: above the tier every price is higher', 'openai', 'gpt-5.4', of(300_000, 100), 1_502_250_000],
    ['openai: below the tier no price is higher', 'openai', 'gpt-5.4', of(200_000, 100), 501_500_000],
    ['openai: embeddings', 'openai', 'text-embedding-3-small', of(1_000, 0), 20_000],
    ['openai: moderation is free', 'openai', 'omni-moderation-latest', of(1_000, 0), 0],
    [
      'openai: a fine-tuned model has its own price',
      'openai',
      'ft:gpt-4o-2024-08-06:org::id',
      of(1_000, 0),
      3_750_000,
    ],
    [
      'anthropic: reads cost a tenth, writes 1.25, one-hour writes twice the input',
      'anthropic',
      'claude-opus-4-1',
      of(4_000, 0, { cacheReadTokens: 1_000, cacheWriteTokens: 1_000, cacheWrite1hTokens: 1_000 }),
      15_000_000 + 1_500_000 + 18_750_000 + 30_000_000,
    ],
    [
      'anthropic: over 200,000 tokens',
      'anthropic',
      'claude-sonnet-4-5',
      of(200_001, 1),
      200_001 * 6_000 + 22_500,
    ],
    ['anthropic: a dated name', 'anthropic', 'claude-3-5-sonnet-20241022', of(1_000, 0), 3_000_000],
    ['gemini: over 200,000 tokens', 'gemini', 'gemini-2.5-pro', of(200_001, 1), 200_001 * 2_500 + 15_000],
    [
      'gemini: audio costs more than text',
      'gemini',
      'gemini-2.5-flash',
      of(1_000, 0, { inputAudioTokens: 600 }),
      400 * 300 + 600 * 1_000,
    ],
    [
      'bedrock: one-hour cache writes',
      'bedrock',
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      of(1_000, 0, { cacheWrite1hTokens: 1_000 }),
      6_600_000,
    ],
    ['azure', 'azure', 'gpt-4.1-mini', of(1_000, 1_000), 2_000_000],
    ['mistral', 'mistral', 'mistral-large-latest', of(1_000, 1_000), 8_000_000],
    ['groq', 'groq', 'llama-3.3-70b-versatile', of(1_000, 1_000), 1_380_000],
    ['cohere', 'cohere', 'command-a-03-2025', of(1_000, 1_000), 12_500_000],
    ['cohere: reranking is billed per call', 'cohere', 'rerank-v3.5', of(0, 0), 2_000_000],
    ['deepseek: at daytime', 'deepseek', 'deepseek-chat', of(1_000, 1_000), 1_370_000, PEAK],
    ['deepseek: off-peak', 'deepseek', 'deepseek-chat', of(1_000, 1_000), 685_000, OFF_PEAK],
    ['together', 'together', 'meta-llama/Llama-3.3-70B-Instruct-Turbo', of(1_000, 1_000), 1_760_000],
    ['fireworks', 'fireworks', 'accounts/fireworks/models/llama-v3p1-8b-instruct', of(1_000, 1_000), 400_000],
    ['xai', 'xai', 'grok-4', of(1_000, 1_000, { cacheReadTokens: 1_000 }), 15_750_000],
    ['openrouter', 'openrouter', 'openai/gpt-4o', of(1_000, 1_000), 12_500_000],
    ['openrouter: free variants', 'openrouter', 'deepseek/deepseek-chat:free', of(1_000, 1_000), 0],
    [
      'openai: audio in and out',
      'openai',
      'gpt-audio',
      of(1_000, 100, { inputAudioTokens: 900, outputAudioTokens: 80 }),
      100 * 2_500 + 900 * 32_000 + 20 * 10_000 + 80 * 64_000,
    ],
    [
      'gemini: cached audio costs as much as audio',
      'gemini',
      'gemini-2.5-flash',
      of(1_000, 0, { inputAudioTokens: 900, cacheReadTokens: 500 }),
      900 * 1_000 + 100 * 30,
    ],
    [
      'gemini: pictures have their own price',
      'gemini',
      'gemini-2.5-flash-image',
      of(0, 1_290),
      1_290 * 30_000,
    ],
    ['ollama is free, since the machine is the owner’s', 'ollama', 'llama3', of(1_000, 1_000), 0],
    ['vllm is free too', 'vllm', 'anything', of(1_000, 1_000), 0],
  ];
  it.each(cases)('%s', (_what, provider, model, usage, nanoUsd, at = PEAK) => {
    expect(price(provider, model).cost(usage, at)).toBe(nanoUsd);
  });

  it('rounds up to a whole nano-USD, but not for binary noise', () => {
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

  it('ignores invalid usage and never throws', () => {
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
