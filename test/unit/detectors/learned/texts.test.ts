import { describe, expect, it } from 'vitest';
import { readTexts } from '../../../../models/injection/texts.ts';

const MAX_CHARS = 1_500;

describe('the texts that the model is trained on', () => {
  const all = readTexts();

  it('contain attacks and innocent texts in English', () => {
    const english = all.find(({ language }) => language === 'en');
    expect(english?.attacks.length).toBeGreaterThan(1_500);
    expect(english?.innocent.length).toBeGreaterThan(2_000);
  });

  it.each(all)('occur once, as an attack or as innocent: $language', ({ attacks, innocent }) => {
    const texts = [...attacks, ...innocent].map((text) => text.toLowerCase());
    expect(texts.filter((text, index) => texts.indexOf(text) < index)).toEqual([]);
  });

  it.each(all)('fit on a page: $language', ({ attacks, innocent }) => {
    expect([...attacks, ...innocent].filter((text) => text.length > MAX_CHARS)).toEqual([]);
  });
});
