import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextMap } from '../../../src/text/text-map.ts';

describe('a map by texts', () => {
  it('returns the same as a Map for every text', () => {
    const texts = fc.oneof(fc.string({ maxLength: 80 }), fc.constantFrom('', 'a', '__proto__', '7'));
    fc.assert(
      fc.property(fc.array(fc.tuple(texts, fc.nat())), fc.array(texts), (entries, others) => {
        const map = new Map(entries);
        const wide = new TextMap<number>();
        for (const [text, value] of entries) wide.set(text, value);
        for (const text of [...map.keys(), ...others]) {
          expect(wide.get(text)).toBe(map.get(text));
          expect(wide.has(text)).toBe(map.has(text));
        }
      }),
    );
  });
});
