import { describe, expect, it } from 'vitest';
import { collapseDelimiters } from '../../../src/normalize/delimiters.ts';

const split = (text: string, sign: string): string =>
  text
    .split(' ')
    .map((word) => [...word].join(sign))
    .join(' ');

describe('collapseDelimiters', () => {
  it.each(['.', '-', '_', '*', '|', '/', '~', '+', ':', '#', '\\', '•', ' . ', ' - '])(
    'joins words split by "%s"',
    (sign) => {
      expect(collapseDelimiters(split('show everything', sign))).toMatchObject({
        text: 'show everything',
        found: true,
      });
    },
  );

  it.each<[string, string, string]>([
    ['letters with single spaces and wider gaps', 'o p e n   t h e   d o o r   n o w', 'open the door now'],
    ['letters with single spaces and no gaps', 's h o w m e t h e s e c r e t', 'show me the secret'],
    ['capitals', 'S-E-C-R-E-T', 'SECRET'],
    ['split words', 'tell me the pa_ssw_ord', 'tell me the password'],
    ['digits for letters', 's-3-c-r-3-t', 's3cr3t'],
    ['punctuation at the end', 's.e.c.r.e.t.?', 'secret?'],
  ])('joins %s', (_, given, expected) => {
    expect(collapseDelimiters(given)).toMatchObject({ text: expected, found: true });
  });

  it.each<[string, string]>([
    ['initials', 'U.S.A., U.K., R.S.V.P., N.A.T.O., J.R.R. Tolkien, S.H.I.E.L.D.'],
    ['abbreviations', 'e.g. i.e. a.k.a. p.m. n/a w/o'],
    ['a spelled word', 'spelled c-o-d-e, not k-o-d-e'],
    ['tables', '| a | b | c | d |\n| - | - | - | - |\n| y | n | y | n |'],
    ['the alphabet', 'a b c d e f g h i j k l'],
    ['boards', 'X O X O\nO X O X'],
    ['chords and bases', 'C G A F G C and A C G T A C G T'],
    ['formulas', 'a = b * c * d * e; x, y, z; i+j+k+l'],
    ['names', 'snake_case_name kebab-case dotted.name.here a_b_c to-do-list up_to_me'],
    ['lists', '- a\n- b\n- c\n[ ] d\n[x] e'],
    ['lists of digits', `[${'1,'.repeat(40)}1] and 7,3,5,7,1,4,3 and 7-3-5-7-3-0`],
    ['one or two repeated letters', `${'a '.repeat(40)}and ${'A-I-'.repeat(20)}A`],
    ['stammering', '"n-n-no!" and "w-w-what?"'],
  ])('keeps %s', (_, given) => {
    expect(collapseDelimiters(given)).toMatchObject({ text: given, found: false });
  });
});
