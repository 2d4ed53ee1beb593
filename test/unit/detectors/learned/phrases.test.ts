import { describe, expect, it } from 'vitest';
import { seeded } from '../../../../models/injection/learn.ts';
import { expand, fill } from '../../../../models/injection/phrases/expand.ts';
import { PHRASES } from '../../../../models/injection/phrases/index.ts';

describe('the phrases that the model is trained on', () => {
  it('cover twelve languages', () => {
    expect(PHRASES.map(({ language }) => language).toSorted()).toEqual(
      ['ar', 'de', 'en', 'es', 'fr', 'hi', 'it', 'ja', 'nl', 'pt', 'ru', 'zh'].toSorted(),
    );
  });

  it.each(PHRASES)('name only known slots: $language', ({ slots, attacks, innocent }) => {
    const random = seeded(1);
    for (const template of [...attacks, ...innocent, ...Object.values(slots).flat()])
      expect(fill(template, slots, random)).not.toMatch(/\{[a-z_]+\}/);
  });

  it.each(PHRASES)('are an attack or innocent, never both: $language', ({ attacks, innocent }) => {
    const known = new Set(innocent);
    expect(attacks.filter((template) => known.has(template))).toEqual([]);
  });

  it('are the same for the same seed', () => {
    for (const phrases of PHRASES)
      expect(expand(phrases, 'attacks', 50, seeded(7))).toEqual(expand(phrases, 'attacks', 50, seeded(7)));
  });
});
