import { describe, expect, it } from 'vitest';
import type { Io } from '../../../cli/command.ts';
import { listing, painter, printable, printableJson, table } from '../../../cli/output.ts';

const plain = (_colour: string, text: string) => text;

describe('a table', () => {
  it('aligns its columns by visible width', () => {
    expect(
      table(
        ['NAME', 'N'],
        [
          ['a', '1'],
          ['longer', '22'],
        ],
        plain,
      ),
    ).toBe('NAME    N\na       1\nlonger  22');
  });

  it('accepts more rows than a call may have arguments', () => {
    const rows = Array.from({ length: 200_002 }, (_, nth) => [String(nth)]);
    expect(table(['N'], rows, plain).split('\n')).toHaveLength(200_003);
    expect(
      listing(
        rows.map(([nth = '']) => [nth, nth]),
        plain,
      ).split('\n'),
    ).toHaveLength(200_002);
  });

  it('allows no stored text to move the cursor', () => {
    const evil = 'a\u001b[2Jb\nc\u202Ed';
    expect(table(['X'], [[evil]], plain)).toBe(`X\n${printable(evil)}`);
    expect(printable(evil)).not.toMatch(/[\u001b\n\u202e]/);
    expect(listing([['k', evil]], plain)).not.toContain('\u001b');
  });
});

describe('JSON', () => {
  it.each([0, 2])(
    'keeps every value and allows none to move the cursor or end a line (indent %i)',
    (indent) => {
      const value = { text: 'a\u009b2Jb\nc\u202ed\u2028e\u{e0041}', list: [1, 'ü😀'] };
      const written = printableJson(value, indent);
      expect(JSON.parse(written)).toEqual(value);
      expect(written).not.toMatch(/[\u009b\u202e\u2028\u{e0041}]/u);
      expect(written).toContain('ü😀');
      expect(written.split('\n')).toHaveLength(indent === 0 ? 1 : 7);
    },
  );
});

describe('colour', () => {
  const io = (env: Record<string, string>): Io => ({
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env,
  });

  it.each([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { TERM: 'dumb' }, false],
  ])('terminal %s, %j: %s', (isTTY, env, coloured) => {
    expect(painter(io(env), { isTTY })('red', 'x') !== 'x').toBe(coloured);
  });
});
