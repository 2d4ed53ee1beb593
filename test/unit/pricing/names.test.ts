import { describe, expect, it } from 'vitest';
import type { ProviderName } from '../../../src/providers/registry.ts';
import { pricing, table, price, PEAK } from './table.ts';

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
    // The newest model of a family may cost many times the first one.
    ['gemini', 'gemini-pro-latest'],
    ['openrouter', 'google/gemini-pro-latest'],
  ])('%s %j has no price', (provider, model) => {
    expect(table.find(provider, model)).toBeUndefined();
  });

  it('maps Azure deployments', () => {
    const mapped = pricing({ providers: { azure: { deployments: { mine: 'gpt-4o' } } } });
    expect(mapped.find('azure', 'mine')?.worstOutputNanoUsd).toBe(10_000);
    expect(mapped.find('azure', 'MINE')?.worstOutputNanoUsd).toBe(10_000);
    expect(table.find('azure', 'mine')).toBeUndefined();
  });

  it('price an Azure deployment as its model, not as a model of the same name', () => {
    const overrides = { 'gpt-4o-mini': { output: 1 }, 'azure/own': { output: 2 } };
    const deployments = { 'gpt-4o-mini': 'gpt-4o', own: 'gpt-4o' };
    const mapped = pricing({ pricing: { overrides }, providers: { azure: { deployments } } });
    expect(mapped.find('azure', 'gpt-4o-mini')?.worstOutputNanoUsd).toBe(10_000);
    expect(mapped.find('azure', 'own')?.worstOutputNanoUsd).toBe(2_000);
    expect(mapped.find('openai', 'gpt-4o-mini')?.worstOutputNanoUsd).toBe(1_000);
  });

  it('keeps a bounded number of names that clients invent', () => {
    const hostile = pricing();
    for (let i = 0; i < 5_000; i++) {
      hostile.find('openai', `made-up-${String(i)}`);
    }
    expect(hostile.find('openai', 'gpt-4o')).toBe(hostile.find('openai', 'gpt-4o'));
    expect(hostile.find('openai', 'x'.repeat(1_000_000))).toBeUndefined();
  });
});
