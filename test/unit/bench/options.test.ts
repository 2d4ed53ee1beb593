import { describe, expect, it } from 'vitest';
import { readOptions, USAGE, type BenchOptions } from '../../bench/options.ts';

function optionsOf(args: readonly string[]): BenchOptions {
  const options = readOptions(args);
  if (options === undefined) throw new Error('asks for help');
  return options;
}

describe('options of the bench', () => {
  it('are undefined if help is requested, which names every option and kind', () => {
    expect(readOptions(['--help'])).toBeUndefined();
    expect(readOptions(['sweep', '-h'])).toBeUndefined();
    for (const word of ['--rounds', '--size', '--rigs', '--json', '--masking', 'histories', 'transports'])
      expect(USAGE).toContain(word);
  });

  it('measure the cost of a request at three sizes by default', () => {
    const options = optionsOf([]);
    expect(options).toMatchObject({ kind: 'cost', operands: [], sizes: [1_024, 32_768, 1_048_576] });
    expect(options.rounds).toBeUndefined();
    expect(options.rigs.test('anything')).toBe(true);
  });

  it('accept sizes in bytes, KB and MB', () => {
    expect(optionsOf(['--size', '800, 1K,1m']).sizes).toEqual([800, 1_024, 1_048_576]);
  });

  it('accept the part to measure, and its argument', () => {
    const options = optionsOf(['plot', 'run.json', '--rounds', '3']);
    expect(options).toMatchObject({ kind: 'plot', operands: ['run.json'], rounds: 3 });
  });

  it('accept a part of a sweep', () => {
    expect(readOptions(['sweep', '--part', '2/4', '--each', '7'])).toMatchObject({
      part: 2,
      parts: 4,
      each: 7,
    });
    expect(optionsOf(['sweep']).each).toBe(Infinity);
  });

  it.each([
    [['--size', '1g'], /--size 1g: sizes are like/],
    [['--size', '2m'], /up to 1536k/],
    [['--size', '0'], /--size 0/],
    [['--size', ''], /--size/],
    [['--rounds', '0'], /--rounds 0: a whole number from 1/],
    [['--rounds', '2.5'], /--rounds 2.5/],
    [['--rigs', '('], /--rigs \(: this is no regular expression/],
    [['--part', 'a/2'], /--part a/],
    [['--size-of', '1k'], /size-of/],
  ])('refuse %j and name the valid values', (args, message) => {
    expect(() => readOptions(args)).toThrow(message);
  });
});
