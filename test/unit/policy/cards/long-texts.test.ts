import { describe, expect, it } from 'vitest';
import { quickestCpuMs } from '../../../support/cpu-time.ts';
import { llmCall } from '../../../support/policy-call.ts';
import { cardsOf, denyingRule, isDenied } from '../../../support/policy-cards.ts';

describe('long texts', () => {
  const set = denyingRule(
    ['(?i)\\bneedle\\b', '(a|b|c)+needle'].map((value) => ({
      field: 'prompt_text',
      op: 'matches_regex',
      value,
    })),
  );

  it.each([0, 100_000, 262_140, 700_000, 2_000_000])(
    'are searched to their end: needle at %d',
    async (at) => {
      const text = `${'x y '.repeat(at / 4)} abcneedle needle ${'z '.repeat(100)}`;
      expect(await isDenied(set, llmCall(text))).toBe(true);
    },
  );

  it('of 200 cards cost no more than their patterns', async () => {
    const cards = cardsOf(
      ...Array.from({ length: 200 }, (_, n) => ({
        rules: [
          {
            name: 'r',
            match: { type: 'llm_call' },
            conditions: [
              { field: 'agent.tags.team', op: 'equals', value: `team-${String(n)}` },
              { field: 'prompt_text', op: 'contains', value: `word-${String(n)}` },
            ],
            action: 'deny',
          },
        ],
      })),
    );
    expect(await isDenied(cards, llmCall('word-7', { agent: { tags: { team: 'team-7' } } }))).toBe(true);
    const call = llmCall('x'.repeat(1_000));
    expect(quickestCpuMs(() => void cards.decide(call))).toBeLessThan(2);
  });

  it.each(['codeword1 ', 'a', '%25', 'a$', 'c.o.d.e.', 'Y29kZXdvcmQx'])(
    'are searched for 500 words, of which only the last matches: %s',
    async (unit) => {
      const words = Array.from({ length: 500 }, (_, n) => ({
        field: 'prompt_text',
        op: 'contains',
        value: `codeword${String(n)}x`,
      }));
      const cards = denyingRule([{ any: words.slice(0, 100) }, { any: words.slice(100, 150) }]);
      const text = unit.repeat(Math.ceil(2_097_152 / unit.length));
      expect(await isDenied(cards, llmCall(`${text} codeword7x c0deword 120`))).toBe(false);
      expect(await isDenied(cards, llmCall(`${text} c.o.d.e.w.o.r.d.7.x, cоdeword120x`))).toBe(true);
    },
  );
});
