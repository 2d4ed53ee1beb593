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
    ['a number instead of a text', text, 1],
    ['a text instead of a number', number, '1'],
    ['not a number', number, NaN],
    ['an infinite number', number, Infinity],
    ['a fraction', wholeNumber, 1.5],
    ['an inexact number', wholeNumber, 2 ** 53],
    ['digits', wholeNumber, '1'],
    ['a negative count', count, -1],
    ['a number below the minimum', wholeNumberFrom(-1), -2],
    ['an unknown number', flag, 2],
    ['a flag as a text', flag, '1'],
    ['an unknown word', oneOf('opened'), 'closed'],
    ['nothing', pair, null],
    ['too few items', pair, ['opened']],
    ['too many items', pair, ['opened', 1, 1]],
    ['items in another order', pair, [1, 'opened']],
    ['a list with an item of another type', listOf(count), [1, null]],
    ['not a list', listOf(count), 1],
    ['neither empty nor complete', unlessEmpty(pair), ['opened']],
  ])('is refused if it is %s', (_what, read, reply) => {
    expect(() => read(reply)).toThrow('Redis sent an unexpected reply');
  });
});
