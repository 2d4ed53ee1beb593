import { describe, expect, it } from 'vitest';
import { stem } from '../../../src/text/content-words.ts';

describe('a word', () => {
  it.each([
    ['tanker', ['tankers', 'tanker']],
    ['battery', ['batteries', 'battery']],
    ['process', ['processes', 'process']],
    ['mix', ['mixes', 'mix']],
    ['harvest', ['harvesting', 'harvested', 'harvests', 'harvest']],
  ])('loses its most common endings: %s', (expected, forms) => {
    expect(new Set(forms.map(stem))).toEqual(new Set([expected]));
  });

  it.each(['gas', 'virus', 'basis', 'moss', 'bed', 'sing', 'red', 'as', ''])(
    'keeps letters that are no ending: %s',
    (word) => {
      expect(stem(word)).toBe(word);
    },
  );
});
