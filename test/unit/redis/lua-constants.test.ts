import { describe, expect, it } from 'vitest';
import { withConstants } from '../../../src/redis/lua-constants.ts';

describe('constants of a script', () => {
  it('stand in place of their names, and lines keep their numbers', () => {
    const script = [
      "local WIDTH, LAYOUT, ENTRY = 8, '<dc13', '(%S+) (%d*);'",
      'local HALF, LESS = WIDTH / 2, -1',
      'local at = WIDTH * nth + HALF -- WIDTH',
      "return struct.unpack(LAYOUT, text, at), string.match(text, ENTRY), LESS, 'LAYOUT', MY_WIDTH",
    ].join('\n');
    expect(withConstants(script).split('\n')).toEqual([
      '',
      '',
      'local at = 8 * nth + (8 / 2)',
      "return struct.unpack('<dc13', text, at), string.match(text, '(%S+) (%d*);'), (-1), 'LAYOUT', MY_WIDTH",
    ]);
  });

  it.each([
    'local KEYS, ARGV = KEYS, ARGV',
    'local UNITS = { minute = 60000 }',
    'local MOST = tonumber(ARGV[1])',
    '  local INNER = 1',
    "local ONE, OTHER = 'a'",
    'local small = 1',
  ])('are no more than literals: %s stays', (line) => {
    expect(withConstants(`${line}\nreturn INNER`)).toBe(`${line}\nreturn INNER`);
  });

  it('have one value each', () => {
    expect(withConstants('local A = 1\nlocal A = 1\nreturn A')).toBe('\n\nreturn 1');
    expect(() => withConstants('local A = 1\nlocal A = 2')).toThrow('A is two constants');
  });
});
