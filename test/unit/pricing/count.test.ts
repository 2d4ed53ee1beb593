import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countText, countWritten, createTokenCounter } from '../../../src/pricing/count.ts';
import { threadCpuMs } from '../../support/cpu-time.ts';

describe('countText', () => {
  it.each([
    ['', 0],
    ['hello world', 2],
    ['one two three four five six seven eight', 8],
    // Text that looks like a control token counts as text.
    ['<|endoftext|>', 7],
  ])('%j has %d tokens', (text, tokens) => {
    expect(countText(text)).toBe(tokens);
  });

  it('takes linear time for text that takes tokenizers quadratic time', () => {
    const started = threadCpuMs();
    for (const run of ['a', ' ', '!', '中', '\u00a0x', '0']) {
      countText(run.repeat(65_536 / run.length));
    }
    expect(threadCpuMs() - started).toBeLessThan(2_000);
  });

  it('is never above the bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        // Half of a surrogate pair counts as the three bytes of U+FFFD.
        expect(countText(text)).toBeLessThanOrEqual(Buffer.byteLength(text.toWellFormed()));
      }),
    );
  });
});

describe('a counter', () => {
  it('counts half as much again for other providers, never above the bytes', () => {
    const text = 'the quick brown fox jumps over the lazy dog';
    function tokensOf(provider: 'openai' | 'anthropic', piece: string): number {
      const counter = createTokenCounter(provider);
      counter.add(piece);
      return counter.tokens;
    }
    expect(tokensOf('openai', text)).toBe(9);
    expect(tokensOf('anthropic', text)).toBe(14);
    expect(tokensOf('anthropic', '??')).toBeLessThanOrEqual(2);
  });

  it('measures text beyond its limit in bytes', () => {
    const counter = createTokenCounter('openai');
    counter.add('word '.repeat(200_000));
    expect(counter.tokens).toBeGreaterThan(1_000_000 - 65_536);
    expect(counter.tokens).toBeLessThan(1_000_000 - 65_536 + 20_000);
  });

  it('adds the bytes of an answer that were not kept', () => {
    expect(countWritten('openai', { text: 'hello world', beyondBytes: 100 })).toBe(102);
  });
});
