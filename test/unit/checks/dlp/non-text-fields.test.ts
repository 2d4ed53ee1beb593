import { describe, expect, it } from 'vitest';
import { RecentTexts } from '../../../../src/inspect/stream/non-text-fields.ts';

describe('recent texts', () => {
  it('are known until as many others have arrived', () => {
    const texts = new RecentTexts();
    expect(texts.has('a')).toBe(false);
    texts.add('a');
    for (let count = 0; count < 127; count += 1) texts.add(`other ${count}`);
    expect(texts.has('a')).toBe(true);
    for (let count = 0; count < 64; count += 1) texts.add(`more ${count}`);
    expect(texts.has('a')).toBe(true);
    for (let count = 0; count < 192; count += 1) texts.add(`again ${count}`);
    expect(texts.has('a')).toBe(false);
  });

  it('are short', () => {
    const texts = new RecentTexts();
    texts.add('x'.repeat(256));
    texts.add('y'.repeat(257));
    expect([texts.has('x'.repeat(256)), texts.has('y'.repeat(257))]).toEqual([true, false]);
  });
});
