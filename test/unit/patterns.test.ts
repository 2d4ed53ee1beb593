import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { allPatterns, type AllPatterns } from '../support/patterns/all.ts';
import type { Found } from '../support/patterns/collect.ts';
import { excessOf } from '../support/patterns/growth.ts';
import { knownPatterns, patternDigest } from '../support/patterns/known.ts';
import { seededPart, WHOLE } from '../support/seeded-part.ts';

const LONG = 240_000;
const known = WHOLE ? new Set<string>() : knownPatterns();
let all: AllPatterns;

/** Attacks the patterns that are not known to be linear; returns those that are not, with their places. */
function excesses(patterns: readonly Found[]): string[] {
  const unknown = patterns.filter(({ pattern }) => !known.has(patternDigest(pattern)));
  return unknown.flatMap(({ at, pattern }) => {
    const excess = excessOf(pattern);
    return excess === undefined ? [] : [`${at} ${String(pattern)} ${JSON.stringify(excess)}`];
  });
}

describe('no pattern of ours takes more than linear time for its worst text', () => {
  beforeAll(async () => {
    all = await allPatterns();
  }, LONG);

  it('nor one that is written as a literal', { timeout: LONG }, () => {
    expect(all.literals.length).toBeGreaterThan(300);
    expect(excesses(all.literals)).toEqual([]);
  });

  it('nor one that is built from others', { timeout: LONG }, () => {
    expect(all.made.length).toBeGreaterThan(200);
    expect(excesses(all.made)).toEqual([]);
  });

  it('and each place that makes one was seen to', () => {
    expect([...new Set(all.made.map(({ at }) => at))].toSorted()).toEqual(all.constructions);
  });
});

/** A search takes a second for each: a third in `npm test`. */
const SLOW: readonly RegExp[] = [
  // These four held the event loop for seconds.
  /^[\t ]+|[\t ]+$/g,
  /(?:^|[/.])(?:o[1-9](?:$|-)|gpt-[56](?!.*chat)|codex|grok-[4-9]|gemini-(?:2\.5|[3-9]))/,
  /^\p{N}+|\p{N}+$/gu,
  /\s+$/,
  // Two equal stars, side by side, nested, or in a lookahead.
  /^a*a*$/,
  /x+y/,
  /x.*y.*z/,
  /(a+)+$/,
  /^(?:a|a)*$/,
  /^(\w+\s?)*$/,
  /^(?:\w*,?)*;/,
  /(?=.*b)a/,
  /(?<=x)[^]*y/g,
  /x(.*y)?/g,
  /key[^]*=/y,
  /^[^;]*;?[^,]*,/,
  /(?:[\u{1F600}-\u{1F64F}]|\p{Emoji})+!/u,
  /[\w--\d]+-/v,
];

describe('the search for worst texts', () => {
  it.each(seededPart('slow patterns', SLOW, 1 / 3))('finds what is slow in %s', (pattern) => {
    expect(excessOf(pattern)).toBeDefined();
  });

  it.each([
    /\s+/,
    /^\s+/,
    /(?<!\s)\s+$/,
    /^[^;]*;[^,]*,/,
    /a{1,64}b/,
    /\d+(?!\d)/g,
    /^(?:\w+,)*\w*$/,
    /"(?:[^"\\]|\\.)*"?/g,
    /key[^]{0,64}=/y,
    /\bword\b/gi,
  ])('has nothing against %s', (pattern) => {
    expect(excessOf(pattern)).toBeUndefined();
  });

  it('finds slow patterns on a machine that makes every short text slow', () => {
    const clock = performance.now.bind(performance);
    let lostMs = 0;
    const slow = vi.spyOn(performance, 'now').mockImplementation(() => clock() + (lostMs += 50));
    onTestFinished(() => void slow.mockRestore());
    expect(excessOf(/^(?:a|a)*$/)).toBeDefined();
  });

  it('wants bounds in a lookbehind', () => {
    expect(() => excessOf(/(?<=x+)y/)).toThrow('a lookbehind needs bounds');
  });
});
