import { describe, expect, it } from 'vitest';
import { surchargeOf } from '../../../src/pricing/surcharges.ts';
import { toolCallsNanoUsd } from '../../../src/pricing/tool-calls.ts';
import type { ProviderName } from '../../../src/providers/registry.ts';

const usual = { tiers: [], speeds: [], geos: [] };

describe('surcharges for the tier, speed and region of an answer', () => {
  it.each<[ProviderName, string, string, number]>([
    ['openai', 'gpt-4o', 'priority', 1.75],
    ['openai', 'gpt-4.1', 'priority', 1.75],
    ['openai', 'gpt-4.1-nano', 'priority', 2],
    ['openai', 'gpt-5.1', 'PRIORITY', 2],
    ['openai', 'gpt-5.5', 'priority', 2.5],
    ['azure', 'o3', 'priority', 1.75],
    ['gemini', 'gemini-3-pro', 'ON_DEMAND_PRIORITY', 2],
    ['xai', 'grok-4', 'priority', 2],
    ['bedrock', 'amazon.nova-pro-v1:0', 'priority', 1.75],
    ['openai', 'gpt-4o', 'platinum', 2.5],
    ['groq', 'llama', 'performance', 2.5],
    ['openai', 'gpt-4o', 'constructor', 2.5],
    ['openai', 'gpt-4o', 'scale', 1],
    ['openai', 'gpt-4o', 'flex', 1],
    ['gemini', 'gemini-3-pro', 'PROVISIONED_THROUGHPUT', 1],
    ['bedrock', 'amazon.nova-pro-v1:0', 'reserved', 1],
  ])('%s bills %s at %s %d times', (provider, model, tier, times) => {
    expect(surchargeOf(provider, [model], { ...usual, tiers: [tier] })).toBe(times);
  });

  it('count the most expensive of several tiers and models', () => {
    expect(surchargeOf('openai', ['gpt-4o', 'gpt-5.5'], { ...usual, tiers: ['default', 'priority'] })).toBe(
      2.5,
    );
  });

  it('multiply speed and region', () => {
    const fast = { tiers: ['standard'], speeds: ['fast'], geos: ['us'] };
    expect(surchargeOf('anthropic', ['claude-opus-4-6'], fast)).toBeCloseTo(6.6, 10);
    expect(surchargeOf('anthropic', ['claude-opus-4-8'], fast)).toBeCloseTo(2.2, 10);
    expect(surchargeOf('anthropic', ['claude-opus-5'], { ...fast, geos: ['global'] })).toBe(2);
    expect(surchargeOf('bedrock', ['x'], { ...usual, speeds: ['optimized'] })).toBe(1.25);
  });

  it('are zero if the answer reports nothing', () => {
    expect(surchargeOf('openai', [], usual)).toBe(1);
  });
});

describe('calls of hosted tools', () => {
  const nanoUsd = (provider: ProviderName, kept: string[], reported: Record<string, number>, prices = {}) =>
    toolCallsNanoUsd({ provider, kept, reported: new Map(Object.entries(reported)), prices });

  it('cost one call of each allowed tool if the answer reports none', () => {
    const prices = { web_search: 0.02, code_interpreter: 0.05 };
    expect(nanoUsd('openai', ['web_search'], {}, prices)).toBe(20_000_000);
    expect(nanoUsd('openai', ['web_search', 'code_interpreter'], {}, prices)).toBe(70_000_000);
    expect(nanoUsd('openai', ['free'], {}, prices)).toBe(0);
  });

  it('cost as many as are reported, at the operator’s price for each kind, plus the other allowed ones', () => {
    const prices = { web_search_20250305: 0.02, code_interpreter: 0.05 };
    const kept = ['web_search_20250305', 'code_interpreter'];
    expect(nanoUsd('anthropic', kept, { web_search: 4 }, prices)).toBe(80_000_000 + 50_000_000);
    expect(nanoUsd('anthropic', [], { web_search: 4 }, prices)).toBe(80_000_000);
    expect(nanoUsd('anthropic', kept, { web_search: 4, code_interpreter: 2 }, prices)).toBe(180_000_000);
  });

  it('cost the operator’s price for each call, also of tools that have no list price', () => {
    const prices = { web_fetch_20250910: 0.01, mcp: 0.5 };
    const kept = ['web_fetch_20250910', 'mcp'];
    expect(nanoUsd('anthropic', kept, { web_fetch: 9 }, prices)).toBe(90_000_000 + 500_000_000);
    expect(nanoUsd('openai', ['mcp'], { mcp: 3, web_fetch: 4 }, { mcp: 0.5 })).toBe(1_500_000_000);
    expect(nanoUsd('openai', ['mcp'], { memory: 3 }, { mcp: 0.5 })).toBe(500_000_000);
  });

  it('never cost less than the reservation', () => {
    const prices = { web_search: 0.02, web_search_preview: 0.05 };
    expect(nanoUsd('openai', ['web_search', 'web_search_preview'], { web_search: 1 }, prices)).toBe(
      70_000_000,
    );
  });

  it.each<[ProviderName, string, number]>([
    ['anthropic', 'web_search', 0.01],
    ['openai', 'web_search', 0.025],
    ['gemini', 'googleSearch', 0.035],
    ['xai', 'x_search', 0.025],
    ['groq', 'search', 0.01],
    ['openai', 'file_search', 0.0025],
    ['openai', 'code_interpreter', 0.03],
    ['openai', 'image_generation', 0.25],
    ['anthropic', 'web_fetch', 0],
    ['openai', 'mcp', 0],
  ])('of %s, %s, cost %d USD without a set price', (provider, name, usd) => {
    expect(nanoUsd(provider, [], { [name]: 2 })).toBe(Math.round(usd * 2e9));
  });
});
