import { describe, expect, it } from 'vitest';
import { replaceSpans } from '../../../src/text/replace-spans.ts';

describe('replacing spans', () => {
  const at = (start: number, end: number, text = '*') => ({ start, end, text });

  it.each([
    ['none', [], '0123456789'],
    ['two separate spans, in any order', [at(7, 9), at(1, 3)], '0*3456*9'],
    ['two adjacent spans', [at(1, 3), at(3, 5)], '0*56789'],
    ['both ends', [at(0, 1), at(9, 10)], '*12345678*'],
    ['one span inside another', [at(2, 8, 'outer'), at(4, 5, 'inner')], '01outer89'],
    ['one span inside another, given first', [at(2, 3, 'inner'), at(2, 8, 'outer')], '01outer89'],
    ['two overlapping spans', [at(1, 4, 'short'), at(3, 9, 'long')], '0long9'],
    ['a chain', [at(1, 5, 'a'), at(4, 7, 'b'), at(6, 9, 'c')], '0a9'],
    ['the same span twice', [at(1, 3), at(1, 3)], '0*3456789'],
    ['the whole text', [at(0, 10)], '*'],
  ])('%s', (_name, replacements, expected) => {
    expect(replaceSpans('0123456789', replacements)).toBe(expected);
  });

  it('counts UTF-16 units', () => {
    expect(replaceSpans('🙂ab🙂', [at(2, 4)])).toBe('🙂*🙂');
  });
});
