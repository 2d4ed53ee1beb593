import { describe, expect, it } from 'vitest';
import type { Io } from '../../../cli/command.ts';
import { listing, painter, printable, table } from '../../../cli/output.ts';

const plain = (_colour: string, text: string) => text;

describe('a table', () => {
  it('aligns its columns by what is seen', () => {
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

  it('lets no stored text move the cursor', () => {
    const evil = 'a\u001b[2Jb\nc\u202Ed';
    expect(table(['X'], [[evil]], plain)).toBe(`X\n${printable(evil)}`);
    expect(printable(evil)).not.toMatch(/[\u001b\n\u202e]/);
    expect(listing([['k', evil]], plain)).not.toContain('\u001b');
  });
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
