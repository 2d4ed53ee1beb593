import { describe, expect, it } from 'vitest';
import { addFeature, createSimHashSums, hashFeature } from '../../../src/text/simhash.ts';
import { Votes } from '../../../src/text/votes.ts';

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
  it.each([0, 1, 2, 3, 100, 5_000])('of %i features are the sums of these', (count) => {
    expect(counted(count)).toEqual(added(count));
  });

  it('start at zero after they were moved', () => {
    const votes = new Votes();
    counted(1_000, votes);
    expect(counted(7, votes)).toEqual(added(7));
  });
});
