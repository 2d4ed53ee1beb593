import { describe, expect, it } from 'vitest';
import {
  addFeature,
  addSums,
  createSimHashSums,
  formatSimHash,
  hammingDistance,
  hashFeature,
  mixedHigh,
  mixedLow,
  parseSimHash,
  readFeature,
  toSimHash,
  Votes,
} from '../../../src/text/simhash.ts';

const NUMBERS = Array.from({ length: 2_000 }, (_, nth) => `word ${String(nth)}`);

function simHashOf(words: readonly string[]) {
  const sums = createSimHashSums();
  for (const word of words) addFeature(sums, hashFeature(word), 1);
  return toSimHash(sums);
}

describe('the SimHash', () => {
  it('of one feature is that feature’s hash', () => {
    expect(simHashOf(['one'])).toEqual(hashFeature('one'));
  });

  it('does not depend on the order', () => {
    expect(simHashOf(NUMBERS.toReversed())).toEqual(simHashOf(NUMBERS));
  });

  it('differs more for sets that share less', () => {
    const base = NUMBERS.slice(0, 100);
    const changed = [1, 10, 50, 100].map((count) =>
      hammingDistance(simHashOf(base), simHashOf([...base.slice(count), ...NUMBERS.slice(500, 500 + count)])),
    );
    expect(changed).toEqual(changed.toSorted((one, other) => one - other));
    expect(changed[0]).toBeLessThan(10);
    expect(changed[3]).toBeGreaterThan(20);
  });

  it('follows the heavier feature', () => {
    const sums = createSimHashSums();
    addFeature(sums, hashFeature('light'), 1);
    addFeature(sums, hashFeature('heavy'), 1.5);
    expect(toSimHash(sums)).toEqual(hashFeature('heavy'));
  });

  it('is the sum of its parts', () => {
    const sums = createSimHashSums();
    const part = createSimHashSums();
    addFeature(part, hashFeature('part'), 1);
    addFeature(sums, hashFeature('rest'), 1);
    addSums(sums, part, 2);
    expect(toSimHash(sums)).toEqual(hashFeature('part'));
  });

  it('is read back unchanged', () => {
    for (const word of NUMBERS)
      expect(parseSimHash(formatSimHash(hashFeature(word)))).toEqual(hashFeature(word));
    expect(formatSimHash({ high: 1, low: 0xffffffff })).toBe('00000001ffffffff');
  });
});

describe('the hash of a feature', () => {
  it('sets each bit for half of all features', () => {
    for (let bit = 0; bit < 32; bit++) {
      for (const half of ['high', 'low'] as const) {
        const ones = NUMBERS.filter((word) => (hashFeature(word)[half] >>> bit) & 1).length;
        expect(ones / NUMBERS.length).toBeCloseTo(0.5, 1);
      }
    }
  });

  it('changes half of the bits if one character changes', () => {
    const distances = NUMBERS.map((word) =>
      hammingDistance(hashFeature(`${word}a`), hashFeature(`${word}b`)),
    );
    expect(distances.reduce((sum, distance) => sum + distance, 0) / distances.length).toBeCloseTo(32, -0.5);
    expect(Math.min(...distances)).toBeGreaterThan(10);
  });

  it('is the same for a text in pieces', () => {
    const { high, low } = ['', 'a', ' ', 'b'].reduce(
      (read, piece) => readFeature(piece, read),
      readFeature('said '),
    );
    expect({ high: mixedHigh(high, low) >>> 0, low: mixedLow(high, low) >>> 0 }).toEqual(
      hashFeature('said a b'),
    );
  });

  it('never changes, since it is stored', () => {
    expect(formatSimHash(hashFeature(''))).toMatchInlineSnapshot(`"db6e264e9de95d05"`);
    expect(formatSimHash(hashFeature('src/a.ts'))).toMatchInlineSnapshot(`"08c2ab88bf27e1f1"`);
  });
});

describe('the Hamming distance', () => {
  it.each([
    [{ high: 0, low: 0 }, { high: 0, low: 0 }, 0],
    [{ high: 0, low: 0 }, { high: 0xffffffff, low: 0xffffffff }, 64],
    [{ high: 0x80000000, low: 1 }, { high: 0, low: 0 }, 2],
    [{ high: 0, low: 0b1010 }, { high: 0, low: 0b0110 }, 2],
  ])('of %o and %o is %i', (one, other, distance) => {
    expect(hammingDistance(one, other)).toBe(distance);
  });
});

const features = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({
    feature: hashFeature(`word ${String(nth)}`),
    power: nth % 3,
  }));

function counted(count: number, votes = new Votes()): Float64Array {
  const sums = createSimHashSums();
  for (const { feature, power } of features(count)) votes.add(feature.high, feature.low, power);
  votes.moveTo(sums, 0.5);
  return sums;
}

function added(count: number): Float64Array {
  const sums = createSimHashSums();
  for (const { feature, power } of features(count)) addFeature(sums, feature, 0.5 * 2 ** power);
  return sums;
}

describe('votes', () => {
  it.each([0, 1, 2, 3, 100, 5_000])('of %i features equal their sums', (count) => {
    expect(counted(count)).toEqual(added(count));
  });

  it('start at zero after a move', () => {
    const votes = new Votes();
    counted(1_000, votes);
    expect(counted(7, votes)).toEqual(added(7));
  });
});
