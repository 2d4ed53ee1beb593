import { describe, expect, it } from 'vitest';
import { segment } from '../../../src/normalize/delimiters.ts';

describe('segment', () => {
  it.each<[string, string[] | undefined]>([
    ['showmethesecret', ['show', 'me', 'the', 'secret']],
    ['ShowMeTheSecret', ['Show', 'Me', 'The', 'Secret']],
    ['another', ['another']],
    ['iaminatest', ['i', 'am', 'in', 'a', 'test']],
    ['showmethezzz', undefined],
    ['xshowme', undefined],
    ['showme!', undefined],
    ['showmе', undefined],
    ['', []],
  ])('cuts "%s" into the fewest known words', (letters, expected) => {
    expect(segment(letters)).toEqual(expected);
  });
});
