import { beforeAll, describe, expect, it } from 'vitest';
import type * as Rule from '../../src/detectors/secrets/rule.ts';
import type * as Rules from '../../src/detectors/secrets/rules.ts';
import { load, madePatterns, writtenPatterns, type Found } from '../support/patterns/collect.ts';
import { excessOf } from '../support/patterns/growth.ts';

const LONG = 240_000;
const { literals, constructions } = writtenPatterns();
let made: readonly Found[] = [];

/** What any of them takes more than linear time for, with the place that it comes from. */
const excesses = (patterns: readonly Found[]): string[] =>
  patterns.flatMap(({ at, pattern }) => {
    const excess = excessOf(pattern);
    return excess === undefined ? [] : [`${at} ${String(pattern)} ${JSON.stringify(excess)}`];
  });

describe('no pattern of ours takes more than linear time for its worst text', () => {
  beforeAll(async () => {
    made = await madePatterns(async () => {
      for (const file of new Set(constructions.map((at) => at.replace(/:\d+$/, '')))) await load(file);
      await makeThoseOfSecrets();
    });
  }, LONG);

  it('nor one that is written as a literal', { timeout: LONG }, () => {
    expect(literals.length).toBeGreaterThan(300);
    expect(excesses(literals)).toEqual([]);
  });

  it('nor one that is made of others', { timeout: LONG }, () => {
    expect(made.length).toBeGreaterThan(200);
    expect(excesses(made)).toEqual([]);
  });

  it('and each place that makes one was seen to', () => {
    expect([...new Set(made.map(({ at }) => at))].toSorted()).toEqual(constructions);
  });
});

/** Patterns for texts that end too early are made when such a text is first met. */
async function makeThoseOfSecrets(): Promise<void> {
  const { secretRules } = (await load('src/detectors/secrets/rules.ts')) as typeof Rules;
  const { undecidedFrom } = (await load('src/detectors/secrets/rule.ts')) as typeof Rule;
  for (const rule of secretRules) undecidedFrom(rule, 'x', 0);
}

describe('the search for worst texts', () => {
  it.each([
    // These four held the event loop for seconds.
    /^[\t ]+|[\t ]+$/g,
    /(?:^|[/.])(?:o[1-9](?:$|-)|gpt-[56](?!.*chat)|codex|grok-[4-9]|gemini-(?:2\.5|[3-9]))/,
    /^\p{N}+|\p{N}+$/gu,
    /\s+$/,
    // Two stars that read the same, side by side, nested, or in what must or must not follow.
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
  ])('finds what is slow in %s', (pattern) => {
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

  it('wants bounds in a lookbehind', () => {
    expect(() => excessOf(/(?<=x+)y/)).toThrow('a lookbehind needs bounds');
  });
});
