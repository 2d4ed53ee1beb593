import { expect, it } from 'vitest';
import { seededPart } from '../../support/seeded-part.ts';

const rows = Array.from({ length: 100 }, (_, at) => at);

it('takes a share of the rows in their order, the same for the same label', () => {
  const part = seededPart('a', rows, 1 / 4, false);
  expect(part).toHaveLength(25);
  expect(part).toEqual(part.toSorted((a, b) => a - b));
  expect(seededPart('a', rows, 1 / 4, false)).toEqual(part);
  expect(seededPart('b', rows, 1 / 4, false)).not.toEqual(part);
});

it('takes every row in the end: each is in the part of some label', () => {
  const seen = new Set(
    Array.from({ length: 60 }, (_, label) => seededPart(String(label), rows, 1 / 4, false)).flat(),
  );
  expect(seen.size).toBe(rows.length);
});

it('takes one of few rows, and all of them in a nightly run', () => {
  expect(seededPart('a', ['only'], 1 / 100, false)).toEqual(['only']);
  expect(seededPart('a', rows, 1 / 4, true)).toEqual(rows);
});
