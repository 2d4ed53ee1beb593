import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Joined, OffsetMap, viewThrough } from '../../../src/inspect/offset-map.ts';

/** One piece of a text: kept, or replaced. */
type Piece = readonly [given: string, made: string];

const word = fc.string({ maxLength: 3 });
const pieces = fc.array(fc.tuple(word, fc.option(word, { nil: undefined })), { maxLength: 12 });

/** A map, with the piece of each character. */
function mapOf(list: readonly Piece[]): { map: OffsetMap; sources: { start: number; end: number }[] } {
  const map = new OffsetMap();
  const sources: { start: number; end: number }[] = [];
  let [from, at] = [0, 0];
  for (const [given, made] of list) {
    if (given === made) {
      for (let unit = 0; unit < made.length; unit += 1) {
        sources.push({ start: from + unit, end: from + unit + 1 });
      }
    } else {
      map.add(from, from + given.length, at, at + made.length);
      for (let unit = 0; unit < made.length; unit += 1)
        sources.push({ start: from, end: from + given.length });
    }
    from += given.length;
    at += made.length;
  }
  return { map, sources };
}

describe('an offset map', () => {
  it('returns the span from the first character to the end of the last, for any edits', () => {
    fc.assert(
      fc.property(pieces, (given) => {
        const { map, sources } = mapOf(given.map(([text, made]): Piece => [text, made ?? text]));
        for (const [start, first] of sources.entries()) {
          for (let end = start + 1; end <= sources.length; end += 1) {
            const expected = { start: first.start, end: Math.max(first.start, sources[end - 1]?.end ?? 0) };
            expect(map.toOriginal({ start, end })).toEqual(expected);
          }
        }
      }),
    );
  });

  it('accepts a hundred thousand edits', () => {
    const { map, sources } = mapOf(Array.from({ length: 200_000 }, (_, at) => [`ab`, at % 2 ? 'ab' : 'x']));
    for (let start = 0; start < sources.length; start += 997) {
      expect(map.toOriginal({ start, end: start + 1 })).toEqual(sources[start]);
    }
  });

  it('excludes deletions after a span, and moves an empty span with its start', () => {
    const map = new OffsetMap();
    map.add(2, 5, 2, 2);
    expect(map.toOriginal({ start: 0, end: 2 })).toEqual({ start: 0, end: 2 });
    expect(map.toOriginal({ start: 2, end: 2 })).toEqual({ start: 5, end: 5 });
  });

  it('is composed with the one below it', () => {
    const [outer, inner] = [new OffsetMap(), new OffsetMap()];
    outer.add(0, 6, 0, 1);
    inner.add(1, 3, 1, 1);
    const view = viewThrough(
      { text: 'a12b', toOriginal: outer.toOriginal },
      { text: 'ab', toOriginal: inner.toOriginal },
    );
    expect([view.text, view.toOriginal({ start: 0, end: 1 }), view.toOriginal({ start: 1, end: 2 })]).toEqual(
      ['ab', { start: 0, end: 6 }, { start: 8, end: 9 }],
    );
  });
});

describe('joined texts', () => {
  const joined = new Joined<string>();
  joined.add('one', 'abc');
  joined.separate('-');
  joined.add('none', '');
  joined.separate('-');
  joined.add('two', 'defg', 10);

  it('are one text, and parts of it', () => {
    expect(joined.text).toBe('abc--defg');
    expect(joined.parts.map(({ start, end }) => joined.text.slice(start, end))).toEqual(['abc', '', 'defg']);
  });

  it.each([
    [0, 3, [['one', 0, 3]]],
    [2, 6, [['one', 2, 3], ['two', 10, 11]]], // prettier-ignore
    [3, 5, []],
    [8, 20, [['two', 13, 14]]],
  ])('have spans of their sources from %i to %i', (start, end, expected) => {
    const spans = joined.spans({ start, end });
    expect(spans.map((span) => [span.source, span.start, span.end])).toEqual(expected);
    expect(joined.partsWithin({ start, end }).map(({ source }) => source)).toEqual(
      expected.map(([of]) => of),
    );
  });
});
