import { countTokens as countOlderTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, it } from 'vitest';
import { byteBound, countedBound, countedInput, requestUnits } from '../../../src/pricing/input-bound.ts';
import type { RequestFacts } from '../../../src/providers/request-facts.ts';
import type { ProviderName } from '../../../src/providers/registry.ts';
import { EMPTY_REQUEST } from '../../support/request-facts.ts';

function facts(more: Partial<RequestFacts> = {}): RequestFacts {
  return { ...EMPTY_REQUEST, model: 'm', models: ['m'], texts: [], ...more };
}

const say = (text: string) => ({ role: 'user' as const, kind: 'text' as const, text, path: ['x'] });

function source(request: RequestFacts, bodyBytes: number, provider: ProviderName = 'openai') {
  return { provider, request, bodyBytes, pricedModels: [], contextTokens: 100_000 };
}

describe('the input bound', () => {
  it('in bytes excludes media', () => {
    const data = 'A'.repeat(4_000);
    const request = facts({ media: [{ kind: 'audio', source: 'inline', data }] });
    expect(byteBound(source(request, 4_500))).toEqual({ textTokens: 564, audioTokens: 100_000 });
  });

  it('adds eight tokens for each text', () => {
    const words = ['one', 'two', 'three'].map(say);
    expect(countedInput('openai', facts({ texts: words }))).toBe(3 + 3 * 8);
    const counted = countedBound(source(facts({ texts: words }), 211)).textTokens;
    expect(counted).toBe(3 + (211 - 11 + 0) / 2 + 3 * 8 + 64);
  });

  it('by counting is closer, and never above the bytes', () => {
    const text = 'the quick brown fox jumps over the lazy dog '.repeat(100);
    const request = facts({ texts: [say(text)] });
    const cheap = byteBound(source(request, text.length + 80)).textTokens;
    const counted = countedBound(source(request, text.length + 80)).textTokens;
    expect(counted).toBeLessThan(cheap / 3);
    expect(counted).toBeGreaterThan(countedInput('openai', request));
    const dense = facts({ texts: [say('!?'.repeat(10))] });
    expect(countedBound(source(dense, 20)).textTokens).toBeLessThanOrEqual(
      byteBound(source(dense, 20)).textTokens,
    );
  });

  it.each<[ProviderName, string, string]>([
    ['openai', 'gpt-4-turbo', 'ဒီစာကြောင်းကို မြန်မာဘာသာနဲ့ ရေးထားပါတယ်'],
    ['groq', 'llama-3.3-70b-versatile', 'నేను తెలుగులో ఒక పొడవైన వాక్యాన్ని వ్రాస్తున్నాను'],
    ['together', 'meta-llama/Llama-3.3-70B', 'ይህ ጽሑፍ በአማርኛ ቋንቋ የተጻፈ ነው'],
  ])(
    'of %s %s by counting is not below the count of an older vocabulary for %s',
    (provider, model, sentence) => {
      const text = sentence.repeat(20);
      const request = facts({ model, texts: [say(text)] });
      const bound = countedBound({ ...source(request, Buffer.byteLength(text) + 80), provider });
      expect(bound.textTokens).toBeGreaterThan(countOlderTokens(text));
    },
  );

  it('by counting has a token for each digit, as in vocabularies that split numbers', () => {
    const request = facts({ model: 'gemini-2.5-pro', texts: [say('7'.repeat(1_000))] });
    const bound = countedBound({ ...source(request, 1_080), provider: 'gemini' });
    expect(bound.textTokens).toBeGreaterThan(1_000);
  });

  it('of several unbounded media is one context', () => {
    const media = Array.from({ length: 3 }, () => ({ kind: 'video' as const, source: 'id' as const }));
    expect(byteBound(source(facts({ media }), 100))).toEqual({ textTokens: 164, audioTokens: 100_000 });
    const unseen = facts({ media, unseenContent: true });
    expect(byteBound(source(unseen, 100))).toEqual({ textTokens: 164, audioTokens: 100_000 });
  });

  it('has room for the provider’s text around tools', () => {
    expect(byteBound(source(facts({ tools: ['t'] }), 100)).textTokens).toBe(100 + 64 + 1_024);
  });

  it('of unseen content is the whole context', () => {
    expect(byteBound(source(facts({ unseenContent: true }), 100)).textTokens).toBe(100_000);
    expect(countedBound(source(facts({ unseenContent: true }), 100)).textTokens).toBe(100_000);
  });
});

describe('requestUnits', () => {
  it('are Cohere’s search units for reranking, and 1 otherwise', () => {
    const documents = (count: number, chars = 10) =>
      facts({ texts: Array.from({ length: count }, () => say('x'.repeat(chars))) });
    expect(requestUnits('rerank', documents(99))).toBe(1);
    expect(requestUnits('rerank', documents(101))).toBe(2);
    expect(requestUnits('rerank', documents(50, 1_000))).toBe(2);
    expect(requestUnits('chat', documents(500))).toBe(1);
  });
});
