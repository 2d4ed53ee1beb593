import { describe, expect, it } from 'vitest';
import {
  count,
  flag,
  listOf,
  number,
  oneOf,
  text,
  tupleOf,
  unlessEmpty,
  wholeNumber,
  wholeNumberFrom,
  type ReplyReader,
} from '../../../src/redis/reply.ts';

const pair = tupleOf(oneOf('opened', 'closed'), count);

describe('a reply of Redis', () => {
  it('is read as its type', () => {
    expect(pair(['opened', 3])).toEqual(['opened', 3]);
    expect(listOf(pair)([['closed', 0]])).toEqual([['closed', 0]]);
    expect(unlessEmpty(pair)([])).toBeUndefined();
    expect(unlessEmpty(pair)(['closed', 1])).toEqual(['closed', 1]);
    expect([text(''), number(-1.5), wholeNumber(-2), flag(1)]).toEqual(['', -1.5, -2, 1]);
  });

  it.each<[string, ReplyReader<unknown>, unknown]>([
    ['a number for a text', text, 1],
    ['a text for a number', number, '1'],
    ['not a number', number, NaN],
    ['an infinite number', number, Infinity],
    ['a fraction', wholeNumber, 1.5],
    ['an inexact number', wholeNumber, 2 ** 53],
    ['digits', wholeNumber, '1'],
    ['a negative count', count, -1],
    ['less than the minimum', wholeNumberFrom(-1), -2],
    ['another number', flag, 2],
    ['a flag as text', flag, '1'],
    ['another word', oneOf('opened'), 'closed'],
    ['nothing', pair, null],
    ['too few', pair, ['opened']],
    ['too many', pair, ['opened', 1, 1]],
    ['another order', pair, [1, 'opened']],
    ['a list with an item of another shape', listOf(count), [1, null]],
    ['not a list', listOf(count), 1],
    ['neither empty nor whole', unlessEmpty(pair), ['opened']],
  ])('is refused if it is %s', (_what, read, reply) => {
    expect(() => read(reply)).toThrow('Redis sent a reply of the wrong shape');
  });
});
